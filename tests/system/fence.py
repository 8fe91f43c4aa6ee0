# SPDX-License-Identifier: ISC
# What the uid fence must refuse, tried by tests/system/18-fence.sh:
#
#   listen FILE    as root: TCP and UDP listeners on both loopbacks, and a file
#                  once they are there
#   send KIND      KIND is tcp4, tcp6, udp4, udp6, ping4 or ping6: "ok", or the
#                  name of the error
#   serve          accepts on 127.0.0.1:7801 and [::1]:7801 until killed
#   hold FILE GO   connects, writes FILE, waits for GO, and only then sends
#   ask4 | ask6    as a client of serve: "ok", or the name of the error
import errno
import os
import socket
import sys
import time

PORT = 7800
FAMILY = {"4": socket.AF_INET, "6": socket.AF_INET6}
ADDRESS = {"4": "127.0.0.1", "6": "::1"}


def listeners(port, kinds):
    made = []
    for version, family in FAMILY.items():
        for kind in kinds:
            sock = socket.socket(family, kind)
            if version == "6":
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((ADDRESS[version], port))
            if kind == socket.SOCK_STREAM:
                sock.listen(16)
            made.append(sock)
    return made


def touch(path):
    with open(path, "w", encoding="utf-8"):
        pass


def listen(path):
    kept = listeners(PORT, (socket.SOCK_STREAM, socket.SOCK_DGRAM))
    touch(path)
    while kept:
        time.sleep(60)


def serve():
    kept = listeners(PORT + 1, (socket.SOCK_STREAM,))
    while kept:
        time.sleep(60)


def connect(version, port):
    sock = socket.socket(FAMILY[version], socket.SOCK_STREAM)
    sock.settimeout(5)
    sock.connect((ADDRESS[version], port))
    return sock


def send(kind):
    what, version = kind[:-1], kind[-1]
    if what == "tcp":
        connect(version, PORT)
        return
    if what == "udp":
        sock = socket.socket(FAMILY[version], socket.SOCK_DGRAM)
        sock.sendto(b"x", (ADDRESS[version], PORT))
        return
    protocol, request = {"4": (socket.IPPROTO_ICMP, 8),
                         "6": (socket.IPPROTO_ICMPV6, 128)}[version]
    sock = socket.socket(FAMILY[version], socket.SOCK_DGRAM, protocol)
    sock.settimeout(5)
    sock.sendto(bytes([request, 0, 0, 0, 0, 0, 0, 1]), (ADDRESS[version], 0))
    sock.recv(64)


def hold(path, go):
    sock = connect("4", PORT)
    touch(path)
    while not os.path.exists(go):
        time.sleep(0.02)
    sock.sendall(b"x")
    # the refusal of a packet comes with the next call
    for _ in range(20):
        time.sleep(0.05)
        sock.sendall(b"x")


def main():
    verb, arguments = sys.argv[1], sys.argv[2:]
    try:
        if verb in ("ask4", "ask6"):
            connect(verb[-1], PORT + 1)
        else:
            {"listen": listen, "serve": serve, "send": send,
             "hold": hold}[verb](*arguments)
    except TimeoutError:
        print("TIMEOUT")
    except OSError as error:
        print(errno.errorcode.get(error.errno, "TIMEOUT"))
    else:
        print("ok")


main()
