#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Every row of tests/tables/decision.table through the fronts of the egress
# program, for 35-egress-table.sh: each gives the verdict and the rule that the
# table says, whatever it is asked in.

import os
import re
import socket
import struct
import subprocess
import sys

from egress_world import Egress, World, pack, run, tap

# What a front cannot even be asked is not its row.
HTTP_CANNOT = re.compile(rb"[^!-~]")
DNS_CAN = re.compile(rb"^[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?$")
GROUNDS = ("none", "malformed", "deny", "allow", "grant", "unlisted", "block",
           "address")
SAID = {"own": "this machine's own", "public": "public",
        "metadata": "metadata"}


def decode(text):
    """Undoes the escapes of the table."""
    if text == "\\0":
        return b""
    out, data = b"", text.encode()
    while data:
        if data.startswith(b"\\x"):
            out, data = out + bytes([int(data[2:4], 16)]), data[4:]
        elif data[1:2] == b"{":
            n, rest = data[2:].split(b"}", 1)
            out, data = out + data[:1] * int(n), rest
        else:
            out, data = out + data[:1], data[1:]
    return out


class Policy:
    def __init__(self):
        self.allow, self.deny, self.grants, self.blocks = [], [], [], []
        self.own, self.private, self.filtered = [], False, True

    def add(self, words):
        key, value = words[0], words[1] if len(words) > 1 else None
        if key == "mode":
            self.filtered = False
        elif key == "private":
            self.private = True
        elif key in ("grant", "expired"):
            until = 1 << 40 if key == "grant" else 1
            self.grants.append((len(self.grants) + 1, until, value))
        else:
            getattr(self, key if key in ("allow", "deny", "own")
                    else "blocks").append(value)

    def pack(self):
        return pack(allow=[canonical(e) for e in self.allow],
                    deny=[canonical(e) for e in self.deny],
                    blocks=[block(b, i) for i, b in enumerate(self.blocks)],
                    grants=self.grants, private=self.private,
                    filtered=self.filtered)


def canonical(entry):
    """What is packed is spelt one way only; the text may be another."""
    spelt = {"UPPER.Example.ORG.": "upper.example.org",
             "bücher.example": "xn--bcher-kva.example",
             "[2001:DB8:0:0::8]:443": "[2001:db8::8]:443"}
    return spelt.get(entry, entry)


def block(text, line):
    address, bits = text.split("/")
    if ":" in address:
        data, extra = socket.inet_pton(socket.AF_INET6, address), 0
    else:
        data = bytes(10) + b"\xff\xff" + socket.inet_aton(address)
        extra = 96
    return (struct.pack("<I", len(text) + 1) + text.encode() + data +
            struct.pack("<I", int(bits) + extra) + struct.pack("<I", 1) +
            struct.pack("<I", line))


# --- the fronts ---


def by_connect(e, host, port):
    if HTTP_CANNOT.search(host):
        return False
    if b":" in host and not host.startswith(b"["):
        host = b"[" + host + b"]"
    sock = e.connect()
    target = host + b":" + str(port).encode()
    sock.sendall(b"CONNECT " + target + b" HTTP/1.1\r\nHost: " + target +
                 b"\r\n\r\n")
    return sock


def by_url(e, host, port):
    if not host or HTTP_CANNOT.search(host) or re.search(
            rb"[/?#@,;\\]", host):
        return False
    if b":" in host and not host.startswith(b"["):
        host = b"[" + host + b"]"
    sock = e.connect()
    target = host + b":" + str(port).encode()
    sock.sendall(b"GET http://" + target + b"/ HTTP/1.1\r\nHost: " + target +
                 b"\r\n\r\n")
    return sock


def by_socks5(e, host, port):
    if not 0 < len(host) < 256:
        return False
    sock = e.connect()
    sock.sendall(b"\x05\x01\x00\x05\x01\x00\x03" + bytes([len(host)]) + host +
                 struct.pack(">H", port))
    return sock


def by_socks4(e, host, port):
    if not 0 < len(host) < 256 or b"\0" in host:
        return False
    sock = e.connect()
    sock.sendall(b"\x04\x01" + struct.pack(">H", port) + b"\0\0\0\x01\0" +
                 host + b"\0")
    return sock


def by_address(e, host, port):
    """As a program does: what it can read as an address it does not ask."""
    if port != e.port:
        return False
    try:
        text = host.decode("ascii")
        if text.startswith("[") and text.endswith("]") and ":" in text:
            text = text[1:-1]
        if ":" in text:
            address = socket.inet_ntop(
                socket.AF_INET6, socket.inet_pton(socket.AF_INET6, text))
        else:
            address = socket.inet_ntoa(socket.inet_aton(text))
    except (OSError, ValueError):
        if not DNS_CAN.match(host):
            return False
        code, address = e.ask_dns(host.decode())
        if code != 0:
            # with a dot at its end an address is a name for libc
            return False if re.match(rb"[0-9.]+\.$", host) else None
    # what is the loopback inside is not seen by egress at all
    if address in ("::", "0.0.0.0") or address.startswith("127."):
        return False
    try:
        return socket.create_connection((address, port), 10)
    except OSError:
        return False


FRONTS = (("CONNECT", by_connect), ("a URL", by_url), ("SOCKS 5", by_socks5),
          ("SOCKS 4a", by_socks4), ("an address", by_address))


def verdict(event):
    """As the table has it: the verdict, and by what."""
    if event["cause"] == "protocol":
        return "refused", "malformed"
    refused = event["kind"] == "refused"
    ground = GROUNDS[event["ground"]]
    by = event["rule"] if ground in ("deny", "allow", "block") else ground
    if ground == "address":
        by = event["said"]
    return "refused" if refused else "allowed", by


def ask(e, front, host, port, want, by):
    """None where it is as it should be, or what it was."""
    e.forget()
    sock = front(e, host, port)
    if sock is False:
        return False
    if sock is None:  # DNS says that there is no such name
        return None if want == "refused" else "no such name"
    event = e.event_of(sock)
    sock.close()
    if event is None:
        return "no event"
    got = verdict(event)
    if got[0] != want:
        return f"{got[0]}, {event}"
    if "address" == GROUNDS[event["ground"]] and want == "refused":
        good = SAID.get(by, by) in got[1]
    else:
        good = got[1] == canonical(by) or got[1] == by
    return None if good else f"by {got[1]}, {event}"


def resolve(world, host, address):
    """What the host's name services will say of it from now on."""
    with open(world.hosts, "w", encoding="ascii") as f:
        if address != "-":
            name = host.decode("ascii").lower().rstrip(".")
            f.write(f"{address} {name}\n")


def own(world, addresses, verb):
    world.enter(world.near_fd)
    for address in addresses:
        bits = "/128" if ":" in address else "/32"
        run("ip", "address", verb, address + bits, "dev", "lo")
    world.enter(world.inside_fd)


def main(table):
    world = World({})
    e, policy, name = None, Policy(), ""
    asked, bad = {front: 0 for front, _ in FRONTS}, []
    e = Egress(world, pack(), rate=100000, steered=443)
    fresh, mine = True, []
    with open(table, encoding="utf-8") as f:
        lines = list(enumerate(f.read().splitlines(), 1))
    for number, line in lines:
        words = [] if line.startswith("#") else line.split()
        if not words:
            continue
        if words[0] == "policy":
            policy, fresh, name = Policy(), True, words[1]
            continue
        if len(words) != 5:
            policy.add(words)
            continue
        if fresh:
            own(world, mine, "del")
            mine = policy.own
            own(world, mine, "add")
            assert e.policy(policy.pack()) == (1, 0), (number, name)
            fresh = False
        host, port, address = decode(words[0]), int(words[1]), words[2]
        # the loopback's names are not looked up: they are what they are
        if b"localhost" in host.lower() and address not in (
                "127.0.0.1", "::1"):
            continue
        resolve(world, host, address)
        for front, way in FRONTS:
            got = ask(e, way, host, port, words[3], words[4])
            if got is False:
                continue
            asked[front] += 1
            if got is not None:
                bad.append(f"line {number}, {front}: {line}: {got}")
    for front, n in asked.items():
        wrong = [b for b in bad if f", {front}: " in b]
        tap.row(not wrong, f"the table by {front}", "\n".join(wrong))
        tap.row(n >= 150, f"{n} rows by {front}")
    e.stop()
    tap.end()


if __name__ == "__main__":
    os.chdir("/")
    main(sys.argv[1])
