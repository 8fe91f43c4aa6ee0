#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# The egress program among clients and hosts that mean it no good, for
# 35-egress-hostile.sh: what it may do itself, and what it holds on to.

import hashlib
import os
import re
import resource
import signal
import socket
import threading
import time

from egress_world import (HOST_NET, USER, Egress, World, echo, pack, read_all,
                          read_head, tap, wait_for)

SIZE = 256 << 20
PART = os.urandom(1 << 20)
HALF_OPEN = 10000
# Descriptors of the slow clients.
KEPT = 5


def connect(e, host="host.example:9000", timeout=20):
    sock = e.connect(timeout)
    sock.sendall(f"CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return sock


def tunnel(e, host="host.example:9000", timeout=20):
    sock = connect(e, host, timeout)
    head = read_head(sock)
    return sock if b" 200 " in head else None


def works(e):
    sock = tunnel(e)
    if sock is None:
        return False
    sock.sendall(b"x")
    good = sock.recv(1) == b"x"
    sock.close()
    return good


def status(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        return dict(re.findall(r"^(\w+):[ \t]*(.*?)[ \t]*$", f.read(), re.M))


def test_sealed(world, e):
    for name, pid in (("egress", e.pid), ("resolver", e.resolver())):
        got = status(pid)
        tap.equal(f"{name}: a filter, and no privileges to gain",
                  (got["Seccomp"], got["NoNewPrivs"]), ("2", "1"))
        tap.equal(f"{name}: no capability",
                  {got[c] for c in ("CapInh", "CapPrm", "CapEff", "CapAmb")},
                  {"0" * 16})
        tap.equal(f"{name}: no uid or gid but its own",
                  (set(got["Uid"].split()), set(got["Gid"].split()),
                   got["Groups"]), ({str(USER)}, {str(USER)}, ""))
        tap.equal(f"{name}: not dumpable", os.stat(f"/proc/{pid}/mem").st_uid,
                  0)
        with open(f"/proc/{pid}/environ", "rb") as f:
            tap.equal(f"{name}: no environment", f.read(), b"")
    links = [os.readlink(f"/proc/{e.resolver()}/fd/{fd}")
             for fd in os.listdir(f"/proc/{e.resolver()}/fd")]
    tap.row(sum(link.startswith("socket:") for link in links) == 1,
            "the resolver holds one socket, and no listener", links)
    r = Egress(world, pack(), steered=444, uid=0)
    tap.equal("as root it refuses to serve", r.started, (0, 1))
    r.stop()
    r = Egress(world, b"nonsense" * 9, steered=444)
    tap.row(r.started and r.started[1] != 0, "nor without good rules",
            r.started)
    r.stop()


def test_exact(e):
    sock = tunnel(e, "host.example:9002", 60)
    want, got = hashlib.sha256(), hashlib.sha256()

    def send():
        for _ in range(SIZE // len(PART)):
            sock.sendall(PART)
        sock.shutdown(socket.SHUT_WR)
    sender = threading.Thread(target=send)
    sender.start()
    for _ in range(SIZE // len(PART)):
        want.update(PART)
    n = 0
    while True:
        data = sock.recv(1 << 20)
        if not data:
            break
        got.update(data)
        n += len(data)
    sender.join()
    tap.equal("256 MiB there and back are the same", (n, got.digest()),
              (SIZE, want.digest()))
    closed = e.event(kind="closed", port=9002) or {}
    tap.equal("and all of them counted", (closed.get("up"),
              closed.get("down")), (SIZE, SIZE))


def test_aborts(e, held):
    before = e.first_fds + KEPT
    socks = [tunnel(e, "host.example:9003") for _ in range(20)]
    wait_for(lambda: len(held) == 20)
    for sock in socks[:10]:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                        b"\1\0\0\0\0\0\0\0")
    for sock in socks:
        sock.close()
    def gone(connection):
        try:
            connection.settimeout(5)
            return connection.recv(1) == b""
        except ConnectionResetError:
            return True
        except OSError:
            return False
        finally:
            connection.close()
    tap.row(all(gone(c) for c in held), "a host sees at once that its client "
            "went away")
    held.clear()
    tap.row(wait_for(lambda: e.n_fds() <= before), "and both are freed",
            (before, e.list_fds()))
    # while it is looked for: nobody answers at this address
    sock = connect(e, "dead.example:9000")
    sock.close()
    tap.row(wait_for(lambda: e.event(kind="failed", host="dead.example")),
            "and so does one that does not wait for an answer")

    # a host that is not read from, and one that floods
    sock = tunnel(e, "host.example:9004")
    rss = e.rss()
    time.sleep(0.5)
    tap.row(e.rss() - rss < 2048, "a client that does not read costs nothing",
            (rss, e.rss()))
    tap.row(works(e), "and holds up nobody")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    sock.close()
    tap.row(wait_for(lambda: e.n_fds() <= before),
            "its reset is seen all the same", (before, e.n_fds()))


def test_eyeballs(e):
    start = time.monotonic()
    sock = tunnel(e, "eyes.example:9000")
    took = time.monotonic() - start
    tap.row(sock is not None and 0.2 < took < 2.5,
            "an address that does not answer delays by a quarter second", took)


def test_floods(world):
    e = Egress(world, pack(allow=["host.example"]), connections=200,
               steered=446, rate=20000)
    old = tunnel(e)
    idle = []
    resource.setrlimit(resource.RLIMIT_NOFILE, (HALF_OPEN + 1000,) * 2)
    for _ in range(HALF_OPEN):
        idle.append(socket.create_connection(e.proxy, 20))
    tap.row(works(e), f"{HALF_OPEN} half-open connections keep nobody out")
    old.sendall(b"x")
    tap.equal("nor end what is there", old.recv(1), b"x")
    tap.row(e.n_fds() < 700, "and are bounded", e.n_fds())
    tap.has("a row says why they ended",
            (e.event(cause="limit") or {}).get("said"), "too many connections")
    for sock in idle:
        sock.close()
    wait_for(lambda: e.n_fds() <= e.first_fds + KEPT + 2)
    full = [tunnel(e) for _ in range(199)]
    more = e.connect(1)
    tap.row(None not in full and wait_for(lambda: e.rss() < 16384),
            "as many as it may have")
    full.pop().close()
    more.settimeout(20)
    more.sendall(b"CONNECT host.example:9000 HTTP/1.1\r\n"
                 b"Host: host.example:9000\r\n\r\n")
    tap.has("one more has its turn when another ends", read_head(more),
            rb" 200 ")
    e.stop()

    e = Egress(world, pack(allow=["host.example"]), nofile=90, steered=447)
    idle = [socket.create_connection(e.proxy, 20) for _ in range(300)]
    tap.row(works(e), "with few descriptors it serves")
    for sock in idle:
        sock.close()
    tap.row(works(e), "and goes on")
    before = cpu(e)
    time.sleep(0.5)
    tap.row(cpu(e) - before <= 5, "without a busy loop", cpu(e) - before)
    e.stop()

    e = Egress(world, pack(), rate=40, steered=448)
    start = time.monotonic()
    for _ in range(80):
        read_all(connect(e, "other.example:1"))
    took = time.monotonic() - start
    tap.row(0.8 < took < 8, "80 at 40 a second take their time", took)
    e.stop()


def cpu(e):
    with open(f"/proc/{e.pid}/stat", encoding="ascii") as f:
        fields = f.read().rsplit(") ", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_slow(e):
    """Each is closed by itself, in the time that a head may take."""
    socks = []
    for first in (b"", b"G", b"GET http://host.example/ HTTP/1.1\r\nX: ",
                  b"\x05\x01", b"\x04\x01"):
        sock = e.connect(20)
        if first:
            sock.sendall(first)
        socks.append(sock)
    start, took = time.monotonic(), [None] * len(socks)

    def drip(i, sock):
        sock.settimeout(0.5)
        while True:
            try:
                if sock.recv(99) == b"":
                    break
            except socket.timeout:
                pass
            except OSError:
                break
            try:
                if i > 0:
                    sock.sendall(b"a")
            except OSError:
                break
        took[i] = time.monotonic() - start
    threads = [threading.Thread(target=drip, args=pair, daemon=True)
               for pair in enumerate(socks)]
    for thread in threads:
        thread.start()
    return threads, took


def finish_slow(threads, took):
    for thread in threads:
        thread.join(20)
    for name, seconds in zip(("says nothing", "drips HTTP", "drips a header",
                              "drips SOCKS 5", "drips SOCKS 4"), took):
        tap.row(seconds is not None and seconds < 20,
                f"a client that {name} is closed", took)


def test_growth(e):
    for _ in range(50):
        works(e)
    wait_for(e.settled_fds)
    rss, fds = e.rss(), e.n_fds()
    for i in range(600):
        read_all(connect(e, f"n{i}.other.example:1"))
        if i % 3 == 0:
            works(e)
    tap.row(e.rss() - rss < 512, "800 connections later: the same memory",
            (rss, e.rss()))
    tap.row(wait_for(lambda: e.n_fds() <= fds + 2), "and descriptors",
            (fds, e.n_fds()))


def test_ends(world):
    e = Egress(world, pack(allow=["host.example"]), steered=449,
               read_events=False)
    for _ in range(2000):
        read_all(connect(e, "other.example:1"))
    tap.row(works(e), "a warden that reads no events holds up nobody")
    e.read_events()
    dropped = e.event(kind="dropped") or {}
    tap.row(dropped.get("count", 0) > 0, "what found no room is counted",
            dropped)
    refused = sum(1 for x in e.seen if x["kind"] == "refused")
    told = sum(x["count"] for x in e.seen if x["kind"] == "dropped")
    tap.equal("and nothing else is lost",
              wait_for(lambda: refused + told >= 2000), True)
    os.kill(e.resolver(), signal.SIGKILL)
    tap.equal("without its resolver it ends", e.wait(), 0)


def flood(connection):
    while True:
        connection.sendall(PART)


def hold(held):
    def handle(connection):
        held.append(connection)
        threading.Event().wait(30)
    return handle


def main():
    world = World({"host.example": HOST_NET, "dead.example": "10.77.0.99",
                   "eyes.example": f"10.77.0.3 {HOST_NET}"})
    held = []
    world.serve(9000, echo)
    world.serve(9002, echo)
    world.serve(9003, hold(held))
    world.serve(9004, flood)
    e = Egress(world, pack(allow=["host.example", "dead.example",
                                  "eyes.example"]), steered=443)
    slow = test_slow(e)
    test_sealed(world, e)
    test_exact(e)
    test_aborts(e, held)
    test_eyeballs(e)
    test_floods(world)
    finish_slow(*slow)
    test_growth(e)
    tap.equal("it ends as it should", e.stop(), 0)
    test_ends(world)
    tap.end()


if __name__ == "__main__":
    os.chdir("/")
    main()
