#!/bin/sh
# SPDX-License-Identifier: ISC
# tests/escapes.md and tests/faults.md against the tests that they name: each
# file is there, and has the words; no row is said to be tested where it is not.
# Run by make check.
set -u

tests=${srcdir:-.}/tests
rows=0
failed=0

# check ROW FILE WORDS
check()
{
	rows=$((rows + 1))
	# a * in its name: in one of them
	# shellcheck disable=SC2086
	if grep -qsF -e "$3" "$tests"/$2; then
		printf 'ok %d - %s\n' "$rows" "$1"
	else
		printf 'not ok %d - %s\n# not in %s: %s\n' "$rows" "$1" "$2" "$3"
		failed=1
	fi
}

# The last two of four or five columns; \| is a | in the words.
sed -n '/^| \(row\|way\|fault\|---\)/d; /^|/ {
	s/\\|/\x01/g; s/^| *//; s/ *|$//; s/ *| */|/g; p
}' "$tests/escapes.md" "$tests/faults.md" >escapes.$$
while IFS='|' read -r first second third fourth fifth; do
	if [ -n "$fifth" ]; then
		file=$fourth words=$fifth
	else
		file=$third words=$fourth
	fi
	check "$first $second" "$file" "$(printf %s "$words" | tr '\001' '|')"
done <escapes.$$
rm -f escapes.$$

# a row that is not there is seen
(check none system/19-escapes-own.sh 'no such words at all') |
    grep -q '^not ok' || { echo 'Bail out! nothing is held'; exit 1; }
printf '1..%d\n' "$rows"
[ "$rows" -gt 130 ] && [ "$failed" -eq 0 ]
