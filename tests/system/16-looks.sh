#!/bin/bash
# SPDX-License-Identifier: ISC
# box: quick
# Looks into hidden places are rows.
set -eu -o pipefail
# shellcheck source=tests/system/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/system/30-setting.bash
. "$(dirname "$0")/30-setting.bash"
plan 1
rsyslogd; setting_do() { local said; said=$("$@" 2>&1 </dev/null) || { diag "$said"; tail -30 /var/log/auth.log | sed "s,^,# ,"; exit 1; }; }
setting
su agent -s /bin/bash -c 'cat /srv/secret/inner/deep; ls -la /srv/secret; cat /srv/secret.txt; cat /srv/nope; mkdir /srv/secret/x; echo hi >/srv/secret/y; echo hi >>/srv/secret.txt; echo hi > /srv/secret.txt; cd /srv/secret; stat z; stat ../secret/w; chmod 0 q; chmod 0 ../secret.txt; touch t; ls /home /var/log; time (for i in {1..2000}; do test -e p$i; done); time (for i in {1..2000}; do test -e /srv/none/p$i; done); grep -E "fuse" /proc/mounts; ps ax' 2>&1 | sed 's/^/# /' || true
settled
rows "SELECT kind, operation, target, errno, program, count, rule_file, rule_line, session FROM violations where target not like '%/p%'" | sed 's/^/# /'
rows "SELECT count(*) FROM violations where target  like '%/p%'" | sed 's/^/# /'
cat /var/log/auth.log 2>/dev/null | sed 's/^/# /' | tail -5
pass x
