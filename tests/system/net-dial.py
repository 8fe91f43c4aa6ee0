#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""net-dial.py HOST PORT: as a program that knows of no proxy: looks the name
up, connects to what it finds, and asks."""
import socket
import sys

host, port = sys.argv[1], int(sys.argv[2])
family, kind, protocol, _, address = socket.getaddrinfo(
    host, port, 0, socket.SOCK_STREAM)[0]
s = socket.socket(family, kind, protocol)
s.settimeout(8)
s.connect(address)
s.sendall(f"GET / HTTP/1.0\r\nHost: {host}\r\n\r\n".encode())
got = b""
while True:
    more = s.recv(4096)
    if not more:
        break
    got += more
print(got.decode().splitlines()[-1])
