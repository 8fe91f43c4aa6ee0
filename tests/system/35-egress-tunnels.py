#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# The egress program's tunnels, for 35-egress-tunnels.sh: CONNECT, SOCKS and
# connections that know nothing of a proxy, and how each is refused.

import os
import socket
import struct

from egress_world import (ALERT, FILE, HOST_NET, HOST_SIX, NEAR, Egress, World,
                          echo, exactly, hello, pack, read_all, read_head, tap)


def connect(egress, host, more=b"", header=""):
    sock = egress.connect()
    sock.sendall(f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n{header}\r\n"
                 .encode() + more)
    return sock


def socks5(address, port, command=1):
    kind, data = address
    return (b"\x05\x01\x00", b"\x05" + bytes([command]) + b"\x00" +
            bytes([kind]) + data + struct.pack(">H", port))


def name5(name):
    return 3, bytes([len(name)]) + name.encode()


def ask5(egress, address, port, command=1, slow=False):
    """The reply's code, and the connection."""
    greeting, request = socks5(address, port, command)
    sock = egress.connect()
    for part in (greeting, request):
        if slow:
            for byte in part:
                sock.sendall(bytes([byte]))
        else:
            sock.sendall(part)
        if part is greeting and exactly(sock, 2) != b"\x05\x00":
            return None, sock
    return exactly(sock, 10)[1], sock


def test_connect(e):
    sock = connect(e, "host.example:9000", b"early")
    tap.has("CONNECT to an allowed host", read_head(sock), rb"^HTTP/1.1 200 ")
    tap.equal("what came with CONNECT is not lost", exactly(sock, 5), b"early")
    sock.sendall(b"more")
    tap.equal("bytes flow", exactly(sock, 4), b"more")
    sock.shutdown(socket.SHUT_WR)
    tap.equal("one side ends, then the other", sock.recv(9), b"")
    closed = e.event(kind="closed", host="host.example") or {}
    tap.equal("its end tells the bytes", (closed.get("up"),
              closed.get("down")), (9, 9))
    tap.equal("and the rule", (closed.get("file"), closed.get("line"),
              closed.get("rule")), (FILE, 1, "host.example:9000"))
    tap.row(closed.get("dialled") in ((HOST_NET, 9000), (HOST_SIX, 9000)),
            "and where it led", closed)

    sock = connect(e, "host.example:9001")
    head = read_all(sock)
    tap.has("a host that speaks and ends", head, rb"200 .*\r\n\r\nbanner$")

    for host, said in (
            ("other.example:9000", rb"403 .*no rule allows it"),
            ("HOST.example.:9000", rb"200 "),
            ("bad.example:9000", rb'403 .*"deny bad.example" \(/etc/ward'),
            ("because.example:1", rb"403 .*use the mirror"),
            ("host.example:9009", rb"502 .*cannot be reached: Connection ref"),
            ("nowhere.example:9000", rb"502 .*its name has no address"),
            ("a..b:1", rb"403 .*names no host"),
            ("host.example", rb"400 "),
            ("host.example:0", rb"400 "),
            ("host.example:70000", rb"400 "),
            ("user@host.example:9000", rb"400 ")):
        sock = connect(e, host)
        tap.has(f"CONNECT {host}", (read_head if b"200" in said
                                    else read_all)(sock), said)
    tap.has("the rule is in a header",
            read_all(connect(e, "bad.example:9000")),
            rb"X-Ward-Rule: " + FILE.encode() + rb":100: deny bad.example\r\n")


def test_rebinding(e):
    for name, said in (("loop.example", "a loopback address"),
                       ("meta.example", "metadata"),
                       ("link.example", "link-local"),
                       ("own.example", "own"),
                       ("mixed.example", "")):
        sock = connect(e, name + ":9000")
        sock.settimeout(10)
        if name == "mixed.example":
            tap.has("of several addresses only the good ones are dialled",
                    read_head(sock), rb"200 ")
            seen = e.event(kind="opened", host=name) or {}
            tap.equal("mixed.example led there", seen.get("dialled"),
                      (HOST_NET, 9000))
        else:
            tap.has(f"{name} is refused", read_all(sock), rb"403 .*" +
                    said.encode())
    code, _ = ask5(e, name5("loop.example"), 9000)
    tap.equal("over SOCKS too", code, 2)


def test_socks(e):
    for name, address, port, want in (
            ("a name", name5("host.example"), 9000, 0),
            ("an address", (1, socket.inet_aton(HOST_NET)), 9000, 0),
            ("an IPv6 address",
             (4, socket.inet_pton(socket.AF_INET6, HOST_SIX)), 9000, 0),
            ("what no rule names", name5("other.example"), 9000, 2),
            ("an address that no rule names", (1, b"\x08\x08\x08\x08"), 53, 2),
            ("a name with NUL", name5("host.example\0.x"), 9000, 2),
            ("nobody listens", name5("host.example"), 9009, 5),
            ("no such name", name5("nowhere.example"), 9000, 4)):
        code, sock = ask5(e, address, port)
        tap.equal(f"SOCKS 5: {name}", code, want)
        if code == 0:
            sock.sendall(b"ping")
            tap.equal(f"SOCKS 5: {name}: bytes", exactly(sock, 4), b"ping")
    tap.equal("SOCKS 5: UDP ASSOCIATE", ask5(e, name5("host.example"), 9000,
              3)[0], 7)
    tap.equal("SOCKS 5: byte by byte",
              ask5(e, name5("host.example"), 9000, slow=True)[0], 0)
    sock = e.connect()
    sock.sendall(b"\x05\x01\x02")
    tap.equal("SOCKS 5: a secret is wanted", sock.recv(2), b"\x05\xff")
    for name, request, want in (
            ("an address", b"\x04\x01" + struct.pack(">H", 9000) +
             socket.inet_aton(HOST_NET) + b"me\0", 90),
            ("4a, a name", b"\x04\x01" + struct.pack(">H", 9000) +
             b"\0\0\0\x01me\0host.example\0", 90),
            ("4a, refused", b"\x04\x01" + struct.pack(">H", 9000) +
             b"\0\0\0\x01\0other.example\0", 91)):
        sock = e.connect()
        for byte in request:
            sock.sendall(bytes([byte]))
        tap.equal(f"SOCKS 4: {name}", exactly(sock, 8)[1], want)


def test_names(e):
    """What is asked for inside a tunnel is what was asked for."""
    for how, name, sni, passes in (
            ("CONNECT", "tls.example", "tls.example", True),
            ("CONNECT", "tls.example", "TLS.Example", True),
            ("CONNECT", "tls.example", None, True),
            ("CONNECT", "tls.example", "other.example", False),
            ("CONNECT", "tls.example", "host.example", False),
            ("CONNECT", HOST_NET, "tls.example", True),
            ("CONNECT", HOST_NET, "other.example", False)):
        data = hello(sni)
        sock = connect(e, f"{name}:443", data[:20])
        read_head(sock)
        sock.sendall(data[20:])
        if passes:
            tap.equal(f"{name} and SNI {sni} pass", exactly(sock, len(data)),
                      data)
        else:
            tap.equal(f"{name} and SNI {sni}: access_denied", read_all(sock),
                      ALERT)
    seen = e.event(kind="refused", cause="name") or {}
    tap.has("which a row tells", seen.get("said"), "other.example")
    sock = connect(e, "tls.example:443", b"\x16\x03\x01\xff\xff" + bytes(9))
    read_head(sock)
    tap.equal("what begins as TLS and is none", read_all(sock),
              ALERT)


def test_upstream(world):
    """Behind a proxy, which resolves; and what is dialled without it."""
    def proxy(connection):
        head = read_head(connection)
        if b"CONNECT far.example:9000 HTTP/1.1\r\n" not in head:
            connection.sendall(b"HTTP/1.1 503 no way\r\n\r\n")
            return
        connection.sendall(b"HTTP/1.1 200 fine\r\n\r\nfirst")
        echo(connection)
    world.serve(3128, proxy)
    e = Egress(world, pack(allow=["far.example", "no.example:9000",
                                  "host.example"],
                           upstream=("proxy.example", 3128),
                           no_proxy=["host.example"]), steered=443)
    sock = connect(e, "far.example:9000")
    read_head(sock)
    tap.equal("by way of the upstream proxy", exactly(sock, 5), b"first")
    sock.sendall(b"x")
    tap.equal("bytes flow through it", exactly(sock, 1), b"x")
    tap.has("it may refuse", read_all(connect(e, "no.example:9000")),
            rb"502 .*upstream proxy .*503 no way")
    sock = connect(e, "host.example:9000", b"z")
    read_head(sock)
    tap.equal("no_proxy goes without it", exactly(sock, 1), b"z")
    seen = e.event(kind="opened", host="host.example") or {}
    tap.equal("straight there", seen.get("dialled", (0, 0))[1], 9000)
    e.stop()


def test_live(e, policy):
    old = connect(e, "host.example:9000")
    read_head(old)
    tap.equal("new rules are taken", e.policy(pack(allow=["x.example"]), 7),
              (7, 0))
    tap.has("they hold for what is new",
            read_all(connect(e, "host.example:9000")), rb"403 ")
    old.sendall(b"still")
    tap.equal("and not for what is there", exactly(old, 5), b"still")
    serial, error = e.policy(b"WNET\x01")
    tap.row(serial == 1 and error != 0, "bad rules are not taken")
    tap.has("and change nothing", read_all(connect(e, "host.example:9000")),
            rb"403 ")
    grant = (5, 1 << 40, "host.example:9000")
    e.policy(pack(grants=[grant, (6, 1, "bad.example")]))
    tap.has("a grant", read_head(connect(e, "host.example:9000")), rb"200 ")
    tap.has("one that is over", read_all(connect(e, "bad.example:1")),
            rb"403 ")
    e.policy(pack(ask=True))
    tap.has("what may be asked for", read_all(connect(e, "q.example:1")),
            rb"403 .*a request was filed")
    tap.equal("is told so", (e.event(host="q.example") or {}).get("ask"), 1)
    e.policy(policy)


def main():
    world = World({
        "host.example": f"{HOST_NET} {HOST_SIX}",
        "tls.example": HOST_NET, "bad.example": HOST_NET,
        "proxy.example": HOST_NET,
        "loop.example": "127.0.0.1 ::1", "meta.example": "169.254.169.254",
        "link.example": "169.254.1.1", "own.example": f"{NEAR} fd77::1",
        "mixed.example": f"127.0.0.1 {HOST_NET}",
    })
    world.serve(9000, echo)
    world.serve(9000, echo, family=socket.AF_INET6)
    world.serve(443, echo)
    world.serve(9001, lambda c: c.sendall(b"banner"))
    policy = pack(
        allow=["host.example:9000", "host.example:9001", "host.example:9009",
               HOST_NET, "[" + HOST_SIX + "]:9000", "tls.example:443",
               "loop.example", "meta.example", "link.example", "own.example",
               "mixed.example", "nowhere.example", "bad.example"],
        deny=["bad.example"],
        reasons=[("because.example", "use the mirror")])
    e = Egress(world, policy, steered=443)
    tap.equal("it starts", e.started, (0, 0))
    test_connect(e)
    test_rebinding(e)
    test_socks(e)
    test_names(e)
    test_live(e, policy)
    tap.equal("it ends with the warden's socket", e.stop(), 0)
    test_upstream(world)
    tap.end()


if __name__ == "__main__":
    os.chdir("/")
    main()
