#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A journald that listens at its socket, for 64-log.sh:

    64-log.py read     prints each datagram as one line of JSON
    64-log.py silent   reads nothing until it gets SIGUSR1, then as above
"""
import json
import os
import signal
import socket
import sys

PATH = "/run/systemd/journal/socket"


def main():
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR1,))
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    if os.path.exists(PATH):
        os.unlink(PATH)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as journal:
        journal.bind(PATH)
        print(json.dumps({"listens": True}), flush=True)
        if sys.argv[1] == "silent":
            signal.sigwait((signal.SIGUSR1,))
        while True:
            lines = journal.recv(65536).decode().splitlines()
            print(json.dumps(dict(line.split("=", 1) for line in lines)),
                  flush=True)


main()
