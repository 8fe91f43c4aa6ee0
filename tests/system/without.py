#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""without.py bpf|nftables ... -- COMMAND: runs it where the kernel refuses
these, as some machines do.  What it starts inherits that, wardens among it."""
import ctypes
import os
import struct
import sys

BPF, SOCKET = 321, 41
AF_NETLINK, NETLINK_NETFILTER = 16, 12
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
EPERM, EPROTONOSUPPORT = 1, 93
ALLOW = 0x7fff0000


def refuse(number, error, *arguments):
    """Instructions that answer one call, where its arguments are these."""
    tests = [(0, number)] + [(16 + 8 * i, value) for i, value in arguments]
    code = []
    for n, (offset, value) in enumerate(tests):
        # to the next of these, or behind the answer
        skip = 2 * (len(tests) - n - 1) + 1
        code += [(LOAD, 0, 0, offset), (EQUAL, 0, skip, value)]
    return code + [(RETURN, 0, 0, 0x00050000 | error)]


REFUSALS = {
    "bpf": refuse(BPF, EPERM),
    "nftables": refuse(SOCKET, EPROTONOSUPPORT, (0, AF_NETLINK),
                       (2, NETLINK_NETFILTER)),
}


def main():
    at = sys.argv.index("--")
    code = sum((REFUSALS[name] for name in sys.argv[1:at]), [])
    code.append((RETURN, 0, 0, ALLOW))
    filters = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", *one) for one in code))
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(filters))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")
    os.execvp(sys.argv[at + 1], sys.argv[at + 1:])


main()
