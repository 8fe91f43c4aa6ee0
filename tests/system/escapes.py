# SPDX-License-Identifier: ISC
# Ways out that are system calls or files, tried by an account: a line
# "NAME: VALUE" for each, as tests/system/probe has them.  Run by
# tests/system/12-escapes-inside.sh, which says what each must come to.
import ctypes
import errno
import fcntl
import os
import socket
import subprocess

libc = ctypes.CDLL(None, use_errno=True)
KNOWN_FAMILIES = range(1, 46)
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423
N_TTY = 0


def told(function, *args):
    try:
        return function(*args)
    except OSError as error:
        return errno.errorcode.get(error.errno, str(error))


def call(number, *args):
    """A system call: "ok", or the name of its error."""
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(number), *values) >= 0:
        return "ok"
    return errno.errorcode[ctypes.get_errno()]


def families():
    """Those that the kernel was asked for at all."""
    seen = []
    for family in KNOWN_FAMILIES:
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
            fd = libc.socket(family, kind, 0)
            if fd >= 0:
                os.close(fd)
            if fd >= 0 or ctypes.get_errno() != errno.EAFNOSUPPORT:
                seen.append(family)
                break
    return " ".join(map(str, seen))


def netlink():
    seen = []
    for protocol in range(23):
        fd = libc.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
        if fd >= 0:
            os.close(fd)
            seen.append(protocol)
    return " ".join(map(str, seen))


def sock(family, kind, protocol=0):
    fd = libc.socket(family, kind, protocol)
    if fd < 0:
        return errno.errorcode[ctypes.get_errno()]
    os.close(fd)
    return "ok"


def unix_datagram():
    """To the host's log."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(b"<13>escape: sent", "/dev/log")
    return "ok"


def lock(path):
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return "ok"


def ioctl(request, data):
    """On the terminal, if there is one."""
    with open("/dev/tty", "rb", buffering=0) as tty:
        fcntl.ioctl(tty, request, data)
    return "ok"


def writable(*places):
    """What could be written below these."""
    done = subprocess.run(("find", *places, "!", "-type", "l", "-writable"),
                          capture_output=True, text=True, check=False)
    return " ".join(sorted(done.stdout.split())) or "none"


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=10)
    except FileNotFoundError:
        return "not there"
    return "ok" if done.returncode == 0 else "refused"


def read_only(path):
    return "ro" if os.statvfs(path).f_flag & os.ST_RDONLY else "rw"


def in_child(number, *args):
    """What would change this process for good."""
    pid = os.fork()
    if pid == 0:
        os._exit(0 if call(number, *args) == "ok" else ctypes.get_errno())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return "ok" if code == 0 else errno.errorcode[code]


def facts():
    me = os.getpid()
    yield "families", families()
    yield "netlink", netlink()
    yield "AF_VSOCK", sock(40, socket.SOCK_STREAM)
    yield "sctp", sock(socket.AF_INET, socket.SOCK_STREAM, 132)
    yield "io_uring", call(425, 1, None)
    yield "userfaultfd", call(323, 1)
    yield "kcmp", call(312, me, me, 0, 0, 0)
    yield "name_to_handle_at", call(303, -100, b"/", None, None, 0)
    yield "perf_event_open", call(298, None, 0, -1, -1, 0)
    yield "keyctl", call(250, 0, -3, 0)
    yield "add_key", call(248, b"user", b"ward", b"x", 1, -2)
    yield "clone3", call(435, None, 0)
    yield "unshare, time", in_child(272, 0x80 | 0x10000000)
    yield "unshare", run("unshare", "-Ur", "true")
    yield "unshare, mount", run("unshare", "-Urm", "mount", "-t", "tmpfs",
                                "x", "/mnt")
    yield "TIOCSTI", told(ioctl, TIOCSTI, b"\n")
    yield "TIOCLINUX", told(ioctl, TIOCLINUX, b"\x06")
    # the one that it has; another would take the terminal from the test
    yield "TIOCSETD", told(ioctl, TIOCSETD, N_TTY.to_bytes(4, "little"))
    yield "datagram to the log", told(unix_datagram)
    run("logger", "-t", "escape", f"forged by {os.getuid()}")
    yield "lock on wtmp", told(lock, "/var/log/wtmp")
    yield "lock on utmp", told(lock, "/run/utmp")
    yield "proc/sys", read_only("/proc/sys/net")
    yield "writable in /usr and /etc", writable("/usr", "/etc")
    yield "scratch of its own", ("own" if not os.path.exists("/tmp/of-host")
                                 else "host's")


for fact, value in facts():
    print(f"{fact}: {value}", flush=True)
