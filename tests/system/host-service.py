# SPDX-License-Identifier: ISC
# What the host has and a sandbox must not reach: answers HOSTSECRET on TCP
# port 7777 of every address, on the abstract socket hostsecret and on
# /srv/open.d/host.sock, and keeps a System V message queue.  Started by tests/system/ward.sh; writes the queue's
# key to the file that it is given as soon as all of it is there.
import ctypes
import os
import selectors
import socket
import sys

KEY, IPC_CREAT = 0x57415244, 0o1000


def tcp():
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("0.0.0.0", 7777))
    return server


def unix(address):
    server = socket.socket(socket.AF_UNIX)
    server.bind(address)
    return server


def main():
    selector = selectors.DefaultSelector()
    os.umask(0)
    for server in (tcp(), unix("\0hostsecret"),
                   unix("/srv/open.d/host.sock")):
        server.listen(64)
        selector.register(server, selectors.EVENT_READ)
    if ctypes.CDLL(None).msgget(KEY, IPC_CREAT | 0o666) < 0:
        sys.exit("no message queue")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        print(KEY, file=file)
    while True:
        for ready, _ in selector.select():
            connection, _ = ready.fileobj.accept()
            try:
                connection.sendall(b"HOSTSECRET\n")
            except OSError:
                pass
            connection.close()


main()
