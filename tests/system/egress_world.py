# SPDX-License-Identifier: ISC
# A world for the egress program, which is driven by hand as the warden would:
# a network namespace for it (near), one for what it may reach (far), and one
# for its clients (inside), where every address leads to its listeners.  Used
# by 35-egress-*.py, as root; the caller is inside.

import array
import ctypes
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

CLONE_NEWNS, CLONE_NEWNET = 0x20000, 0x40000000
PROGRAM = os.environ.get("WARD_EGRESS", "/usr/libexec/ward/egress")
USER = 64989  # any that is not root
FILE = "/etc/ward/profiles.d/t.conf"
HOST_NET, NEAR = "10.77.0.2", "10.77.0.1"  # the servers', and our own
HOST_SIX = "fd77::2"
ALERT = bytes((21, 3, 3, 0, 2, 2, 49))  # TLS: fatal, access_denied

libc = ctypes.CDLL(None, use_errno=True)


def unshare(flags):
    if libc.unshare(flags) != 0:
        raise OSError(ctypes.get_errno(), "unshare")


def run(*argv):
    subprocess.run(argv, check=True, stdin=subprocess.DEVNULL)


# --- TAP ---


class Tap:
    def __init__(self):
        self.rows, self.failed = 0, 0

    def row(self, good, name, more=""):
        self.rows += 1
        self.failed += not good
        print(("ok" if good else "not ok"), self.rows, "-", name, flush=True)
        if not good and more != "":
            for line in str(more).splitlines():
                print("#", line, flush=True)

    def equal(self, name, got, want):
        self.row(got == want, name, f"got:  {got!r}\nwant: {want!r}")

    def has(self, name, got, pattern):
        if isinstance(pattern, str):
            got = str(got)
        self.row(re.search(pattern, got, re.S), name,
                 f"got:  {got!r}\nwant: {pattern!r}")

    def end(self):
        print(f"1..{self.rows}", flush=True)
        sys.exit(1 if self.failed else 0)


tap = Tap()


def wait_for(what, seconds=10.0):
    end = time.monotonic() + seconds
    while True:
        got = what()
        if got or time.monotonic() > end:
            return got
        time.sleep(0.01)


# --- the packed rules (profiles/network_pack.c) ---


def u32(n):
    return struct.pack("<I", n)


def text(s):
    if s is None:
        return u32(0)
    data = s.encode()
    return u32(len(data) + 1) + data


def rule(deny, entry, line):
    return u32(deny) + text(entry) + text(entry) + text(FILE) + u32(line)


def block(entry, address, bits, line):
    return text(entry) + address + u32(bits) + text(FILE) + u32(line)


def pack(allow=(), deny=(), reasons=(), blocks=(), private=True, ask=False,
         upstream=None, no_proxy=(), grants=(), filtered=True):
    rules = [rule(0, e, i + 1) for i, e in enumerate(allow)]
    rules += [rule(1, e, i + 100) for i, e in enumerate(deny)]
    out = b"WNET" + u32(1) + u32(filtered) + u32(ask) + u32(private)
    out += u32(len(rules)) + b"".join(rules)
    out += u32(len(reasons)) + b"".join(
        text(m) + text(m) + text(s) + text(FILE) + u32(200)
        for m, s in reasons)
    out += u32(len(blocks)) + b"".join(blocks)
    host, port = upstream or (None, 0)
    out += struct.pack("<H", port) + text(host) + text("") + u32(0)
    out += u32(len(no_proxy)) + b"".join(rule(0, e, 1) for e in no_proxy)
    out += u32(len(grants)) + b"".join(
        struct.pack("<qq", i, until) + text(e) for i, until, e in grants)
    return out


# --- the wire (common/wire.c) ---

START, POLICY, TAKEN, EVENT = 18, 19, 20, 21
KINDS = ("opened", "closed", "refused", "failed", "dropped")
FRONTS = ("none", "http", "connect", "socks4", "socks5", "transparent", "dns")
CAUSES = ("none", "decision", "name", "protocol", "limit", "spent", "resolve",
          "connect", "upstream")
RULES_FD, EVENTS_FD, PROXY_FD, TCP4_FD, TCP6_FD, UDP_FD, DNS_TCP_FD = range(7)


def message(kind, body):
    return b"WARD" + struct.pack("<HHI", 2, kind, len(body)) + body


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        value = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return value[0] if len(value) == 1 else value

    def string(self):
        size = self.take("I")
        self.at += size
        return self.data[self.at - size:self.at].decode("utf-8", "replace")

    def end_point(self):
        address, port = self.take("16s"), self.take("I")
        if address[:12] == bytes(10) + b"\xff\xff":
            return socket.inet_ntop(socket.AF_INET, address[12:]), port
        return socket.inet_ntop(socket.AF_INET6, address), port


def read_event(data):
    c = Cursor(data[12:])
    event = {}
    event["kind"] = KINDS[c.take("I")]
    event["front"] = FRONTS[c.take("I")]
    event["cause"] = CAUSES[c.take("I")]
    event["id"] = c.take("Q")
    event["host"], event["port"] = c.string(), c.take("I")
    event["dialled"] = c.end_point()
    event["from"], event["to"] = c.end_point(), c.end_point()
    event["ground"] = c.take("I")
    event["file"], event["line"] = c.string(), c.take("I")
    event["rule"], event["grant"] = c.string(), c.take("Q")
    event["reason"], event["said"] = c.string(), c.string()
    event["ask"] = c.take("I")
    event["up"], event["down"], event["duration"] = c.take("QQQ")
    event["error"], event["count"] = c.take("I"), c.take("I")
    event["mark"] = c.take("I")
    return event


def memfd(data):
    fd = os.memfd_create("rules", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(fd, data)
    return fd


def send_with(sock, data, fds):
    sock.sendmsg([data], [(socket.SOL_SOCKET, socket.SCM_RIGHTS,
                           array.array("i", fds))])


# --- the program ---


class Egress:
    """One egress; steered is the port of what is meant for elsewhere."""

    def __init__(self, world, policy, connections=0, rate=0, nofile=None,
                 steered=0, read_events=True, uid=USER, generation=0):
        self.world, self.port = world, steered
        ours, theirs = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.warden = ours
        pid = os.fork()
        if pid == 0:
            world.enter(world.near_fd)
            self.become(theirs, nofile, uid)
        self.pid = pid
        theirs.close()
        self.events, events_theirs = socket.socketpair(
            socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.seen, self.lock = [], threading.Lock()
        if read_events:
            self.read_events()
        proxy = self.listener(socket.AF_INET)
        self.proxy = proxy.getsockname()[:2]
        tcp4 = self.listener(socket.AF_INET, ("0.0.0.0", steered))
        tcp6 = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        tcp6.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        tcp6.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tcp6.bind(("::", steered))
        tcp6.listen(64)
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        dns = self.listener(socket.AF_INET)
        self.dns_udp, self.dns_tcp = udp.getsockname(), dns.getsockname()
        has, fds = (1 << DNS_TCP_FD + 1) - 1, [proxy, tcp4, tcp6, udp, dns]
        rules = memfd(policy)
        body = (u32(has) + u32(0) + u32(connections) + u32(rate) +
                u32(generation))
        send_with(ours, message(START, body),
                  [rules, events_theirs.fileno()] + [f.fileno() for f in fds])
        os.close(rules)
        for f in fds:
            f.close()
        events_theirs.close()
        self.started = self.taken()
        good = self.started and self.started[1] == 0
        self.first_fds = self.n_fds() if good else 0

    @staticmethod
    def become(theirs, nofile, uid):
        import resource
        os.dup2(theirs.fileno(), 3)
        os.closerange(4, 1024)
        null = os.open("/dev/null", os.O_RDWR)
        os.dup2(null, 0)
        if nofile:
            resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.set_inheritable(3, True)
        os.execve(PROGRAM, ["ward-egress"], {})

    @staticmethod
    def listener(family, address=None):
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address or ("127.0.0.1", 0))
        sock.listen(4096)
        return sock

    def read_events(self):
        def reader():
            while True:
                try:
                    data = self.events.recv(8192)
                except OSError:
                    return
                if not data:
                    return
                with self.lock:
                    self.seen.append(read_event(data))
        threading.Thread(target=reader, daemon=True).start()

    def taken(self):
        self.warden.settimeout(10)
        data = self.warden.recv(8192)
        if not data:
            return None
        return struct.unpack("<QI", data[12:24])

    def policy(self, data, serial=1):
        fd = memfd(data)
        send_with(self.warden, message(POLICY, struct.pack("<Q", serial)),
                  [fd])
        os.close(fd)
        return self.taken()

    def event(self, **want):
        """The first event that is as wanted, once it is there."""
        def find():
            with self.lock:
                for event in self.seen:
                    if all(event[k] == v for k, v in want.items()):
                        return event
            return None
        return wait_for(find)

    def event_of(self, sock):
        """What became of a client, once it is there; not its end."""
        port = sock.getsockname()[1]

        def find():
            with self.lock:
                for event in self.seen:
                    if (event["kind"] != "closed" and
                            event["from"][1] == port):
                        return event
            return None
        return wait_for(find, 5)

    def forget(self):
        with self.lock:
            self.seen.clear()

    def ask_dns(self, name, kind=1, tcp=False):
        """(code, addresses) for one question."""
        question = b"".join(bytes([len(part)]) + part.encode()
                            for part in name.split(".") if part)
        query = (struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 0) + question +
                 b"\0" + struct.pack(">HH", kind, 1))
        data = self.send_dns(query, tcp)
        code, answers = data[3] & 15, struct.unpack(">H", data[6:8])[0]
        if answers == 0:
            return code, None
        family, size = {1: (socket.AF_INET, 4), 28: (socket.AF_INET6, 16)}[
            kind]
        at = len(query) + 12
        return code, socket.inet_ntop(family, data[at:at + size])

    def send_dns(self, query, tcp=False):
        if not tcp:
            sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            sock.settimeout(10)
            sock.sendto(query, self.dns_udp)
            return sock.recv(4096)
        sock = socket.create_connection(self.dns_tcp, 10)
        for byte in struct.pack(">H", len(query)) + query:
            sock.sendall(bytes([byte]))
        size = struct.unpack(">H", sock.recv(2))[0]
        return sock.recv(size)

    def steer(self, name, family=socket.AF_INET):
        """A connection as a program makes one that knows no proxy."""
        kind = 1 if family == socket.AF_INET else 28
        _, address = self.ask_dns(name, kind)
        return socket.create_connection((address, self.port), 10)

    def list_fds(self):
        where = f"/proc/{self.pid}/fd/"
        return sorted(os.readlink(where + fd) for fd in os.listdir(where))

    def n_fds(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def settled_fds(self):
        """Whether no more are open than when it started."""
        # idle pipes are kept, 8 at the most
        return bool(wait_for(lambda: self.n_fds() <= self.first_fds + 16))

    def rss(self):
        with open(f"/proc/{self.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))

    def resolver(self):
        with open(f"/proc/{self.pid}/task/{self.pid}/children",
                  encoding="ascii") as f:
            return int(f.read().split()[0])

    def connect(self, timeout=10):
        sock = socket.create_connection(self.proxy, timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return sock

    def wait(self, seconds=5):
        """Its exit status, once it ends."""
        def ended():
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            return (pid, status) if pid else None
        got = wait_for(ended, seconds)
        return got[1] if got else None

    def stop(self):
        self.warden.close()
        status = self.wait()
        if status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.events.close()
        return status


# --- what it may reach ---


class World:
    """Servers in a namespace of their own, beside ours, and a hosts file."""

    def __init__(self, hosts):
        self.servers = {}
        unshare(CLONE_NEWNS | CLONE_NEWNET)
        run("mount", "--make-rprivate", "/")
        self.hosts = f"/tmp/ward-hosts.{os.getpid()}"
        nsswitch = f"/tmp/ward-nsswitch.{os.getpid()}"
        with open(self.hosts, "w", encoding="ascii") as f:
            f.write("127.0.0.1 localhost\n")
            for name, addresses in hosts.items():
                for address in addresses.split():
                    f.write(f"{address} {name}\n")
        self.bind(self.hosts, "/etc/hosts")
        with open(nsswitch, "w", encoding="ascii") as f:
            f.write("hosts: files\npasswd: files\n")
        self.bind(nsswitch, "/etc/nsswitch.conf")
        run("ip", "link", "set", "lo", "up")
        self.near_fd = os.open("/proc/self/ns/net", os.O_RDONLY)
        unshare(CLONE_NEWNET)
        self.far_fd = os.open("/proc/self/ns/net", os.O_RDONLY)
        run("ip", "link", "set", "lo", "up")
        self.enter(self.near_fd)
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far",
            "netns", f"/proc/{os.getpid()}/fd/{self.far_fd}")
        run("ip", "address", "add", NEAR + "/24", "dev", "near")
        run("ip", "address", "add", "fd77::1/64", "dev", "near", "nodad")
        run("ip", "link", "set", "near", "up")
        self.enter(self.far_fd)
        run("ip", "address", "add", HOST_NET + "/24", "dev", "far")
        run("ip", "address", "add", HOST_SIX + "/64", "dev", "far", "nodad")
        run("ip", "link", "set", "far", "up")
        unshare(CLONE_NEWNET)
        self.inside_fd = os.open("/proc/self/ns/net", os.O_RDONLY)
        run("ip", "link", "set", "lo", "up")
        run("ip", "route", "add", "local", "default", "dev", "lo")
        run("ip", "-6", "route", "add", "local", "default", "dev", "lo")

    @staticmethod
    def bind(source, target):
        run("mount", "--bind", source, target)

    @staticmethod
    def enter(ns_fd):
        if libc.setns(ns_fd, CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def listen(self, port, family=socket.AF_INET, address=None):
        """A listening socket over there."""
        self.enter(self.far_fd)
        sock = socket.socket(family, socket.SOCK_STREAM)
        self.enter(self.inside_fd)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        where = address or (HOST_NET if family == socket.AF_INET else HOST_SIX)
        sock.bind((where, port))
        sock.listen(1024)
        return sock

    def serve(self, port, handle, **more):
        """handle(connection) in a thread each."""
        sock = self.listen(port, **more)

        def one(connection):
            try:
                handle(connection)
            except OSError:
                pass
            connection.close()

        def loop():
            while True:
                connection, _ = sock.accept()
                connection.settimeout(20)
                threading.Thread(target=one, args=(connection,),
                                 daemon=True).start()
        threading.Thread(target=loop, daemon=True).start()
        return sock


def echo(connection):
    while True:
        data = connection.recv(65536)
        if not data:
            return
        connection.sendall(data)


def read_all(sock):
    out = b""
    try:
        while True:
            data = sock.recv(65536)
            if not data:
                return out
            out += data
    except OSError as error:
        return out + f"<{error.__class__.__name__}>".encode()


def read_head(sock):
    out = b""
    while b"\r\n\r\n" not in out:
        data = sock.recv(1)
        if not data:
            break
        out += data
    return out


def exactly(sock, n):
    out = b""
    while len(out) < n:
        data = sock.recv(n - len(out))
        if not data:
            break
        out += data
    return out


def hello(name):
    """A TLS ClientHello that asks for name, or for none."""
    extensions = b""
    if name is not None:
        data = name.encode()
        entry = b"\x00" + struct.pack(">H", len(data)) + data
        body = struct.pack(">H", len(entry)) + entry
        extensions = struct.pack(">HH", 0, len(body)) + body
    body = (b"\x03\x03" + bytes(32) + b"\x00" + b"\x00\x02\x13\x01" +
            b"\x01\x00" + struct.pack(">H", len(extensions)) + extensions)
    handshake = b"\x01" + struct.pack(">I", len(body))[1:] + body
    return b"\x16\x03\x01" + struct.pack(">H", len(handshake)) + handshake
