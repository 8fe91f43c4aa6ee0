#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""net-stray.py [-6] ADDRESS PORT [N]: sends so many datagrams there, or one.
Says what came of them, each outcome once; with 0 it connects only."""
import errno
import socket
import sys


def outcome(call, well):
    try:
        call()
        return well
    except OSError as e:
        return errno.errorcode[e.errno]


def main():
    arguments = sys.argv[1:]
    family = socket.AF_INET
    if arguments[0] == "-6":
        family = socket.AF_INET6
        arguments.pop(0)
    address = arguments[0], int(arguments[1])
    count = int(arguments[2]) if len(arguments) > 2 else 1
    said = []
    with socket.socket(family, socket.SOCK_DGRAM) as s:
        if count == 0:
            said.append(outcome(lambda: s.connect(address), "connected"))
        for _ in range(count):
            what = outcome(lambda: s.sendto(b"x", address), "sent")
            if what not in said:
                said.append(what)
    print(" ".join(said))


main()
