#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""Lines for the host's log, by every way there is; for 65-log-booted.sh.

    65-forge.py ACCOUNT   tries each way, with "forged-WAY-ACCOUNT" in it
    65-forge.py hold      root's terminal, with its record in utmp: what comes
                          to it goes to standard output
"""
import os
import pty
import socket
import struct
import subprocess
import sys
import time

UTMP = "/run/utmp"


def record(line, user):
    """A login in utmp(5)."""
    return struct.pack("<hxxi32s4s32s256shhiii4i20x", 7, 1,
                       line.encode(), line[-4:].encode(), user.encode(), b"",
                       0, 0, 0, int(time.time()), 0, 0, 0, 0, 0)


def logger(word):
    subprocess.run(("logger", "-p", "auth.info",
                    f"sshd[1]: Accepted publickey for root, {word}"),
                   check=False, stderr=subprocess.DEVNULL)


def datagram(word):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(f"<38>sshd[1]: {word}".encode(), "/dev/log")


def journal(word):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.sendto(f"MESSAGE={word}\nSYSLOG_IDENTIFIER=sshd\n".encode(),
                 "/run/systemd/journal/socket")


def stream(word):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.connect("/run/systemd/journal/stdout")
        s.sendall(f"sshd\n\n6\n0\n0\n0\n0\n{word}\n".encode())


def kmsg(word):
    with open("/dev/kmsg", "wb", buffering=0) as f:
        f.write(f"{word}\n".encode())


def wall(word):
    subprocess.run(("wall",), input=f"{word}\n".encode(), check=False,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def utmp(word):
    with open(UTMP, "r+b", buffering=0) as f:
        f.seek(0, os.SEEK_END)
        f.write(record("pts/99", word))


def hold():
    master, slave = pty.openpty()
    line = os.ttyname(slave)
    os.chmod(line, 0o622)
    os.chown(line, 0, 5)
    with open(UTMP, "r+b", buffering=0) as f:
        f.seek(0, os.SEEK_END)
        f.write(record(line.removeprefix("/dev/"), "root"))
    print("held", flush=True)
    while True:
        os.write(1, os.read(master, 4096))


if sys.argv[1] == "hold":
    hold()
for way in logger, datagram, journal, stream, kmsg, wall, utmp:
    try:
        way(f"forged-{way.__name__}-{sys.argv[1]}")
    except OSError:
        pass
