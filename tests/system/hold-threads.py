# SPDX-License-Identifier: ISC
# Every thread of a process but its first stands still until the process ends,
# as if what they wait for never came: hold-threads.py PID FILE.  FILE is made
# once they stand.  For tests/system/46-time.sh.
import ctypes
import os
import sys

SEIZE, INTERRUPT, SIGTRAP = 0x4206, 0x4207, 5
__WALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p,
                        ctypes.c_void_p]


def ptrace(request, tid):
    if libc.ptrace(request, tid, None, None) != 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def main():
    pid = int(sys.argv[1])
    tids = [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]
    tids.remove(pid)
    for tid in tids:
        ptrace(SEIZE, tid)
        ptrace(INTERRUPT, tid)
        os.waitpid(tid, __WALL)
    if not tids:
        sys.exit("there are no threads")
    open(sys.argv[2], "w").close()
    for tid in tids:
        status = 0x7f
        while not (os.WIFEXITED(status) or os.WIFSIGNALED(status)):
            _, status = os.waitpid(tid, __WALL)


main()
