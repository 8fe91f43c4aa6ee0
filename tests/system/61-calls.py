# SPDX-License-Identifier: ISC
# Tries system calls that do nothing where nothing refuses them: what each said,
# one a line, with what a row's target would be.
import ctypes
import errno

calls = [
    ("bpf", 321, (99,)), ("perf_event_open", 298, (0,)),
    ("userfaultfd", 323, (99999,)), ("open_by_handle_at", 304, (-1,)),
    ("pidfd_getfd", 438, (-1,)), ("init_module", 175, (0,)),
    ("finit_module", 313, (-1,)), ("delete_module", 176, (0,)),
    ("kexec_load", 246, (0,)), ("kexec_file_load", 320, (-1,)),
    ("acct", 163, (1,)), ("swapon", 167, (1,)), ("swapoff", 168, (1,)),
    ("reboot", 169, (0,)), ("settimeofday", 164, (1,)),
    ("clock_settime", 227, (9999,)), ("ioctl 0x5412", 16, (-1, 0x5412)),
    ("ioctl 0x541c", 16, (-1, 0x541c)), ("ioctl 0x5423", 16, (-1, 0x5423)),
    ("seccomp 0x8", 317, (1, 8, 0)), ("clone 0x10000000", 56, (0x10000000,)),
    ("unshare 0x20000", 272, (0x20000,)),
    ("unshare 0x100000020000", 272, (0x100000020000,)),
    ("setns", 308, (-1, 0)), ("mount", 165, (1,)), ("umount2", 166, (1,)),
    ("pivot_root", 155, (1,)), ("chroot", 161, (1,)),
    ("open_tree", 428, (-1,)), ("move_mount", 429, (-1,)),
    ("fsopen", 430, (0,)), ("fsconfig", 431, (-1,)), ("fsmount", 432, (-1,)),
    ("fspick", 433, (-1,)), ("mount_setattr", 442, (-1,)),
]
libc = ctypes.CDLL(None, use_errno=True)
for target, nr, args in calls:
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(nr), *map(ctypes.c_long, args))
    print(target + "|" + errno.errorcode.get(ctypes.get_errno(), "0"))
# everyday ones are refused, too, without a row: keyctl, kcmp, io_uring_setup
for nr in (250, 312, 425):
    libc.syscall(ctypes.c_long(nr), ctypes.c_long(0))
