# SPDX-License-Identifier: ISC
# Judges one test's TAP output for scripts/check.
#	awk -v name=NAME -v status=EXIT -v needs_plan=0|1 -f tap.awk LOG
# Prints a FAIL or SKIP line for each row that is not a pass, with its
# reason, and last "counts PASSED FAILED SKIPPED".  A row that the plan names
# and that never came is a failure: a test that ends early never counts less.

function failure(text)
{
	print "FAIL " name ": " text
	remarks = 0
}

{ sub(/\r$/, "") }

/^1\.\.[0-9]+/ {
	planned += substr($1, 4)
	plans++
	next
}

/^(not )?ok/ {
	rows++
	open = 0
	text = $0
	sub(/^(not )?ok *[0-9]* *(- *)?/, "", text)
	if (text ~ /# *SKIP/) {
		skipped++
		print "SKIP " name ": " text
	} else if (/^ok/) {
		passed++
	} else {
		failed++
		failure(text)
		open = 1
	}
	next
}

/^Bail out!/ {
	failed++
	failure($0)
	next
}

# The remarks below a failed row are its reason.
/^#/ && open && remarks < 30 {
	remarks++
	print "    " substr($0, 3)
}

END {
	if (plans == 0 && (needs_plan || rows > 0)) {
		failed++
		failure("no plan")
	} else if (plans == 0 && status == 0) {
		passed++
	} else if (plans == 0 && status == 77) {
		skipped++
		print "SKIP " name ": exit status 77"
	} else if (rows < planned) {
		failed += planned - rows
		failure("ended after " (rows + 0) " rows of " planned \
		    ", exit status " status)
	} else if (rows > planned) {
		failed++
		failure(rows " rows, and a plan of " planned)
	}
	if (status != 0 && status != 77 && failed == 0) {
		failed++
		failure("exit status " status)
	}
	if (passed + failed + skipped == 0) {
		failed++
		failure("no row at all")
	}
	print "counts " passed + 0, failed + 0, skipped + 0
}
