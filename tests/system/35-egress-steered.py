#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# The egress program for programs that know nothing of a proxy, for
# 35-egress-steered.sh: DNS answers that stand for names, connections to them,
# and what a refused one is told.

import os
import socket
import struct

from egress_world import (ALERT, FILE, HOST_NET, HOST_SIX, Egress, World, echo,
                          exactly, hello, pack, read_all, read_head, tap)

NXDOMAIN, NOTIMP, FORMERR = 3, 4, 1


def test_dns(e):
    code, four = e.ask_dns("host.example")
    tap.row(code == 0 and (four or "").startswith("198.1"),
            "a name has an address that stands for it", (code, four))
    tap.equal("the same each time", e.ask_dns("HOST.example")[1], four)
    tap.equal("over TCP, byte by byte", e.ask_dns("host.example", 1, True)[1],
              four)
    _, six = e.ask_dns("host.example", 28)
    tap.has("an IPv6 one too", six, "^fd6b:8e51:c72d:")
    tap.row(e.ask_dns("other.example")[1] not in (None, four),
            "another name has another, whatever the rules say")
    tap.equal("localhost is the loopback", e.ask_dns("localhost"),
              (0, "127.0.0.1"))
    tap.equal("and what is below it", e.ask_dns("a.localhost", 28),
              (0, "::1"))
    for kind, name in ((16, "TXT"), (15, "MX"), (65, "HTTPS"), (255, "ANY")):
        tap.equal(f"{name}: there is a name, and no such record",
                  e.ask_dns("host.example", kind), (0, None))
    tap.equal("what is spelt as an address is no name",
              e.ask_dns("10.0.0.1")[0], NXDOMAIN)
    head = struct.pack(">HHHHHH", 9, 0x100, 1, 0, 0, 0)
    for name, query, want in (
            ("a name that points to itself", head + b"\xc0\x0c\0\1\0\1",
             FORMERR),
            ("two pointers", head + b"\xc0\x0e\xc0\x0c\0\1\0\1", FORMERR),
            ("no question", struct.pack(">HHHHHH", 9, 0, 0, 0, 0, 0), FORMERR),
            ("an update", struct.pack(">HHHHHH", 9, 5 << 11, 1, 0, 0, 0) +
             b"\1a\0\0\1\0\1", NOTIMP)):
        tap.equal(f"DNS: {name}", e.send_dns(query)[3] & 15, want)


def test_steered(world):
    """One egress a port, since a listener has one."""
    policy = pack(allow=["host.example", HOST_NET + ":443",
                         "[" + HOST_SIX + "]:443", "nowhere.example"],
                  deny=["bad.example"], reasons=[("bad.example", "not this")])
    e = Egress(world, policy, steered=443)
    for family in (socket.AF_INET, socket.AF_INET6):
        sock = e.steer("host.example", family)
        sock.sendall(b"through")
        tap.equal(f"by a name, {family.name}", exactly(sock, 7), b"through")
        sock.shutdown(socket.SHUT_WR)
        tap.equal(f"to its end, {family.name}", sock.recv(9), b"")
    opened = e.event(kind="opened", front="transparent") or {}
    tap.equal("a row has the name", opened.get("host"), "host.example")
    for address in (HOST_NET, HOST_SIX):
        sock = socket.create_connection((address, 443), 10)
        sock.sendall(b"literal")
        tap.equal(f"to {address} itself", exactly(sock, 7), b"literal")
    for name, sni, passes in (("host.example", "host.example", True),
                              ("host.example", "other.example", False)):
        sock = e.steer(name)
        sock.sendall(hello(sni))
        tap.equal(f"SNI {sni} to {name}",
                  exactly(sock, len(hello(sni))) if passes else read_all(sock),
                  hello(sni) if passes else ALERT)

    for name in ("bad.example", "other.example"):
        sock = e.steer(name)
        sock.sendall(hello(name))
        tap.equal(f"{name}, TLS: access_denied", read_all(sock), ALERT)
        sock = e.steer(name)
        sock.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        tap.has(f"{name}, HTTP: 403", read_all(sock),
                rb"^HTTP/1.1 403 .*\r\n\r\nward: " + name.encode())
        sock = e.steer(name)
        sock.sendall(b"\x00\x01\x02")
        tap.equal(f"{name}, anything else: a reset", read_all(sock),
                  b"<ConnectionResetError>")
    refused = e.event(kind="refused", host="bad.example") or {}
    tap.equal("a row has the rule and the reason",
              (refused.get("file"), refused.get("line"), refused.get("rule"),
               refused.get("reason")), (FILE, 100, "bad.example", "not this"))
    tap.equal("and where it came from",
              refused.get("from", ("", 0))[0][:4] in ("198.", "127."), True)
    for address in ("8.8.8.8", "127.0.0.9", "169.254.169.254", "198.19.255.9",
                    "2001:db8::1"):
        sock = socket.create_connection((address, 443), 10)
        sock.sendall(hello("host.example"))
        tap.equal(f"a literal that no rule names: {address}", read_all(sock),
                  ALERT)
    try:
        told = read_all(e.steer("nowhere.example"))
    except ConnectionResetError:
        told = b"<ConnectionResetError>"  # as early as that
    tap.equal("a name without an address: a reset", told,
              b"<ConnectionResetError>")
    e.stop()

    e = Egress(world, policy, steered=22)
    sock = e.steer("bad.example")
    sock.sendall(b"SSH-2.0-client\r\n")
    told = read_all(sock)
    tap.has("ssh is told, in its own words", told,
            rb'^SSH-2.0-ward\r\n\0\0.*ward: bad.example:22 is refused by '
            rb'"deny bad.example".*not this')
    size, padding = struct.unpack(">IB", told[14:19])
    tap.row(len(told) == 14 + 4 + size and (4 + size) % 8 == 0 and
            padding >= 4 and told[19] == 1, "in a whole packet", told)
    e.stop()

    e = Egress(world, policy, steered=80)
    for host, want in (("host.example", rb"^HTTP/1.1 200 .*\r\n\r\nhello$"),
                       ("HOST.example:80", rb"^HTTP/1.1 200 "),
                       ("other.example", rb"^HTTP/1.1 421 "),
                       ("host.example:81", rb"^HTTP/1.1 421 ")):
        sock = e.steer("host.example")
        sock.sendall(f"GET /x HTTP/1.1\r\nHost: {host}\r\n"
                     "Connection: close\r\n\r\n".encode())
        tap.has(f"port 80, Host {host}", read_all(sock), want)
    sock = e.steer("host.example")
    sock.sendall(b"GET /1 HTTP/1.1\r\nHost: host.example\r\n\r\n"
                 b"GET /2 HTTP/1.1\r\nHost: evil.example\r\n"
                 b"Connection: close\r\n\r\n")
    tap.has("port 80, a second request to another host", read_all(sock),
            rb"^HTTP/1.1 200 .*hello.*HTTP/1.1 421 .*evil")
    sock = e.steer("host.example")
    sock.sendall(b"\r\nGET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
    tap.has("port 80, what is neither HTTP nor TLS", read_all(sock),
            rb"^HTTP/1.1 421 .*neither")
    sock = e.steer("bad.example")
    sock.sendall(b"GET / HTTP/1.1\r\nHost: bad.example\r\n\r\n")
    tap.has("port 80, refused", read_all(sock), rb"^HTTP/1.1 403 .*not this")
    e.stop()


def answer(connection):
    while True:
        head = read_head(connection)
        if not head:
            return
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")


def test_spent(world):
    """As many names as there are addresses, and one more."""
    e = Egress(world, pack(), steered=443)
    sock = socket.create_connection(e.dns_tcp, 30)
    code, asked = 0, 0
    while code == 0 and asked < 40000:
        batch = b""
        for _ in range(200):
            label = f"n{asked}".encode()
            query = (struct.pack(">HHHHHH", 1, 0x100, 1, 0, 0, 0) +
                     bytes([len(label)]) + label + b"\0\0\1\0\1")
            batch += struct.pack(">H", len(query)) + query
            asked += 1
        sock.sendall(batch)
        for _ in range(200):
            size = struct.unpack(">H", exactly(sock, 2))[0]
            code = max(code, exactly(sock, size)[3] & 15)
    tap.row(code == 2 and asked > 32768, "when all are spent: SERVFAIL",
            (code, asked))
    tap.has("and a row", (e.event(cause="spent") or {}).get("said"),
            "looked up as many names")
    tap.equal("what was given still stands", e.ask_dns("n0")[0], 0)
    tap.row(e.rss() < 24 * 1024, "in bounded memory", e.rss())
    e.stop()


def main():
    world = World({"host.example": f"{HOST_NET} {HOST_SIX}",
                   "bad.example": HOST_NET})
    world.serve(443, echo)
    world.serve(443, echo, family=socket.AF_INET6)
    world.serve(22, lambda c: c.sendall(b"SSH-2.0-real\r\n"))
    world.serve(80, answer)
    world.serve(80, answer, family=socket.AF_INET6)
    e = Egress(world, pack(allow=["host.example"]), steered=443)
    test_dns(e)
    e.stop()
    test_steered(world)
    test_spent(world)
    tap.end()


if __name__ == "__main__":
    os.chdir("/")
    main()
