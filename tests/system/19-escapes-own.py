# SPDX-License-Identifier: ISC
# What an account tries from its own session, for 19-escapes-own.sh:
#
#   facts         a line "NAME: VALUE" for each attempt that needs nobody else
#   handed        the same for a file that it was born with as descriptor 0
#   watch         who makes what in /srv/secrets while it looks
#   reads         goes on reading its terminal, whoever it belongs to by then
#   abuse         connections to the warden's own socket, with anything in them
#   lease PATH    holds a lease on it until it is killed
#   serve | meet  two sessions of the account: what one has of the other
#   swap PLACE TARGET, without PAM: PLACE is a directory and a link, in turn
import ctypes
import errno
import fcntl
import os
import pwd
import resource
import select
import signal
import socket
import struct
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
KEY, OWN_KEY = 0x4F574E31, 0x4F574E32
IPC_CREAT, SHM_SIZE = 0o1000, 4096
RENAME_EXCHANGE, AT_FDCWD = 2, -100
IN_CREATE = 0x100
BUILD = "/srv/build/"
NAME = pwd.getpwuid(os.getuid()).pw_name
HOME = pwd.getpwuid(os.getuid()).pw_dir


def told(function, *args):
    """What it returned ("ok" for nothing), or the name of the error."""
    try:
        value = function(*args)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))
    return "ok" if value is None else value


def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")


def marker():
    """The pid of a process of the account's on the host."""
    with open(f"{BUILD}mark.{NAME}", encoding="utf-8") as file:
        return int(file.read())


def set_owner(pid):
    """Whom SIGIO goes to."""
    reader, _ = os.pipe()
    fcntl.fcntl(reader, fcntl.F_SETOWN, pid)


def mq_open():
    checked(libc.mq_open(b"/ward-host", os.O_RDWR))


def shm(key, flags=0):
    size = SHM_SIZE if flags else 0
    checked(libc.shmget(ctypes.c_int(key), ctypes.c_size_t(size), flags))


def exchange():
    mine = f"{BUILD}mine.{NAME}"
    with open(mine, "w", encoding="utf-8"):
        pass
    checked(libc.renameat2(AT_FDCWD, mine.encode(), AT_FDCWD,
                           f"/srv/open.d/theirs.{NAME}".encode(),
                           RENAME_EXCHANGE))


def say(name, value):
    print(f"{name}: {value}", flush=True)


def facts():
    pid = marker()
    say("a signal", told(os.kill, pid, signal.SIGCONT))
    say("its limits", told(resource.prlimit, pid, resource.RLIMIT_NOFILE,
                           (64, 64)))
    say("a pidfd", told(lambda: os.close(os.pidfd_open(pid))))
    say("SIGIO", told(set_owner, pid))
    say("its processors", told(os.sched_setaffinity, pid, {0}))
    say("a queue by name", told(mq_open))
    say("shared memory", told(shm, KEY))
    say("a hard link", told(os.link, "/srv/open.d/theirs." + NAME,
                            f"{BUILD}link.{NAME}"))
    say("an exchange", told(exchange))


def handed():
    place = "/proc/self/fd/0"
    say("opened anew", told(lambda: os.close(os.open(place, os.O_WRONLY))))
    say("emptied", told(os.truncate, place, 0))


def touch(path):
    with open(path, "w", encoding="utf-8"):
        pass


def watch():
    queue = libc.inotify_init()
    checked(libc.inotify_add_watch(queue, b"/srv/secrets", IN_CREATE))
    touch(f"{BUILD}watching.{NAME}")
    ready, _, _ = select.select([queue], [], [], 2)
    data = os.read(queue, 4096) if ready else b""
    print(data[16:].rstrip(b"\0").decode() or "nothing")


def reads():
    """A child of a session that is over soon."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    if os.fork():
        while not os.path.exists(f"{BUILD}reading.{NAME}"):
            time.sleep(0.02)
        return
    os.setsid()
    touch(f"{BUILD}reading.{NAME}")
    line = os.read(0, 100)
    with open(f"{BUILD}typed.{NAME}", "wb") as file:
        file.write(line)


def question(data, descriptors=()):
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    connection.connect("/run/ward/agent")
    rights = struct.pack(f"{len(descriptors)}i", *descriptors)
    ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)]
    try:
        if data is not None:
            connection.sendmsg([data], ancillary if descriptors else [])
    except OSError:
        pass
    return connection


def abuse():
    """As many as it may hold, each another kind; none is a question."""
    kinds = (None, b"", b"x", b"\0" * 4, b"\xff" * 8192, b"\xff" * 65536,
             struct.pack("<III", 1, 1, 0xffffffff), os.urandom(300))
    kept = []
    for number in range(200):
        descriptors = (0, 1, 2) if number % 3 == 0 else ()
        kept.append(question(kinds[number % len(kinds)], descriptors))
    touch(f"{BUILD}abusing")
    time.sleep(60)


def lease(path):
    with open(path, "r+b") as file:
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        touch(f"{BUILD}leased")
        time.sleep(60)


def serve():
    """A session that has something of each kind, and hands out its root."""
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind("\0own-" + NAME)
    abstract.listen(8)
    shm(OWN_KEY + os.getuid(), IPC_CREAT | 0o600)
    touch("/tmp/own-" + NAME)
    server = socket.socket(socket.AF_UNIX)
    server.bind(HOME + "/own.sock")
    server.listen(8)
    root = os.open("/", os.O_PATH | os.O_DIRECTORY)
    touch(f"{BUILD}serving.{NAME}")
    while True:
        client, _ = server.accept()
        socket.send_fds(client, [b"root"], [root])
        client.close()


def connected(address):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(address)


def is_seen():
    mine = os.getpid()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[2:3] == [b"serve"] and int(pid) != mine and \
                os.stat(f"/proc/{pid}").st_uid == os.getuid():
            return "seen"
    return "not seen"


def read_at(directory, path):
    number = os.open(path, os.O_RDONLY, dir_fd=directory)
    with os.fdopen(number, encoding="utf-8") as file:
        return file.read().strip()


def make_at(directory, path):
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600,
                     dir_fd=directory))


def meet():
    say("an abstract socket", told(connected, "\0own-" + NAME))
    say("processes", is_seen())
    say("/tmp", "there" if os.path.exists("/tmp/own-" + NAME) else "not there")
    say("memory", told(shm, OWN_KEY + os.getuid()))
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(HOME + "/own.sock")
        root = socket.recv_fds(client, 16, 1)[1][0]
    say("its root, read", told(read_at, root, "srv/secrets/secret"))
    say("above its root", told(read_at, root,
                               "../../../srv/secrets/secret"))
    say("its root, written", told(make_at, root, "etc/open.d/by-" + NAME))
    os.fchdir(root)
    say("from its root", told(read_at, None, "srv/secrets/secret"))


def swap(place, target):
    """Until it is killed."""
    other = place + ".other"
    os.makedirs(place, exist_ok=True)
    os.chmod(place, 0o777)
    os.symlink(target, other)
    while True:
        checked(libc.renameat2(AT_FDCWD, place.encode(), AT_FDCWD,
                               other.encode(), RENAME_EXCHANGE))


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
