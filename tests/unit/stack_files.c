/* SPDX-License-Identifier: ISC */
/* Debian 12's PAM files as they are after wardctl enable. */
#include "config.h"

#include "tests/unit/stack_files.h"

/* clang-format off */
const struct stack_file stack_files[] = {
{ "sshd",
	"@include common-auth\n"
	"account    required     pam_nologin.so\n"
	"@include common-account\n"
	"session [success=ok ignore=ignore module_unknown=ignore default=bad]        pam_selinux.so close\n"
	"session    required     pam_loginuid.so\n"
	"session    optional     pam_keyinit.so force revoke\n"
	"@include common-session\n"
	"session    optional     pam_motd.so  motd=/run/motd.dynamic\n"
	"session    optional     pam_motd.so noupdate\n"
	"session    optional     pam_mail.so standard noenv # [1]\n"
	"session    required     pam_limits.so\n"
	"session    required     pam_env.so # [1]\n"
	"session    required     pam_env.so user_readenv=1 envfile=/etc/default/locale\n"
	"session [success=ok ignore=ignore module_unknown=ignore default=bad]        pam_selinux.so open\n"
	"@include common-password\n"},
{ "su",
	"auth       sufficient pam_rootok.so\n"
	"session       required   pam_env.so readenv=1\n"
	"session       required   pam_env.so readenv=1 envfile=/etc/default/locale\n"
	"session    optional   pam_mail.so nopen\n"
	"session    required   pam_limits.so\n"
	"@include common-auth\n"
	"@include common-account\n"
	"@include common-session\n"},
{ "su-l",
	"#%PAM-1.0\n"
	"auth\t\tinclude\t\tsu\n"
	"account\t\tinclude\t\tsu\n"
	"password\tinclude\t\tsu\n"
	"session\t\toptional\tpam_keyinit.so force revoke\n"
	"session\t\tinclude\t\tsu\n"},
{ "sudo",
	"#%PAM-1.0\n"
	"session    required   pam_limits.so\n"
	"@include common-auth\n"
	"@include common-account\n"
	"@include common-session-noninteractive\n"},
{ "sudo-i",
	"#%PAM-1.0\n"
	"session    required   pam_limits.so\n"
	"@include common-auth\n"
	"@include common-account\n"
	"@include common-session\n"},
{ "runuser",
	"#%PAM-1.0\n"
	"auth\t\tsufficient\tpam_rootok.so\n"
	"# begin ward: made by 'wardctl enable'\n"
	STACK_CLOSE
	"# end ward\n"
	"session\t\toptional\tpam_keyinit.so revoke\n"
	"session\t\trequired\tpam_limits.so\n"
	"session\t\trequired\tpam_unix.so\n"
	"# begin ward: made by 'wardctl enable'\n"
	STACK_OPEN
	"# end ward\n"},
{ "runuser-l",
	"#%PAM-1.0\n"
	"auth\t\tinclude\t\trunuser\n"
	"session\t\toptional\tpam_keyinit.so force revoke\n"
	"-session\toptional\tpam_systemd.so\n"
	"session\t\tinclude\t\trunuser\n"},
{ "cron",
	"@include common-auth\n"
	"session    required     pam_loginuid.so\n"
	"session       required   pam_env.so\n"
	"session       required   pam_env.so envfile=/etc/default/locale\n"
	"@include common-account\n"
	"@include common-session-noninteractive \n"
	"session    required   pam_limits.so\n"},
{ "atd",
	"@include common-auth\n"
	"@include common-account\n"
	"session    required   pam_loginuid.so\n"
	"@include common-session-noninteractive\n"
	"session    required   pam_limits.so\n"
	"auth\trequired\tpam_env.so user_readenv=1\n"},
{ "common-auth",
	"auth\t[success=1 default=ignore]\tpam_unix.so nullok\n"
	"auth\trequisite\t\t\tpam_deny.so\n"
	"auth\trequired\t\t\tpam_permit.so\n"},
{ "common-account",
	"account\t[success=1 new_authtok_reqd=done default=ignore]\tpam_unix.so \n"
	"account\trequisite\t\t\tpam_deny.so\n"
	"account\trequired\t\t\tpam_permit.so\n"},
{ "common-password",
	"password\t[success=1 default=ignore]\tpam_unix.so obscure yescrypt\n"
	"password\trequisite\t\t\tpam_deny.so\n"
	"password\trequired\t\t\tpam_permit.so\n"},
{ "common-session",
	STACK_COMMON_HEAD
	STACK_CLOSE
	STACK_COMMON_MIDDLE
	STACK_OPEN
	STACK_COMMON_TAIL},
{ "common-session-noninteractive",
	STACK_COMMON_HEAD
	STACK_CLOSE
	"session\trequired\tpam_unix.so \n"
	STACK_OPEN
	STACK_COMMON_TAIL},
{ "other",
	"@include common-auth\n"
	"@include common-account\n"
	"@include common-password\n"
	"@include common-session\n"},
};
/* clang-format on */
const size_t stack_n_files = sizeof(stack_files) / sizeof(stack_files[0]);
