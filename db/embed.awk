# SPDX-License-Identifier: ISC
# Turns the numbered migrations into db/migrations.c.  Arguments: all of them,
# those of one store together and in order: policy-0001.sql ...
# Comment lines and empty lines are left out.

function finish()
{
	if (store == "")
		return
	print "};"
	print "const struct ward_migrations ward_" store "_migrations = {"
	print "\t" store ", sizeof(" store ") / sizeof(" store "[0])"
	print "};"
}

BEGIN {
	print "/* Made from the .sql files by embed.awk. */"
	print "#include \"config.h\""
	print ""
	print "#include \"db/migrate.h\""
}

FNR == 1 {
	base = FILENAME
	sub(/^.*\//, "", base)
	if (base !~ /^[a-z]+-[0-9][0-9][0-9][0-9]\.sql$/) {
		print "embed.awk: bad name: " FILENAME > "/dev/stderr"
		bad = 1
		exit 1
	}
	split(base, part, /[-.]/)
	if (part[1] != store) {
		finish()
		store = part[1]
		number = 0
		print ""
		print "static const char *const " store "[] = {"
	} else {
		# the comma of the migration before
		print "\t,"
	}
	if (part[2] + 0 != ++number) {
		print "embed.awk: out of order: " FILENAME > "/dev/stderr"
		bad = 1
		exit 1
	}
	print "\t/* " base " */"
}

/^[ \t]*(--.*)?$/ { next }

# SQL needs neither, and escaping them differs from awk to awk.
/[\\"]/ {
	print "embed.awk: " FILENAME ":" FNR ": \\ or \"" > "/dev/stderr"
	bad = 1
	exit 1
}

{
	gsub(/\t/, " ")
	print "\t\"" $0 "\\n\""
}

END {
	if (bad)
		exit 1
	finish()
}
