#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# The egress program's plain HTTP, for 35-egress-http.sh: requests that name a
# whole URL, what goes on of them, and what could be read in two ways.

import hashlib
import os
import re
import threading

from egress_world import (HOST_NET, Egress, World, exactly, pack, read_all,
                          read_head, tap)


class Origin:
    """A server that keeps what it was sent, and answers by path."""

    def __init__(self):
        self.connections, self.heads, self.bodies = 0, [], []

    def body(self, connection, head):
        low = head.lower()
        if b"transfer-encoding: chunked" in low:
            out = b""
            while True:
                line = b""
                while not line.endswith(b"\r\n"):
                    line += connection.recv(1)
                data = exactly(connection, int(line, 16) + 2)[:-2]
                if not data:
                    return out
                out += data
        for line in low.split(b"\r\n"):
            if line.startswith(b"content-length:"):
                return exactly(connection, int(line[15:]))
        return b""

    def __call__(self, connection):
        self.connections += 1
        while True:
            head = read_head(connection)
            if not head:
                return
            self.heads.append(head)
            if b"expect: 100-continue" in head.lower():
                connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            path = head.split(b" ")[1]
            if path == b"/early":  # what comes is not read, so it is reset
                connection.sendall(b"HTTP/1.1 413 Too Large\r\n"
                                   b"Content-Length: 0\r\n\r\n")
                return
            self.bodies.append(self.body(connection, head))
            if not self.answer(connection, path, head):
                return

    @staticmethod
    def answer(connection, path, head):
        ok = b"HTTP/1.1 200 OK\r\n"
        if path == b"/chunked":
            connection.sendall(ok + b"Transfer-Encoding: chunked\r\n\r\n"
                               b"3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nT: 1\r\n\r\n")
        elif path == b"/end":
            connection.sendall(ok + b"\r\nto the end")
            return False
        elif path == b"/big":
            connection.sendall(ok + b"Content-Length: 8388608\r\n\r\n")
            for i in range(128):
                connection.sendall(bytes([i]) * 65536)
        elif path == b"/204":
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")
        elif path == b"/304":
            connection.sendall(b"HTTP/1.1 304 Not Modified\r\n"
                               b"Content-Length: 5\r\n\r\n")
        elif path == b"/hop":
            connection.sendall(ok + b"Connection: X-Hop, close\r\nX-Hop: 1\r\n"
                               b"Keep-Alive: 5\r\nX-End: 2\r\n"
                               b"Content-Length: 0\r\n\r\n")
            return False
        elif path == b"/cut":
            connection.sendall(ok + b"Content-Length: 50\r\n\r\nhalf")
            return False
        elif path == b"/silent":
            return False
        elif path == b"/bad":
            connection.sendall(b"HTTP/1.1 200 OK\nX: y\n\nhello")
            return False
        elif path == b"/two-lengths":
            connection.sendall(ok + b"Content-Length: 1\r\n"
                               b"Content-Length: 2\r\n\r\nab")
            return False
        elif path == b"/upgrade":
            connection.sendall(b"HTTP/1.1 101 Switching Protocols\r\n"
                               b"Connection: Upgrade\r\nUpgrade: raw\r\n\r\n>")
            connection.sendall(exactly(connection, 4))
            return False
        elif head.startswith(b"HEAD "):
            connection.sendall(ok + b"Content-Length: 5\r\n\r\n")
        else:
            connection.sendall(ok + b"Content-Length: 5\r\n\r\nhello")
        return True


def request(url, method="GET", fields="", version="1.1", host=None):
    if host is None:
        host = url.split("/")[2] if "://" in url else "host.example"
    return (f"{method} {url} HTTP/{version}\r\nHost: {host}\r\n{fields}\r\n"
            .encode())


def ask(egress, data):
    """All that comes of it, with the connection closed after."""
    sock = egress.connect()
    sock.sendall(data)
    return read_all(sock)


CLOSE = "Connection: close\r\n"
URL = "http://host.example"


def test_messages(e, origin):
    out = ask(e, request(URL + "/a?b=c", fields=CLOSE + "X: y\r\n"
                         "Proxy-Connection: keep-alive\r\nX-Mine: 1\r\n"))
    tap.has("a request", out, rb"^HTTP/1.1 200 OK\r\n.*\r\n\r\nhello$")
    head = origin.heads[-1]
    tap.has("goes on for its path, with its Host", head,
            rb"^GET /a\?b=c HTTP/1.1\r\nHost: host.example\r\n")
    tap.row(b"X: y\r\n" in head and b"roxy-" not in head and
            b"onnection" not in head,
            "without what is between client and proxy", head)
    ask(e, request(URL, fields=CLOSE + "Connection: X-Mine\r\nX-Mine: 1\r\n"))
    tap.row(b"X-Mine" not in origin.heads[-1] and
            origin.heads[-1].startswith(b"GET / "),
            "nor what Connection lists", origin.heads[-1])
    for path, method, want in (
            ("/chunked", "GET", rb"chunked.*\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0"
             rb"\r\n\r\n$"),
            ("/end", "GET", rb"chunked.*\r\n\r\na\r\nto the end\r\n0\r\n\r\n$"),
            ("/204", "GET", rb"^HTTP/1.1 204 [^\n]*\n.*\r\n\r\n$"),
            ("/304", "GET", rb"^HTTP/1.1 304 .*Length: 5\r\n.*\r\n\r\n$"),
            ("/x", "HEAD", rb"^HTTP/1.1 200 .*Length: 5\r\n.*\r\n\r\n$"),
            ("/cut", "GET", rb"half<ConnectionResetError>$"),
            ("/silent", "GET", rb"^HTTP/1.1 502 "),
            ("/bad", "GET", rb"^HTTP/1.1 502 "),
            ("/two-lengths", "GET", rb"^HTTP/1.1 502 ")):
        tap.has(f"{method} {path}",
                ask(e, request(URL + path, method, CLOSE)), want)
    out = ask(e, request(URL + "/chunked", version="1.0"))
    tap.has("for HTTP/1.0 to the end", out, rb"\r\n\r\nabcdefg$")
    out = ask(e, request(URL + "/hop", fields=CLOSE))
    tap.row(b"X-Hop" not in out and b"Keep-Alive" not in out and
            b"X-End: 2\r\n" in out, "and back", out)
    out = ask(e, request(URL + "/big", fields=CLOSE))
    want = b"".join(bytes([i]) * 65536 for i in range(128))
    tap.equal("8 MiB are the same", hashlib.sha256(
        out.split(b"\r\n\r\n", 1)[1]).digest(), hashlib.sha256(want).digest())
    sock = e.connect()
    sock.sendall(request(URL + "/upgrade",
                         fields="Connection: Upgrade\r\nUpgrade: raw\r\n"))
    tap.has("an upgrade is a tunnel", read_head(sock), rb"^HTTP/1.1 101 .*raw")
    tap.equal("the host's bytes come", exactly(sock, 1), b">")
    sock.sendall(b"ping")
    tap.equal("and go", exactly(sock, 4), b"ping")


def test_bodies(e, origin):
    data = os.urandom(3 << 20)
    sock = e.connect()
    sock.sendall(request(URL + "/up", "POST",
                         f"Content-Length: {len(data)}\r\n" + CLOSE) + data)
    tap.has("3 MiB up", read_all(sock), rb"hello$")
    tap.row(origin.bodies[-1] == data, "are the same")
    sock = e.connect()
    sock.sendall(request(URL + "/early", "POST",
                         f"Content-Length: {len(data)}\r\n" + CLOSE))
    try:
        sock.sendall(data)
    except OSError:
        pass
    tap.has("a host that answers before it has heard all", read_head(sock),
            rb"^HTTP/1.1 413 ")
    sock = e.connect()
    sock.sendall(request(URL + "/up", "POST",
                         "Transfer-Encoding: chunked\r\n" + CLOSE))
    for part in (b"5\r\nabcde\r\n", b"1", b"0\r\n", b"0123456789abcdef\r\n",
                 b"0\r\n", b"\r\n"):
        sock.sendall(part)
    tap.has("chunks up", read_all(sock), rb"hello$")
    tap.equal("in pieces", origin.bodies[-1], b"abcde0123456789abcdef")
    sock = e.connect()
    sock.sendall(request(URL + "/up", "POST", "Content-Length: 4\r\n"
                         "Expect: 100-continue\r\n" + CLOSE))
    tap.has("100-continue", read_head(sock), rb"^HTTP/1.1 100 ")
    sock.sendall(b"body")
    tap.has("and then the answer", read_all(sock), rb"hello$")


def test_kept(e, origin):
    before = origin.connections
    sock = e.connect()
    for i in range(20):
        sock.sendall(request(URL + f"/{i}"))
        read_head(sock)
        exactly(sock, 5)
    tap.equal("twenty requests over one connection",
              origin.connections - before, 1)
    sock.sendall(request("http://other.example/"))
    head = read_head(sock)
    tap.has("the next, to another host, is decided anew", head,
            rb"^HTTP/1.1 403 .*other.example")
    size = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    exactly(sock, size)
    sock.sendall(request(URL + "/more"))
    tap.has("and the one after it goes", read_head(sock), rb"^HTTP/1.1 200 ")
    exactly(sock, 5)
    e.policy(pack(allow=["x.example"]))
    sock.sendall(request(URL + "/more"))
    tap.has("new rules hold for the next request", read_head(sock),
            rb"^HTTP/1.1 403 ")
    sock.close()
    closed = e.event(kind="closed", front="http", count=20)
    tap.row(closed, "a row counts the requests", e.seen[-3:])
    e.policy(pack(allow=["host.example"]))
    out = ask(e, request(URL + "/1") + request("http://other.example/2") +
              request(URL + "/3", fields=CLOSE))
    tap.equal("pipelined, one after the other",
              re.findall(rb"HTTP/1.1 (\d+)", out) + [out.count(b"hello")],
              [b"200", b"403", b"200", 2])
    sock = e.connect()
    sock.sendall(request(URL + "/end"))
    read_head(sock)
    exactly(sock, 15 + 5)
    sock.sendall(request(URL + "/again", fields=CLOSE))
    tap.has("a host that closed is dialled again", read_all(sock),
            rb"HTTP/1.1 200 .*hello$")


CHUNKED = "Transfer-Encoding: chunked\r\n"

# Each must end with 400, and nothing of it may reach the host.
SMUGGLING = (
    ("CL and TE", "Content-Length: 4\r\n" + CHUNKED),
    ("TE and CL", CHUNKED + "Content-Length: 4\r\n"),
    ("two CL", "Content-Length: 4\r\nContent-Length: 5\r\n"),
    ("two CL, the same", "Content-Length: 4\r\nContent-Length: 4\r\n"),
    ("a list of CL", "Content-Length: 4, 4\r\n"),
    ("CL with a sign", "Content-Length: +4\r\n"),
    ("CL in hex", "Content-Length: 0x4\r\n"),
    ("CL too long", "Content-Length: 99999999999999999999\r\n"),
    ("two TE", CHUNKED + CHUNKED),
    ("TE of two codings", "Transfer-Encoding: gzip, chunked\r\n"),
    ("TE that ends in another", "Transfer-Encoding: chunked, gzip\r\n"),
    ("TE unknown", "Transfer-Encoding: xchunked\r\n"),
    ("TE with a tab", "Transfer-Encoding:\tchunked, identity\r\n"),
    ("a space before the colon", "Transfer-Encoding : chunked\r\n"),
    ("a folded line", "X: a\r\n b\r\n"),
    ("a folded TE", "Transfer-Encoding:\r\n chunked\r\n"),
    ("LF alone", "X: a\nTransfer-Encoding: chunked\r\n"),
    ("CR alone", "X: a\rTransfer-Encoding: chunked\r\n"),
    ("NUL", "X: a\0b\r\n"),
    ("no name", ": a\r\n"),
    ("no colon", "X\r\n"),
    ("two Host", "Host: other.example\r\n"),
)


def test_smuggling(e, origin):
    before = len(origin.heads)
    for name, fields in SMUGGLING:
        tap.has(f"smuggling: {name}",
                ask(e, request(URL + "/s", "POST", fields) + b"4\r\n"),
                rb"^HTTP/1.1 400 ")
    for name, data in (
            ("Host of another", request(URL + "/", host="other.example")),
            ("Host with another port", request(URL, host="host.example:81")),
            ("no Host", b"GET http://host.example/ HTTP/1.1\r\n\r\n"),
            ("TE in 1.0", request(URL, "POST", CHUNKED, "1.0")),
            ("no URL", request("/")),
            ("https", request("https://host.example/")),
            ("a user", request("http://host.example@other.example/")),
            ("a fragment", request(URL + "/#x")),
            ("HTTP/2.0", request(URL, version="2.0")),
            ("HTTP/0.9", b"GET http://host.example/\r\n\r\n"),
            ("an empty line first", b"\r\n" + request(URL)),
            ("no method", b" " + request(URL)),
            ("no HTTP", b"hello there\r\n\r\n"),
            ("CONNECT with a body",
             request("host.example:80", "CONNECT", "Content-Length: 4\r\n"))):
        tap.has(f"strict: {name}", ask(e, data), rb"^HTTP/1.1 400 ")
    tap.has("a giant head", ask(e, request(
        URL, fields="X: " + "y" * 20000 + "\r\n")), rb"^HTTP/1.1 431 ")
    tap.has("too many fields", ask(e, request(
        URL, fields="X: y\r\n" * 200)), rb"^HTTP/1.1 431 ")
    tap.equal("nothing of all that got there", len(origin.heads), before)
    tap.has("and it serves on", ask(e, request(URL, fields=CLOSE)),
            rb"hello$")
    for chunk in (b"zz\r\n", b"fffffffffffffffff\r\n", b"-1\r\n"):
        out = ask(e, request(URL + "/s", "POST", CHUNKED) + chunk + b"x" * 99)
        tap.row(b" 200 " not in out, f"a chunk of {chunk!r}", out)


def main():
    world = World({"host.example": HOST_NET, "other.example": HOST_NET})
    origin = Origin()
    world.serve(80, origin)
    e = Egress(world, pack(allow=["host.example"]), steered=443)
    test_messages(e, origin)
    test_bodies(e, origin)
    test_kept(e, origin)
    test_smuggling(e, origin)
    tap.equal("no descriptor is left behind", e.settled_fds(), True)
    tap.equal("it ends as it should", e.stop(), 0)
    tap.end()


if __name__ == "__main__":
    os.chdir("/")
    threading.stack_size(256 * 1024)
    main()
