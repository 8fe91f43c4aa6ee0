# SPDX-License-Identifier: ISC
# A program that opens a PAM session and then makes children in every way that
# there is, as a later release of a real one might:
#	opener.py SERVICE ACCOUNT WAY...
# Each way is a function below and prints a line "WAY: VALUE": where its child
# found itself ("host", "sealed", "unsealed"), or the error.  Run as root by
# tests/system/13-escapes-openers.sh, under the name that the service promises.
import ctypes
import errno
import os
import pwd
import signal
import sys
import threading
import time

libc = ctypes.CDLL(None, use_errno=True)
pam = ctypes.CDLL("libpam.so.0")
WHERE = ("readlink /proc/self/ns/mnt; "
         "sed -n 's/^Seccomp:.//p' /proc/self/status")
HOST = os.readlink("/proc/self/ns/mnt")
CLONE, CLONE3 = 56, 435
ESTABLISH = 2
handle = ctypes.c_void_p()
go = -1


class Message(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


Talk = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)),
    ctypes.POINTER(ctypes.POINTER(Response)), ctypes.c_void_p)


class Conversation(ctypes.Structure):
    _fields_ = [("talk", Talk), ("data", ctypes.c_void_p)]


def talk(count, messages, responses, _):
    for i in range(count):
        say("told", messages[i].contents.text.decode())
    libc.calloc.restype = ctypes.c_void_p
    responses[0] = ctypes.cast(
        libc.calloc(count, ctypes.sizeof(Response)),
        ctypes.POINTER(Response))
    return 0


conversation = Conversation(Talk(talk), None)


def say(name, value):
    print(f"{name}: {value}", flush=True)


def error(number):
    return errno.errorcode.get(number, str(number))


def judge(text):
    """What a child wrote of itself."""
    if not text:
        return "nothing ran"
    namespace, mode = text.split()
    if namespace == HOST:
        return "host"
    return "sealed" if mode == "2" else "unsealed"


def tell_where(fd):
    """In a child that is still this program."""
    with open("/proc/self/status", encoding="utf-8") as file:
        mode = dict(x.split(":\t") for x in file.read().splitlines())
    text = os.readlink("/proc/self/ns/mnt") + " " + mode["Seccomp"]
    os.write(fd, text.encode())


def with_pipe(function):
    """What comes out of a pipe of which the function has descriptor 9."""
    reader, writer = os.pipe()
    os.dup2(writer, 9)
    os.close(writer)
    failed = ""
    try:
        function()
    except OSError as problem:
        failed = error(problem.errno)
    os.close(9)
    text = b""
    while part := os.read(reader, 1000):
        text += part
    os.close(reader)
    return failed or judge(text.decode())


def wait(pid):
    if pid < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    os.waitpid(pid, 0)


def posix_spawn():
    def act():
        pid = os.posix_spawn("/bin/sh", ["sh", "-c", f"{{ {WHERE}; }} >&9"],
                             os.environ)
        wait(pid)
    return with_pipe(act)


def system():
    return with_pipe(lambda: libc.system(
        f"{{ {WHERE}; }} >&9".encode()))


def popen():
    def act():
        libc.popen.restype = ctypes.c_void_p
        stream = libc.popen(f"{{ {WHERE}; }} >&9".encode(), b"r")
        if not stream:
            wait(-1)
        libc.pclose(ctypes.c_void_p(stream))
    return with_pipe(act)


def raw(number, *args):
    """fork's system call, past the C library and its handlers."""
    def act():
        pid = libc.syscall(ctypes.c_long(number), *args)
        if pid == 0:
            tell_where(9)
            os._exit(0)
        wait(pid)
    return with_pipe(act)


def clone():
    return raw(CLONE, ctypes.c_long(signal.SIGCHLD), None, None, None, None)


def clone3():
    fields = (ctypes.c_uint64 * 8)()
    fields[4] = signal.SIGCHLD
    return raw(CLONE3, fields, ctypes.c_long(ctypes.sizeof(fields)))


def thread():
    worker = threading.Thread(target=lambda: None)
    try:
        worker.start()
    except RuntimeError:
        return "refused"
    worker.join()
    return "ok"


def forked(depth):
    def act():
        pid = os.fork()
        if pid == 0:
            if depth > 1:
                child = os.fork()
                if child == 0:
                    tell_where(9)
                    os._exit(0)
                os.waitpid(child, 0)
            else:
                tell_where(9)
            os._exit(0)
        wait(pid)
    return with_pipe(act)


def fork():
    return forked(1)


def fork_again():
    """cron forks once more, for mail."""
    return forked(1)


def grandchild():
    return forked(2)


def pam_end():
    """Some end PAM before they fork."""
    pam.pam_end(handle, 0)
    return forked(1)


def inits():
    """Of all sandboxes; there is one, or none."""
    found = []
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/comm", encoding="utf-8") as file:
                if file.read() == "ward-init\n":
                    found.append(int(name))
        except OSError:
            pass
    return found


def end_inits():
    for pid in inits():
        os.kill(pid, signal.SIGKILL)


def late():
    """The sandbox has ended, and its opener does not know."""
    end_inits()
    while inits():
        time.sleep(0.01)
    return forked(1)


def racing():
    """It ends while children enter it: the helper was there before."""
    outcomes = {forked(1)}
    os.write(go, b"x")
    deadline = time.monotonic() + 10
    while "ENOMEM" not in outcomes and time.monotonic() < deadline:
        outcomes.add(forked(1))
        if outcomes == {"host"} and not inits():
            break
    return " ".join(sorted(outcomes))


def make_helper():
    """A process that ends the sandbox's init when it is told to."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.close(writer)
        if os.read(reader, 1):
            end_inits()
        os._exit(0)
    os.close(reader)
    return writer


def become():
    user = pwd.getpwnam(sys.argv[2])
    os.setgroups([])
    os.setresgid(user.pw_gid, user.pw_gid, user.pw_gid)
    os.setresuid(user.pw_uid, user.pw_uid, user.pw_uid)


def become_exec():
    """PAMName= of systemd, pkexec: they do not fork."""
    become()
    os.execv("/usr/bin/python3", ["python3", "-c", "import time; "
             "time.sleep(1); print('become_exec: lives')"])


def become_stay():
    become()
    time.sleep(1)
    return "lives"


def become_moment():
    """sudoedit is the account for a moment, and goes back."""
    os.setresuid(-1, pwd.getpwnam(sys.argv[2]).pw_uid, -1)
    time.sleep(1)
    os.setresuid(0, 0, 0)
    return "lives"


def fate(pid):
    """Of a child that ends by itself after a while."""
    if pid < 0:
        return error(ctypes.get_errno())
    _, status = os.waitpid(pid, 0)
    return "killed" if os.WIFSIGNALED(status) else "lives"


def stay():
    """In a child, as the account: longer than the warden's rare looks."""
    become()
    time.sleep(15)
    os._exit(0)


def sealed_stays():
    pid = os.fork()
    if pid == 0:
        stay()
    return fate(pid)


def init():
    for name in os.listdir("/proc"):
        try:
            with open(f"/proc/{name}/comm", encoding="utf-8") as file:
                if file.read() == "ward-init\n":
                    return os.pidfd_open(int(name))
        except OSError:
            pass
    return -1


def unsealed_inside():
    """Put into the sandbox by somebody, past every handler."""
    pidfd = init()
    libc.setns(pidfd, 0x20000000)
    pid = libc.syscall(ctypes.c_long(CLONE), ctypes.c_long(signal.SIGCHLD),
                       None, None, None, None)
    if pid == 0:
        libc.setns(pidfd, 0x4c020000)
        stay()
    return fate(pid)


def sealed_beside():
    """A sealed child of a session that has an unsealed one, too."""
    pid = os.fork()
    if pid == 0:
        stay()
    unsealed_inside()
    return fate(pid)


early, begin = -1, -1


def early_child():
    """A module made it before the session, and it becomes the account."""
    os.write(begin, b"1")
    return fate(early)


def fork_early():
    global early, begin
    reader, begin = os.pipe()
    early = os.fork()
    if early == 0:
        os.read(reader, 1)
        stay()


def close():
    return "ok" if pam.pam_close_session(handle, 0) == 0 else "failed"


def main():
    global go
    service, account, *ways = sys.argv[1:]
    if "racing" in ways:
        go = make_helper()
    if "early_child" in ways:
        fork_early()
    pam.pam_start(service.encode(), account.encode(),
                  ctypes.byref(conversation), ctypes.byref(handle))
    pam.pam_setcred(handle, ESTABLISH)
    result = pam.pam_open_session(handle, 0)
    say("session", "open" if result == 0 else f"refused {result}")
    for way in ways:
        say(way, globals()[way]())


main()
