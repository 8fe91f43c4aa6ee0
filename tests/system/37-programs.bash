# shellcheck shell=bash
# SPDX-License-Identifier: ISC
# Real programs in a filtered network: what they are tried with, and the row
# that tries one.  Sourced after net.sh.
# shellcheck disable=SC2154 # of ward.sh and net.sh

work=/home/agent/work

# on_host COMMAND: the same by root, outside.
on_host()
{
	(cd /root/work && timeout 30 bash -c "$*" 2>&1 </dev/null) || true
}

# reaches NAME COMMAND-WITH-NAME: HOST in it stands for a name; what it prints
# must hold WORLD for an allowed one, and not for another, which root reaches.
reaches()
{
	local name=$1 command=$2 got other control
	got=$(login "cd $work && ${command//HOST/allowed.test}")
	like "$name reaches an allowed name" "$got" WORLD
	other=$(login "cd $work && ${command//HOST/other.test}")
	control=$(on_host "${command//HOST/other.test}")
	opposite "$name reaches no other" \
	    "$(grep -o WORLD <<<"$other" | head -n 1)" \
	    "$(grep -o WORLD <<<"$control" | head -n 1)" '' WORLD
}

# shared: what the server has: a repository, a package of npm's and pip's.
shared()
{
	git -c init.defaultBranch=main init -q --bare /srv/world/repo.git
	git -c init.defaultBranch=main init -q /root/repo
	(
		cd /root/repo || exit
		echo WORLD >file
		git add file
		git -c user.name=r -c user.email=r@r commit -q -m file
		git push -q /srv/world/repo.git main
		git -C /srv/world/repo.git update-server-info
	)
	install -d /srv/world/pip/thing /root/thing
	echo 'WORD = "WORLD"' >/root/thing/thing.py
	ward_do python3 "$here/net-wheel.py" /root/thing/thing.py \
	    /srv/world/pip/thing
	install -d /srv/world/npm/package
	cat >/srv/world/npm/package/package.json <<-'JSON'
	{ "name": "thing", "version": "1.0.0", "main": "index.js" }
	JSON
	echo 'module.exports = "WORLD";' >/srv/world/npm/package/index.js
	tar -czf /srv/world/thing.tgz -C /srv/world/npm package
}

# programs: those that have to be made.
programs()
{
	local home=/home/.ward/agent
	for dir in "$home/work" /root/work; do
		install -d "$dir"
		cp "$here/net-dial.py" "$dir/dial.py"
		cat >"$dir/fetch.mjs" <<-'NODE'
		try {
			const r = await fetch(process.argv[2]);
			console.log(await r.text());
		} catch (e) {
			console.log("no:", e.cause?.code ?? e.message);
		}
		NODE
		cat >"$dir/Get.java" <<-'JAVA'
		public class Get {
			public static void main(String[] a) throws Exception {
				System.out.write(new java.net.URL(a[0])
				    .openStream().readAllBytes());
			}
		}
		JAVA
		install -m 0600 /root/key "$dir/key"
	done
	chown -R agent: "$home/work"
}
