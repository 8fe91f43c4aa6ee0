# SPDX-License-Identifier: ISC
# Runs a command where all process numbers are taken but a few:
#	few-pids.py FREE COMMAND...
# In a pid namespace of its own, which has its own kernel.pid_max since Linux
# 6.14; exits with 77 where it has not.  The exit status is the command's; all
# that it left has ended by then.  For tests/system/49-faults-scarce.sh.
import ctypes
import os
import signal
import sys
import threading
import time

PID_MAX = "/proc/sys/kernel/pid_max"
MOST = "400"
CLONE_NEWNS, CLONE_NEWPID, PR_SET_PDEATHSIG = 0x20000, 0x20000000, 1
MS_REC_SLAVE, MS_NO = 0x84000, 14

libc = ctypes.CDLL(None, use_errno=True)


def check(result):
    if result != 0:
        raise OSError(ctypes.get_errno(), "a namespace")


def fill():
    """Threads have numbers, too, and cost little."""
    threading.stack_size(65536)
    taken = []
    while True:
        event = threading.Event()
        try:
            threading.Thread(target=event.wait, daemon=True).start()
        except RuntimeError:
            return taken
        taken.append(event)


def release(taken, n):
    """A thread that is told to end has its number for a moment more."""
    left = len(os.listdir("/proc/self/task")) - n
    for event in taken[len(taken) - n:]:
        event.set()
    del taken[len(taken) - n:]
    while len(os.listdir("/proc/self/task")) > left:
        time.sleep(0.001)


def spawn(command):
    """A number is free a moment after its thread is gone."""
    while True:
        try:
            return os.posix_spawnp(command[0], command, os.environ)
        except BlockingIOError:
            time.sleep(0.001)


def run(free, command):
    """As pid 1: whoever has no parent is reaped here."""
    with open(PID_MAX, "w") as file:
        file.write(MOST)
    taken = fill()
    # one more for the command itself
    release(taken, free + 1)
    pid = spawn(command)
    status, until = None, time.monotonic() + 30
    while time.monotonic() < until:
        child, result = os.waitpid(-1, 0 if status is None else os.WNOHANG)
        if child == pid:
            status = result
            release(taken, len(taken))
        elif child == 0:
            time.sleep(0.01)
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            break
    os._exit(1 if status is None else os.waitstatus_to_exitcode(status) & 255)


def main():
    release = os.uname().release.replace("-", ".").split(".")
    if (int(release[0]), int(release[1])) < (6, 14):
        sys.exit(77)
    check(libc.unshare(CLONE_NEWNS | CLONE_NEWPID))
    pid = os.fork()
    if pid == 0:
        check(libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
        check(libc.mount(None, b"/", None, MS_REC_SLAVE, None))
        check(libc.mount(b"proc", b"/proc", b"proc", MS_NO, None))
        run(int(sys.argv[1]), sys.argv[2:])
    status = os.waitpid(pid, 0)[1]
    sys.exit(os.waitstatus_to_exitcode(status) & 255)


main()
