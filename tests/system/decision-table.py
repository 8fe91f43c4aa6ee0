#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
"""tests/tables/decision.table through wardctl explain: a profile, grants and
addresses of this machine's for each policy of it, and every row asked.  Prints
what differs; the last line counts rows, and those that no command line can
hold."""

import json
import re
import subprocess
import sys
import time

ACCOUNT = "agent"
PROFILE = "/etc/ward/profiles.d/mine.conf"
MOST = 200  # hosts of one command
CLASSES = {
    "public": "a public address",
    "private": "a private address",
    "loopback": "a loopback address",
    "unspecified": "the unspecified address",
    "link-local": "a link-local address",
    "multicast": "a multicast address",
    "broadcast": "the broadcast address",
    "metadata": "a metadata service's address",
    "reserved": "a reserved address",
    "own": "an address of this machine's own",
}
LISTS = {"allow": "allow", "deny": "deny", "block": "deny_addresses"}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def whole(address):
    return address + ("/128" if ":" in address else "/32")


class Policy:
    def __init__(self):
        self.mode = "filtered"
        self.private = False
        self.lists = {"allow": [], "deny": [], "block": []}
        self.grants = []
        self.own = []
        self.rows = []

    def add(self, key, value):
        if key == "mode":
            self.mode = value
        elif key == "private":
            self.private = True
        elif key in self.lists:
            self.lists[key].append(value)
        elif key in ("grant", "expired"):
            self.grants.append((value, "1h" if key == "grant" else "1s"))
        elif key == "own":
            self.own.append(value)
        else:
            raise ValueError(key)

    def text(self):
        lists = " ".join(
            f"{LISTS[key]} = ( {', '.join(json.dumps(v, ensure_ascii=False) for v in values)} );"
            for key, values in self.lists.items()
        )
        return (
            f'profile: {{ name = "mine"; network: {{ mode = "{self.mode}"; '
            f"allow_private = {str(self.private).lower()}; {lists} }}; }};\n"
        )


def read(path):
    policies = []
    with open(path, encoding="utf-8") as table:
        for number, line in enumerate(table, 1):
            field = line.split()
            if not field or field[0].startswith("#"):
                continue
            if field[0] == "policy":
                policies.append(Policy())
            elif len(field) < 5:
                policies[-1].add(field[0], field[1] if len(field) > 1 else "")
            else:
                policies[-1].rows.append((number, field))
    return policies


def decode(text):
    """Undoes the escapes of the table."""
    if text == "\\0":
        return b""
    text = re.sub(r"(.)\{(\d+)\}", lambda m: m[1] * int(m[2]), text)
    return re.sub(
        rb"\\x(..)", lambda m: bytes([int(m[1], 16)]), text.encode("utf-8")
    )


def operand(host, port):
    """As explain takes it, and how many answers that has."""
    bare = host.count(b":") >= 2 and not host.startswith(b"[")
    text = (b"[%s]:%d" if bare else b"%s:%d") % (host, port)
    head = text[: text.rindex(b":")]
    has_port = b":" not in head or (head[:1] == b"[" and head[-1:] == b"]")
    return text, 1 if has_port else 2


def by(answer):
    if answer["ground"] == "address":
        return answer["address"]
    if answer["ground"] == "no-network":
        return "none"
    return answer["rule"]["entry"] if answer["rule"] else answer["ground"]


def ask(rows, address):
    """Number and what differs, of those that do."""
    asked = [operand(decode(field[0]), int(field[1])) for _, field in rows]
    command = ["wardctl", "explain", "--json", "--account", ACCOUNT]
    if address != "-":
        command += ["--address", address]
    command += ["--"] + [text for text, _ in asked]
    answers = iter(json.loads(run(*command)))
    for (number, field), (_, n) in zip(rows, asked):
        answer = next(answers)
        for _ in range(n - 1):
            next(answers)
        got = (answer["verdict"], by(answer))
        want = (field[3], CLASSES.get(field[4], field[4]))
        if got != want:
            print(f"decision.table:{number}: {got}, not {want}")


def prepare(policy):
    with open(PROFILE, "w", encoding="utf-8") as file:
        file.write(policy.text())
    run("wardctl", "profile", "apply")
    for grant in json.loads(run("wardctl", "grant", "list", "--json")):
        run("wardctl", "grant", "revoke", str(grant["id"]))
    for entry, length in policy.grants:
        run("wardctl", "grant", "add", ACCOUNT, entry, "--for", length)
    live = sum(length != "1s" for _, length in policy.grants)
    for _ in range(200):
        if len(json.loads(run("wardctl", "grant", "list", "--json"))) == live:
            break
        time.sleep(0.05)


def main():
    rows = left = 0
    for policy in read(sys.argv[1]):
        prepare(policy)
        for own in policy.own:
            run("ip", "address", "add", whole(own), "dev", "lo")
        groups = {}
        for number, field in policy.rows:
            # ":" with a port is the address ::443
            if b"\0" in decode(field[0]) or field[0] == ":":
                left += 1
                continue
            groups.setdefault(field[2], []).append((number, field))
        for address, group in groups.items():
            for i in range(0, len(group), MOST):
                ask(group[i : i + MOST], address)
            rows += len(group)
        for own in policy.own:
            run("ip", "address", "del", whole(own), "dev", "lo")
    print(f"{rows} rows, {left} left")


main()
