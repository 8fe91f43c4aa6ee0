# SPDX-License-Identifier: ISC
# What the settings of a seal open and close, tried by an account: a line
# "NAME: VALUE" for each, or for those that are named.  Run by
# tests/system/12-seal-settings.sh, which says what each must come to.
import ctypes
import errno
import mmap
import os
import signal
import subprocess
import sys

libc = ctypes.CDLL(None, use_errno=True)
CLONE, CHROOT, PTRACE, PROCESS_VM_READV = 56, 161, 101, 310
X32_GETPPID = 0x40000000 | 110
PIVOT_ROOT = 155
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x20000
# it asks for nothing but the namespaces themselves
MOUNTS = ("unshare", "-Urm", "--propagation", "unchanged")
TRACEME = 0
# mov $64, %eax (getppid); int $0x80; ret
INT80 = b"\xb8\x40\x00\x00\x00\xcd\x80\xc3"


def call(number, *args):
    """A system call: "ok", or the name of its error."""
    ctypes.set_errno(0)
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args)) >= 0:
        return "ok"
    return errno.errorcode[ctypes.get_errno()]


def in_child(function, *args):
    """What it says in a process of its own, or what ended that."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writer, function(*args).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return said


def program(*words):
    """A program's end: "ok", or "refused"."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    return "ok" if done.returncode == 0 else "refused"


def clone_user():
    """A child in a user namespace of its own; it ends at once."""
    pid = libc.syscall(ctypes.c_long(CLONE),
                       ctypes.c_long(CLONE_NEWUSER | signal.SIGCHLD),
                       None, None, None, None)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        return errno.errorcode[ctypes.get_errno()]
    os.waitpid(pid, 0)
    return "ok"


def pivot_inside():
    """To the root that there is: EINVAL, since it is locked there."""
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0:
        return errno.errorcode[ctypes.get_errno()]
    root = ctypes.create_string_buffer(b"/")
    return call(PIVOT_ROOT, ctypes.addressof(root), ctypes.addressof(root))


def read_child():
    """Another process's memory."""
    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    text = ctypes.create_string_buffer(b"text")
    room = ctypes.create_string_buffer(len(text))
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(writer)
        os.read(reader, 1)
        os._exit(0)
    here = Vector(ctypes.addressof(room), len(room))
    there = Vector(ctypes.addressof(text), len(text))
    said = call(PROCESS_VM_READV, pid, ctypes.addressof(here), 1,
                ctypes.addressof(there), 1, 0)
    os.close(writer)
    os.waitpid(pid, 0)
    return said if said != "ok" or room.raw == text.raw else "nothing"


def int80():
    """A call of i386's, which has its numbers."""
    code = mmap.mmap(-1, mmap.PAGESIZE,
                     prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(INT80)
    place = ctypes.addressof(ctypes.c_char.from_buffer(code))
    value = ctypes.CFUNCTYPE(ctypes.c_int)(place)()
    return "ok" if value == os.getppid() else errno.errorcode[-value]


ACTS = {
    "unshare -U": lambda: program("unshare", "-U", "true"),
    "unshare -Ur": lambda: program("unshare", "-Ur", "true"),
    "clone": lambda: in_child(clone_user),
    "chroot inside": lambda: program("unshare", "-Ur", "/usr/sbin/chroot",
                                     "/", "true"),
    "other namespaces": lambda: program("unshare", "-Urnpiuf", "ip", "link",
                                        "set", "lo", "up"),
    "unshare -m": lambda: program(*MOUNTS, "true"),
    "mount inside": lambda: program(*MOUNTS, "mount", "-t", "tmpfs", "none",
                                    "/mnt"),
    "bind inside": lambda: program(*MOUNTS, "mount", "--bind", "/tmp", "/mnt"),
    "pivot_root inside": lambda: in_child(pivot_inside),
    "chroot": lambda: call(CHROOT, 0),
    "ptrace": lambda: in_child(call, PTRACE, TRACEME, 0, 0, 0),
    "process_vm_readv": read_child,
    "strace": lambda: program("strace", "-f", "-o", "/dev/null", "true"),
    "gdb": lambda: program("gdb", "-nx", "-batch", "-return-child-result",
                           "-ex", "break _exit", "-ex", "run",
                           "-ex", "continue", "/bin/true"),
    "int 0x80": lambda: in_child(int80),
    "x32": lambda: in_child(call, X32_GETPPID),
}

for name in sys.argv[1:] or ACTS:
    print(f"{name}: {ACTS[name]()}")
