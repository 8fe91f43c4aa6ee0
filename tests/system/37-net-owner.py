#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""owner.py: clients that are gone before anybody can look who they were.

owner.py many COUNT PROXIED STEERED
    so many processes, by turns: one asks the proxy for the name PROXIED, the
    other connects to STEERED itself; each is killed as soon as it has
owner.py reuse COUNT PORT NAME...
    so many processes, by turns of the names: each takes the name as its own,
    connects to the proxy from that port, asks for NAME.test, and resets
owner.py late DIRECTORY NAME FIRST
    connects to the proxy, then FIRST times to nobody; makes DIRECTORY/connected
    and waits for DIRECTORY/go; asks for NAME, and ends with the answer"""
import os
import signal
import socket
import struct
import sys
import time

PROXY = ("127.0.0.1", 3128)


def ask(sock, name):
    sock.sendall(f"CONNECT {name}:443 HTTP/1.1\r\nHost: {name}\r\n\r\n".encode())


def reset_at_end(sock):
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                    struct.pack("ii", 1, 0))


def proxied(name):
    ask(socket.create_connection(PROXY, 20), name)


def steered(address):
    sock = socket.create_connection((address, 22), 20)
    reset_at_end(sock)


def many(count, proxied_name, steered_name):
    address = socket.gethostbyname(steered_name)
    for i in range(count):
        pid = os.fork()
        if pid == 0:
            if i % 2:
                proxied(proxied_name)
            else:
                steered(address)
            os.kill(os.getpid(), signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if status != signal.SIGKILL:
            sys.exit(f"client {i} ended with {status:#x}")
    print("all gone")


def reuse(count, port, names):
    for i in range(count):
        name = names[i % len(names)]
        pid = os.fork()
        if pid == 0:
            with open("/proc/self/comm", "w") as file:
                file.write(name)
            sock = socket.socket()
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(("127.0.0.1", port))
            sock.connect(PROXY)
            reset_at_end(sock)
            ask(sock, name + ".test")
            sock.recv(1)
            os._exit(0)
        if os.waitpid(pid, 0)[1] != 0:
            sys.exit(f"client {i} failed")
    print("all gone")


def late(directory, name, first):
    sock = socket.create_connection(PROXY, 20)
    for _ in range(first):
        with socket.socket() as other:
            other.connect_ex(("127.0.0.1", 1))
    open(f"{directory}/connected", "w").close()
    while not os.path.exists(f"{directory}/go"):
        time.sleep(0.02)
    ask(sock, name)
    # nothing is opened for it: each such open waits for the warden
    print(sock.makefile().readline(), flush=True)


if sys.argv[1] == "many":
    many(int(sys.argv[2]), sys.argv[3], sys.argv[4])
elif sys.argv[1] == "reuse":
    reuse(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
else:
    late(sys.argv[2], sys.argv[3], int(sys.argv[4]))
