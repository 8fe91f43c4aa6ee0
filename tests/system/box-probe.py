# SPDX-License-Identifier: ISC
# Tries, each in a process of its own, the kernel interfaces that Ward and its
# tests need as root, and prints a line for each: "ok NAME" or
# "not ok NAME: why".  Run inside a box by 00-box.sh and 01-booted.sh.
import ctypes
import os
import signal
import socket
import stat
import struct
import sys
import tempfile

libc = ctypes.CDLL(None, use_errno=True)

NR = {
    "pivot_root": 155, "process_vm_readv": 310, "seccomp": 317,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431,
    "fsmount": 432, "pidfd_open": 434, "clone3": 435, "close_range": 436,
    "openat2": 437, "pidfd_getfd": 438, "mount_setattr": 442,
    "landlock_create_ruleset": 444,
}
NEWNS, NEWCGROUP, NEWUTS, NEWIPC = 0x20000, 0x2000000, 0x4000000, 0x8000000
NEWPID, NEWNET = 0x20000000, 0x40000000
AT_FDCWD, AT_EMPTY_PATH = -100, 0x1000
OPEN_TREE_CLONE, MOVE_MOUNT_F_EMPTY_PATH = 1, 4
MS_REC, MS_PRIVATE, MNT_DETACH = 0x4000, 0x40000, 2
PTRACE_ATTACH, PTRACE_DETACH = 16, 17
PROBES = []


def probe(function):
    PROBES.append(function)
    return function


def checked(value, what):
    if value < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return value


def call(name, *args):
    values = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return checked(libc.syscall(ctypes.c_long(NR[name]), *values), name)


def unshare(flags):
    checked(libc.unshare(flags), "unshare")


def private_mounts():
    unshare(NEWNS)
    checked(libc.mount(None, b"/", None, MS_REC | MS_PRIVATE, None), "mount")


def mount_tmpfs(path):
    checked(libc.mount(b"tmpfs", path.encode(), b"tmpfs", 0, None), "mount")


def in_child(function):
    """Runs function in a child; raises what it raised there."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            function()
            os._exit(0)
        except BaseException as error:
            os.write(writer, str(error).encode()[:200])
            os._exit(1)
    os.close(writer)
    told = os.read(reader, 200).decode()
    os.close(reader)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status != 0:
        raise RuntimeError(told or f"child ended with {status}")


def sleeper():
    pid = os.fork()
    if pid == 0:
        signal.pause()
        os._exit(0)
    return pid


def end(pid):
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


@probe
def open_tree_and_pivot_root():
    private_mounts()
    place = tempfile.mkdtemp()
    tree = call("open_tree", AT_FDCWD, b"/", OPEN_TREE_CLONE | os.O_CLOEXEC)
    attr = struct.pack("QQQQ", 1 | 2 | 4, 0, MS_PRIVATE, 0)
    call("mount_setattr", tree, b"", AT_EMPTY_PATH, attr, len(attr))
    call("move_mount", tree, b"", AT_FDCWD, place.encode(),
         MOVE_MOUNT_F_EMPTY_PATH)
    os.chdir(place)
    call("pivot_root", b".", b".")
    checked(libc.umount2(b".", MNT_DETACH), "umount2")
    os.chdir("/")
    assert os.path.isdir("/usr/bin")
    assert os.statvfs("/").f_flag & os.ST_RDONLY
    try:
        os.mkdir("/written")
    except OSError:
        return
    raise RuntimeError("the cloned root can be written")


@probe
def fsopen_and_fsmount():
    private_mounts()
    place = tempfile.mkdtemp()
    context = call("fsopen", b"tmpfs", 1)
    call("fsconfig", context, 1, b"size", b"1m", 0)
    call("fsconfig", context, 6, None, None, 0)
    mount = call("fsmount", context, 1, 0)
    call("move_mount", mount, b"", AT_FDCWD, place.encode(),
         MOVE_MOUNT_F_EMPTY_PATH)
    with open(place + "/file", "w"):
        pass


@probe
def namespaces_by_unshare():
    unshare(NEWNS | NEWNET | NEWIPC | NEWUTS | NEWCGROUP | NEWPID)
    in_child(lambda: os.getpid() == 1 or sys.exit("not pid 1"))


@probe
def namespaces_by_clone3():
    flags = NEWNS | NEWNET | NEWIPC | NEWUTS | NEWPID
    args = struct.pack("8Q", flags, 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = call("clone3", args, len(args))
    if pid == 0:
        os._exit(0 if os.getpid() == 1 else 1)
    assert os.waitpid(pid, 0)[1] == 0


@probe
def setns_by_pidfd():
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        unshare(NEWNS | NEWNET | NEWIPC | NEWUTS)
        os.write(writer, b"x")
        signal.pause()
    os.read(reader, 1)
    pidfd = call("pidfd_open", pid, 0)
    checked(libc.setns(pidfd, NEWNS | NEWNET | NEWIPC | NEWUTS), "setns")
    for kind in ("mnt", "net", "ipc", "uts"):
        assert os.readlink(f"/proc/self/ns/{kind}") == \
            os.readlink(f"/proc/{pid}/ns/{kind}")
    end(pid)


@probe
def new_procfs():
    private_mounts()
    unshare(NEWPID)

    def mount_proc():
        checked(libc.mount(b"proc", b"/proc", b"proc", 0, None), "mount")
        assert os.readlink("/proc/self") == "1"
        assert not os.path.exists("/proc/2")
    in_child(mount_proc)


@probe
def a_dead_pid_namespace_for_children():
    unshare(NEWPID)
    in_child(lambda: None)
    try:
        os.fork()
    except OSError:
        return
    raise RuntimeError("a child was made in a dead pid namespace")


@probe
def seccomp_new_listener():
    # load the number; getpid is notified, the rest allowed
    rules = [(0x20, 0, 0, 0), (0x15, 0, 1, 39),
             (0x06, 0, 0, 0x7fc00000), (0x06, 0, 0, 0x7fff0000)]
    code = b"".join(struct.pack("HBBI", *rule) for rule in rules)
    buffer = ctypes.create_string_buffer(code)
    program = struct.pack("HxxxxxxQ", len(rules), ctypes.addressof(buffer))
    checked(libc.prctl(38, 1, 0, 0, 0), "prctl")
    call("seccomp", 1, 8, program)


@probe
def landlock():
    attr = struct.pack("Q", 2)
    assert call("landlock_create_ruleset", None, 0, 1) >= 2
    call("landlock_create_ruleset", attr, len(attr), 0)


@probe
def reading_another_process():
    secret = ctypes.create_string_buffer(b"seen")
    pid = sleeper()
    into = ctypes.create_string_buffer(5)
    local = struct.pack("QQ", ctypes.addressof(into), 5)
    remote = struct.pack("QQ", ctypes.addressof(secret), 5)
    call("process_vm_readv", pid, local, 1, remote, 1, 0)
    end(pid)
    assert into.value == b"seen"


@probe
def ptrace():
    pid = sleeper()
    checked(libc.ptrace(PTRACE_ATTACH, pid, None, None), "ptrace")
    os.waitpid(pid, 0)
    checked(libc.ptrace(PTRACE_DETACH, pid, None, None), "ptrace")
    end(pid)


@probe
def pidfd_getfd():
    reader, writer = os.pipe()
    pid = sleeper()
    pidfd = call("pidfd_open", pid, 0)
    os.write(call("pidfd_getfd", pidfd, writer, 0), b"x")
    end(pid)
    assert os.read(reader, 1) == b"x"


@probe
def openat2_and_close_range():
    how = struct.pack("QQQ", os.O_PATH, 0, 0x02 | 0x04)
    call("openat2", AT_FDCWD, b"/usr/bin", how, len(how))
    call("close_range", 200, 0xffffffff, 4)


@probe
def device_nodes():
    private_mounts()
    place = tempfile.mkdtemp()
    mount_tmpfs(place)
    for name, minor in (("null", 3), ("zero", 5), ("full", 7),
                        ("random", 8), ("urandom", 9)):
        os.mknod(f"{place}/{name}", 0o666 | stat.S_IFCHR, os.makedev(1, minor))
    with open(place + "/zero", "rb") as zero:
        assert zero.read(4) == bytes(4)


@probe
def terminals():
    master, slave = os.openpty()
    info = os.stat(os.ttyname(slave))
    assert os.ttyname(slave).startswith("/dev/pts/")
    assert info.st_mode & 0o777 == 0o620 and info.st_gid == 5
    os.close(master)


@probe
def loopback_network():
    server = socket.create_server(("127.0.0.1", 0))
    socket.create_connection(server.getsockname()).close()
    assert os.listdir("/sys/class/net") == ["lo"]


@probe
def a_directory_is_renamed():
    os.rename("/srv", "/srv.renamed")
    os.rename("/srv.renamed", "/srv")


@probe
def rlimits_and_priority():
    import resource
    resource.setrlimit(resource.RLIMIT_CORE, (1, 1))
    os.setpriority(os.PRIO_PROCESS, 0, -1)
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("100")


def main():
    if sys.argv[1:] == ["--count"]:
        print(len(PROBES))
        return
    for function in PROBES:
        name = function.__name__
        try:
            in_child(function)
            print(f"ok {name}", flush=True)
        except RuntimeError as error:
            print(f"not ok {name}: {error}", flush=True)


main()
