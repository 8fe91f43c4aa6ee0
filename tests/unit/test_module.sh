#!/bin/bash
# SPDX-License-Identifier: ISC
# What the built module and programs are to the dynamic linker.  pam_ward.so
# is mapped into every login of the machine, so its mapping must do nothing:
# two symbols, two libraries, no constructor, no thread-local storage.  Each
# check is also run on an object that violates it, and must say so.  Runs in
# the build directory; CC is the compiler that built it.
set -u -o pipefail
export LC_ALL=C

module=.libs/pam_ward.so
programs=(egress/egress redirect ward wardctl warden wardsh)
static_programs=(connector masks ward-init)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
read -r -a cc <<<"${CC:-cc}"

say()
{
	printf '%s\n' "$*"
}

dynamic()
{
	readelf -dW "$1" | sed 's/^ *0x[0-9a-f]* *//'
}

# flagged FILE TAG FLAG: a flag of the dynamic section.
flagged()
{
	dynamic "$1" | grep -E "^\($2\)" | grep -qw "$3"
}

# What both are held to: nothing writable that is executable or decides where
# a call goes, no path of the machine that it was built on.
hardening()
{
	flagged "$1" FLAGS BIND_NOW || flagged "$1" FLAGS_1 NOW ||
	    say 'is bound lazily'
	readelf -lW "$1" | grep -q GNU_RELRO || say 'has no RELRO'
	readelf -lW "$1" | awk '$1 == "GNU_STACK" { seen = 1 }
	    $1 == "GNU_STACK" && $0 ~ /RWE/ { seen = 0 }
	    END { exit !seen }' || say 'has an executable stack'
	readelf -lW "$1" | awk '$1 == "LOAD" && / RWE / { bad = 1 }
	    END { exit bad }' || say 'has a segment to write and execute'
	! dynamic "$1" | grep -qE '^\(TEXTREL\)' || say 'has text relocations'
	! dynamic "$1" | grep -qE '^\((RPATH|RUNPATH)\)' ||
	    say 'has a library path of its own'
}

needed()
{
	dynamic "$1" | sed -n 's/^(NEEDED).*\[\(.*\)\]$/\1/p' | sort | xargs
}

# array_size FILE TAG: bytes; 0 where there is none.
array_size()
{
	local size
	size=$(dynamic "$1" | sed -n "s/^($2) *\([0-9]*\) (bytes)$/\1/p")
	say "${size:-0}"
}

# Configuration from the environment, shells, loading of code, unbounded
# copies: nothing of it belongs into a login.
unwanted='(secure_)?getenv|system|popen|dlopen|posix_spawnp?|execl.*|execvp.*'
unwanted+='|strcpy|strcat|v?sprintf|gets|strtok|ato[il]|__tls_get_addr'

check_module()
{
	local exported
	exported=$(nm -D --defined-only "$1" | awk '{ print $NF }' | sort | xargs)
	[ "$exported" = 'pam_sm_close_session pam_sm_open_session' ] ||
	    say "exports $exported"
	[ "$(needed "$1")" = 'libc.so.6 libpam.so.0' ] ||
	    say "needs $(needed "$1")"
	flagged "$1" FLAGS_1 NODELETE || say 'may be unloaded'
	# one of the compiler's own: frame_dummy, __do_global_dtors_aux
	[ "$(array_size "$1" INIT_ARRAYSZ)" -le 8 ] || say 'has a constructor'
	[ "$(array_size "$1" FINI_ARRAYSZ)" -le 8 ] || say 'has a destructor'
	! readelf -SW "$1" | grep -qE ' \.(ctors|dtors|preinit_array) ' ||
	    say 'has a table of constructors'
	! readelf -lW "$1" | grep -qE '^ *TLS ' || say 'has thread-local storage'
	nm -D -u "$1" | awk '{ sub(/@.*/, "", $NF); print $NF }' |
	    grep -xE "$unwanted" | sed 's/^/uses /'
	nm -D -u "$1" | grep -q __stack_chk_fail || say 'has no stack protector'
	ldd -r "$1" 2>&1 | sed -n 's/^\(undefined symbol: [^ \t]*\).*/\1/p'
	hardening "$1"
}

check_program()
{
	readelf -hW "$1" | grep -qE '^ *Type: +DYN' ||
	    say 'has a fixed address'
	flagged "$1" FLAGS_1 PIE || say 'is no program'
	hardening "$1"
}

check_dynamic_program()
{
	local undefined
	undefined=$(nm -D -u "$1")
	check_program "$1"
	grep -q __stack_chk_fail <<<"$undefined" ||
	    say 'has no stack protector'
	grep -qE ' __[a-z]+_chk(@|$)' <<<"$undefined" ||
	    say 'has no checked copies'
}

check_static_program()
{
	check_program "$1"
	! readelf -lW "$1" | grep -qE '^ *INTERP ' || say 'wants a loader'
	[ -z "$(needed "$1")" ] || say "needs $(needed "$1")"
}

rows=0
failed=0

# row NAME FOUND: passes where nothing was found.
row()
{
	rows=$((rows + 1))
	if [ -z "$2" ]; then
		say "ok $rows - $1"
	else
		say "not ok $rows - $1"
		say "$2" | sed 's/^/# /'
		failed=1
	fi
}

# real CHECK FILE
real()
{
	if [ -f "$2" ]; then
		row "$2" "$("$1" "$2" 2>&1)"
	else
		row "$2" 'was not built'
	fi
}

# control CHECK WORDS FILE: the check must find just that.
control()
{
	local found name="control: ${2:-nothing to find}"
	found=$("$1" "$3" 2>&1 | paste -sd ,)
	if [ ! -f "$3" ]; then
		row "$name" 'the object was not built'
	elif [ "$found" = "$2" ]; then
		row "$name" ''
	else
		row "$name" "found: ${found:-nothing}"
	fi
}

hard=('-Wl,-z,relro,-z,now,-z,noexecstack,--as-needed')

# source_of CODE: a small module, and CODE beside it.
source_of()
{
	cat <<-END
		#include <stdlib.h>
		#include <string.h>
		#define EXPORT __attribute__((visibility("default")))
		int pam_get_user(void *, const char **, const char *);
		int beside(char *out, int n);
		EXPORT int pam_sm_open_session(void *, int, int, const char **);
		EXPORT int pam_sm_close_session(void *, int, int, const char **);
		$1
		EXPORT int pam_sm_open_session(void *h, int f, int c, const char **v)
		{
			const char *user = 0;
			char text[64] = "";
			(void)f, (void)v;
			(void)pam_get_user(h, &user, 0);
			return beside(text, c);
		}
		EXPORT int pam_sm_close_session(void *h, int f, int c, const char **v)
		{
			(void)h, (void)v;
			return f + c;
		}
	END
}

keep=-Wl,-z,nodelete
plain='int beside(char *out, int n)
    { if (n > 63) abort(); memset(out, n, 64); return out[n]; }'

# module NAME CODE FLAGS: a module, all but FLAGS as Ward's is made.
module()
{
	local out=$work/$1.so
	source_of "$2" >"$work/$1.c"
	shift 2
	"${cc[@]}" -shared -fPIC -O1 -fvisibility=hidden \
	    -fstack-protector-all -o "$out" "${out%.so}.c" "${hard[@]}" \
	    ${keep:+"$keep"} "$@" -lpam >"$work/log" 2>&1 || cat "$work/log" >&2
	say "$out"
}

# program NAME FLAGS
program()
{
	local out=$work/$1
	say '#include <stdio.h>
	    int main(int c, char **v) { char t[64];
	    return snprintf(t, sizeof(t), "%s %d", v[0], c) > 9 && !t[8]; }' \
	    >"$out.c"
	shift
	"${cc[@]}" -fPIE -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 \
	    -fstack-protector-all -o "$out" "$out.c" "${hard[@]}" -pie "$@" \
	    >"$work/log" 2>&1 || cat "$work/log" >&2
	say "$out"
}

control_modules()
{
	local m=check_module
	control $m '' "$(module good "$plain")"
	control $m 'exports pam_sm_close_session pam_sm_open_session stray' \
	    "$(module export "$plain EXPORT int stray; int stray = 1;")"
	control $m 'has a constructor' "$(module constructor "$plain
	    __attribute__((constructor)) static void c(void) { abort(); }")"
	control $m 'has a destructor' "$(module destructor "$plain
	    __attribute__((destructor)) static void c(void) { abort(); }")"
	control $m 'has thread-local storage' "$(module tls "static __thread
	    int t __attribute__((tls_model(\"initial-exec\")));
	    int beside(char *out, int n) { memset(out, n, 64); return t += n; }"
	    )"
	control $m 'uses getenv' "$(module getenv 'int beside(char *out, int n)
	    { memset(out, n, 64); return getenv("WARD") != 0; }')"
	control $m 'needs libc.so.6 libm.so.6 libpam.so.0' \
	    "$(module needs "$plain" -Wl,--no-as-needed -lm)"
	control $m 'may be unloaded' \
	    "$(keep='' && module delete "$plain")"
	control $m 'is bound lazily' "$(module lazy "$plain" -Wl,-z,lazy)"
	control $m 'has no RELRO' "$(module relro "$plain" -Wl,-z,norelro)"
	control $m 'has an executable stack' \
	    "$(module stack "$plain" -Wl,-z,execstack)"
	control $m 'has a library path of its own' \
	    "$(module path "$plain" -Wl,-rpath,/tmp)"
	control $m 'has no stack protector' \
	    "$(module canary "$plain" -fno-stack-protector)"
	control $m 'undefined symbol: nobody_has_it' "$(module undefined \
	    'int nobody_has_it(void); int beside(char *out, int n)
	    { memset(out, n, 64); return nobody_has_it(); }')"
}

control_programs()
{
	local p=check_dynamic_program
	control $p '' "$(program good)"
	control $p 'has a fixed address,is no program' "$(program fixed -no-pie)"
	control $p 'is bound lazily' "$(program lazy -Wl,-z,lazy)"
	control $p 'has no RELRO' "$(program relro -Wl,-z,norelro)"
	control $p 'has an executable stack' "$(program stack -Wl,-z,execstack)"
	control $p 'has no stack protector' \
	    "$(program canary -fno-stack-protector)"
	control $p 'has no checked copies' \
	    "$(program unchecked -U_FORTIFY_SOURCE)"
	control check_static_program 'wants a loader,needs libc.so.6' "$(program dynamic)"
}

# forgotten: programs that are installed and not in the lists above.
forgotten()
{
	# a make around this one has no say in how it talks
	# shellcheck disable=SC2016 # make expands them
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL \
	    make -s --no-print-directory --eval 'installed: ; @printf "%s\\n" \
	    $(bin_PROGRAMS) $(sbin_PROGRAMS) $(wardlibexec_PROGRAMS)' \
	    installed | sort | comm -3 - <(printf '%s\n' "${programs[@]}" \
	    "${static_programs[@]}" | sort)
}

main()
{
	local program
	row 'no program is forgotten' "$(forgotten)"
	real check_module "$module"
	for program in "${programs[@]}"; do
		real check_dynamic_program "$program"
	done
	for program in "${static_programs[@]}"; do
		real check_static_program "$program"
	done
	control_modules
	control_programs
	say "1..$rows"
	return "$failed"
}

main
