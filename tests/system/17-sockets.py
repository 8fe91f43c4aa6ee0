#!/usr/bin/env python3
# SPDX-License-Identifier: ISC
# Servers and clients of Unix sockets, for 17-sockets.sh.  Each verb prints one
# line: what came of it, or the errno's name.

import errno
import os
import socket
import struct
import sys
import threading
import time

KINDS = {
    "stream": socket.SOCK_STREAM,
    "seqpacket": socket.SOCK_SEQPACKET,
    "dgram": socket.SOCK_DGRAM,
}


def name_of(error):
    return errno.errorcode.get(error.errno, str(error))


def address_of(path):
    """@NAME is an abstract one."""
    return "\0" + path[1:] if path.startswith("@") else path


def greet(server):
    """Tells each client who it is, as the kernel says."""
    while True:
        client, _ = server.accept()
        size = struct.calcsize("3i")
        cred = client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
        _, uid, gid = struct.unpack("3i", cred)
        try:
            client.sendall(f"{uid} {gid}".encode())
        except OSError:
            pass
        client.close()


def serve(kind, path):
    server = socket.socket(socket.AF_UNIX, KINDS[kind])
    server.bind(address_of(path))
    if not path.startswith("@"):
        os.chmod(path, 0o777)
    server.listen(64)
    greet(server)


def ask(kind, path, timeout=5.0):
    client = socket.socket(socket.AF_UNIX, KINDS[kind])
    try:
        client.connect(address_of(path))
        client.settimeout(timeout)
        return client.recv(64).decode() or "nothing"
    except OSError as error:
        return name_of(error)
    finally:
        client.close()


def connect(kind, path):
    print(ask(kind, path))


def relative(directory, path):
    """From a working directory."""
    os.chdir(directory)
    print(ask("stream", path))


def own(path):
    """A server and a client of one's own."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(address_of(path))
    server.listen(8)
    threading.Thread(target=greet, args=(server,), daemon=True).start()
    answer = ask("stream", path)
    if not path.startswith("@"):
        os.unlink(path)
    print("ok" if answer == f"{os.getuid()} {os.getgid()}" else answer)


def pair(kind, path):
    """One of a pair, pointed at a path."""
    try:
        one, _ = socket.socketpair(socket.AF_UNIX, KINDS[kind])
        one.connect(path)
        print("connected")
    except OSError as error:
        print(name_of(error))


def nonblock(path):
    """A full queue, asked by a socket that does not wait."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(0)
    clients, error = [], None
    for _ in range(8):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.setblocking(False)
        clients.append(client)
        error = client.connect_ex(path)
        if error:
            break
    os.unlink(path)
    print(errno.errorcode.get(error, error))


def full(path, others):
    """One caller waits for a full queue; others connect elsewhere."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(0)
    state = {}

    def stuck():
        clients = []
        while "done" not in state:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            clients.append(client)
            try:
                client.connect(path)
            except OSError as error:
                state["done"] = name_of(error)
            state["got"] = len(clients)

    waiter = threading.Thread(target=stuck, daemon=True)
    waiter.start()
    time.sleep(0.5)
    before = state.get("got")
    answers = {ask("stream", others) for _ in range(100)}
    waited = state.get("got") == before and "done" not in state
    # room for it again
    server.accept()
    for _ in range(100):
        if state.get("got") != before:
            break
        time.sleep(0.05)
    went_on = state.get("got") != before
    state["done"] = "ok"
    server.close()
    os.unlink(path)
    mine = answers == {f"{os.getuid()} {os.getgid()}"}
    print("waited" if waited else "did not wait",
          "others passed" if mine else sorted(answers),
          "went on" if went_on else "did not go on")


def interrupted(path):
    """A signal ends the wait for a full queue."""
    import signal

    class Alarm(Exception):
        pass

    def on_alarm(_number, _frame):
        raise Alarm

    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(0)
    signal.signal(signal.SIGALRM, on_alarm)
    signal.alarm(1)
    clients = []
    try:
        while True:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            clients.append(client)
            client.connect(path)
    except Alarm:
        print("interrupted")
    except OSError as error:
        print(name_of(error))
    finally:
        os.unlink(path)


def race_path(mine, theirs, seconds):
    """The name is a link, now to one's own socket, now to the other."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(mine)
    server.listen(64)

    def swallow():
        while True:
            client, _ = server.accept()
            client.sendall(b"mine")
            client.close()

    threading.Thread(target=swallow, daemon=True).start()
    link, spare = mine + ".link", mine + ".spare"
    stop = time.monotonic() + float(seconds)

    def swap():
        turn = 0
        while time.monotonic() < stop:
            os.symlink(theirs if turn % 2 else mine, spare)
            os.rename(spare, link)
            turn += 1

    os.symlink(mine, link)
    threading.Thread(target=swap, daemon=True).start()
    tally(stop, lambda: ask("stream", link))
    os.unlink(mine)


def tally(stop, attempt):
    seen = {}
    while time.monotonic() < stop:
        answer = attempt()
        seen[answer] = seen.get(answer, 0) + 1
    print(sum(seen.values()) > 100, " ".join(sorted(seen)))


def race_number(theirs, seconds):
    """
    The descriptor is now a TCP socket, now a Unix one, with the path of
    another's socket in the address: by libc, so that no lock stands between.
    """
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    raw = struct.pack("H", socket.AF_UNIX) + theirs.encode() + b"\0"
    address = ctypes.create_string_buffer(raw, len(raw))
    inet = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    unix = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    number = os.dup(inet.fileno())
    stop = time.monotonic() + float(seconds)

    def swap():
        while time.monotonic() < stop:
            libc.dup2(unix.fileno(), number)
            libc.dup2(inet.fileno(), number)

    threading.Thread(target=swap, daemon=True).start()

    def attempt():
        if libc.connect(number, address, len(raw)) == 0:
            return "connected"
        return errno.errorcode.get(ctypes.get_errno(), "?")

    tally(stop, attempt)


def race_address(mine, theirs, seconds):
    """The address changes in memory while the call is on its way."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(mine)
    server.listen(64)

    def swallow():
        while True:
            client, _ = server.accept()
            client.sendall(b"mine")
            client.close()

    threading.Thread(target=swallow, daemon=True).start()
    size = 108
    head = struct.pack("H", socket.AF_UNIX)
    raws = [head + p.encode().ljust(size, b"\0") for p in (mine, theirs)]
    address = ctypes.create_string_buffer(raws[0], len(raws[0]))
    stop = time.monotonic() + float(seconds)

    def swap():
        turn = 0
        while time.monotonic() < stop:
            ctypes.memmove(address, raws[turn % 2], len(raws[0]))
            turn += 1

    threading.Thread(target=swap, daemon=True).start()

    def attempt():
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            if libc.connect(client.fileno(), address, len(raws[0])) != 0:
                return errno.errorcode.get(ctypes.get_errno(), "?")
            client.settimeout(5)
            answer = client.recv(64).decode()
            return answer if answer == "mine" else "theirs"
        finally:
            client.close()

    tally(stop, attempt)
    os.unlink(mine)


def handed(giver, path):
    """Connects a socket that somebody handed over."""
    with socket.socket(fileno=given_by(giver)) as given:
        try:
            given.connect(address_of(path))
            print(given.recv(64).decode() or "nothing")
        except OSError as error:
            print(name_of(error))


def tcp(_unused):
    """A server on the loopback of where this runs."""
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    server.accept()[0].sendall(b"ok")
    print(client.recv(8).decode())


def serve_handing(path, what):
    """Hands each client a directory of where it runs, or a new socket."""
    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    os.chmod(path, 0o777)
    server.listen(64)
    while True:
        client, _ = server.accept()
        if what == "socket":
            number = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM).detach()
        else:
            number = os.open(what, os.O_PATH | os.O_DIRECTORY)
        socket.send_fds(client, [b"here"], [number])
        os.close(number)
        client.close()


def given_by(path):
    giver = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    giver.connect(path)
    return socket.recv_fds(giver, 16, 1)[1][0]


def from_directory(path, name):
    """Connects from a directory that somebody handed over."""
    os.fchdir(given_by(path))
    print(ask("stream", name))


def unshared(path):
    """By a thread with descriptors of its own; the leader has another."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    answer = []
    number = os.open("/dev/null", os.O_RDONLY)

    def other():
        if libc.unshare(0x400) != 0:  # CLONE_FILES
            answer.append("no unshare")
            return
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        os.dup2(client.fileno(), number)
        raw = struct.pack("H", socket.AF_UNIX) + path.encode() + b"\0"
        if libc.connect(number, raw, len(raw)) != 0:
            answer.append(errno.errorcode.get(ctypes.get_errno(), "?"))
            return
        client.settimeout(5)
        answer.append(client.recv(64).decode())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    print(answer[0])


def tried(act):
    try:
        act()
        return "ok"
    except OSError as error:
        return name_of(error)


def trace(name):
    """What can be had of a process by that name."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)

    def find():
        for number in os.listdir("/proc"):
            try:
                with open(f"/proc/{number}/comm") as comm:
                    if number.isdigit() and comm.read().strip() == name:
                        return int(number)
            except OSError:
                pass
        sys.exit("no such process")

    pid = find()

    def attach():
        if libc.ptrace(16, pid, None, None) != 0:  # PTRACE_ATTACH
            raise OSError(ctypes.get_errno(), "")
        os.waitpid(pid, 0)
        libc.ptrace(17, pid, None, None)  # PTRACE_DETACH

    print("attach", tried(attach),
          "memory", tried(lambda: os.open(f"/proc/{pid}/mem", os.O_RDWR)),
          "files", tried(lambda: os.listdir(f"/proc/{pid}/fd")),
          "root", tried(lambda: os.stat(f"/proc/{pid}/root/")))


def crowd(path, others):
    """More wait than may, and die."""
    import signal

    server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    server.bind(path)
    server.listen(0)
    first = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    first.connect(path)
    children = []
    for _ in range(80):
        pid = os.fork()
        if pid == 0:
            client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            os._exit(client.connect_ex(path))
        children.append(pid)
    time.sleep(1)
    early = {}
    for pid in list(children):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            children.remove(pid)
            code = errno.errorcode.get(os.waitstatus_to_exitcode(status), "?")
            early[code] = early.get(code, 0) + 1
    during = ask("stream", others)
    for pid in children:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    time.sleep(1)
    after = ask("stream", others)
    os.unlink(path)
    mine = f"{os.getuid()} {os.getgid()}"
    print(early, during, "passed" if after == mine else after)


VERBS = {
    verb.__name__: verb
    for verb in (serve, connect, relative, own, pair, nonblock, full,
                 interrupted, race_path, race_number, race_address, handed,
                 tcp, serve_handing, from_directory, unshared, trace, crowd)
}

if __name__ == "__main__":
    VERBS[sys.argv[1]](*sys.argv[2:])
