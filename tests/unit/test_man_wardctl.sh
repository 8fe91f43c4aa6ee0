#!/bin/sh
# SPDX-License-Identifier: ISC
# wardctl(8) and ward(1) against the programs' own --help, both ways, and what
# all pages and the README call wardctl for against its commands.  Run by make check in
# the build's directory.
set -u

man=${srcdir:-.}/man
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# row NAME FILE: passes if the file is empty, which else is the reason.
row()
{
	rows=$((rows + 1))
	if [ -s "$2" ]; then
		printf 'not ok %d - %s\n' "$rows" "$1"
		sed 's/^/# /' "$2"
		failed=1
	else
		printf 'ok %d - %s\n' "$rows" "$1"
	fi
}

# from_help PROGRAM: "COMMAND" and "COMMAND --OPTION [ARGUMENT]" lines of its
# --help.
from_help()
{
	"./$1" --help |
	    sed -n "s/^\(usage:\|      \) $1 //p" >"$dir/usage"
	awk '{
		command = $1
		if ($2 ~ /^[a-z]/)
			command = command " " $2
		print command
		line = $0
		while (match(line, /\[--[a-z-]+( [A-Z]+)?\]/)) {
			option = substr(line, RSTART + 1, RLENGTH - 2)
			print command " " option
			line = substr(line, RSTART + RLENGTH)
		}
	}' "$dir/usage" | sort
}

# from_page PAGE: the same out of the page's items.
from_page()
{
	awk '/^\.It Cm / {
		command = $3
		if ($4 ~ /^[a-z]+$/)
			command = command " " $4
		print command
	}
	/^\.It Fl -/ && command != "" {
		print command " -" $3 ($4 == "Ar" ? " " toupper($5) : "")
	}
	/^\.Sh FILES/ { exit }' "$1" | sort
}

# called: "FILE COMMAND..." for each call of wardctl in a file: what stands
# behind the word, as far as it is lower case.
called()
{
	grep -oE '(^|[^a-z./])wardctl( [a-z][a-z-]*){1,2}' "$1" |
	    sed "s/.*wardctl /${1##*/} /"
}

# unknown: those of called whose first words are no command.
unknown()
{
	while read -r file first second; do
		grep -qxF -e "$first" -e "$first $second" "$dir/commands" ||
		    printf '%s: wardctl %s %s\n' "$file" "$first" "$second"
	done
}

# held PROGRAM PAGE LEAST: the page against the program, which has so many
# commands at the least; those of the last are in "commands".
held()
{
	from_help "$1" >"$dir/help"
	from_page "$man/$2" >"$dir/page"
	grep -v -e ' --' "$dir/help" >"$dir/commands"
	[ "$(wc -l <"$dir/commands")" -ge "$3" ] ||
	    echo "no commands in $1 --help" >"$dir/none"
	[ -e "$dir/none" ] || : >"$dir/none"
	row "$1 --help lists commands" "$dir/none"
	comm -23 "$dir/help" "$dir/page" >"$dir/missing"
	row "$2 has every command and option" "$dir/missing"
	comm -13 "$dir/help" "$dir/page" >"$dir/more"
	row "$2 has no other command or option" "$dir/more"
}

rows=0
echo 1..7
held ward ward.1 2
held wardctl wardctl.8 11

for file in "$man"/*.[1-8] "${srcdir:-.}"/README.md \
    "${srcdir:-.}"/profiles/*.conf; do
	called "$file"
done | unknown >"$dir/unknown" 2>&1
row "pages, README and profiles call commands that exist" "$dir/unknown"

exit "$failed"
