#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A transfer that is counted and hashed at both ends.

net-transfer.py serve PORT: what tests/system/36-net-transfer.sh has beyond the
    egress.  A first line says what a connection is for: "take" reads to its
    end, and answers "BYTES SHA256"; "give N" sends so many bytes and ends;
    "hold" sends one byte and waits.  Says on stdout when one of hold's ends.
net-transfer.py HOST PORT proxy|direct take|give|early BYTES: a client of it.
    early: its bytes come with CONNECT, before the proxy has answered."""
import hashlib
import socket
import sys
import threading

CHUNK = 1 << 18


def stream(total):
    """So many bytes, of which no two chunks are alike."""
    base = hashlib.shake_128(b"ward").digest(CHUNK - 8)
    sent = 0
    while sent < total:
        part = (sent.to_bytes(8, "big") + base)[:total - sent]
        sent += len(part)
        yield part


def read_all(sock):
    """What comes until the end: its size and hash."""
    buffer, size, seen = memoryview(bytearray(CHUNK)), 0, hashlib.sha256()
    while True:
        n = sock.recv_into(buffer)
        if n == 0:
            return size, seen.hexdigest()
        size += n
        seen.update(buffer[:n])


def send_all(sock, total):
    seen = hashlib.sha256()
    for part in stream(total):
        sock.sendall(part)
        seen.update(part)
    return total, seen.hexdigest()


def read_line(sock):
    line = b""
    while not line.endswith(b"\n"):
        byte = sock.recv(1)
        if byte == b"":
            break
        line += byte
    return line.decode()


def serve_one(sock):
    with sock:
        words = read_line(sock).split()
        if words[:1] == ["take"]:
            sock.sendall("{} {}\n".format(*read_all(sock)).encode())
        elif words[:1] == ["give"]:
            send_all(sock, int(words[1]))
        elif words[:1] == ["hold"]:
            sock.sendall(b"x")
            try:
                how = sock.recv(1)
            except OSError as error:
                how = error
            print("ended", how, flush=True)


def serve(port):
    with socket.create_server(("", port)) as listener:
        print("up", flush=True)
        while True:
            sock, _ = listener.accept()
            threading.Thread(target=serve_one, args=(sock,),
                             daemon=True).start()


def connect(host, port, way, early=b""):
    if way == "direct":
        return socket.create_connection((host, port), timeout=60)
    sock = socket.create_connection(("127.0.0.1", 3128), timeout=60)
    head = f"CONNECT {host}:{port} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
    sock.sendall(head.encode() + early)
    said = read_line(sock)
    if " 200" not in said:
        sys.exit(said)
    while read_line(sock) != "\r\n":
        pass
    return sock


def main():
    if sys.argv[1] == "serve":
        serve(int(sys.argv[2]))
    host, port, way, what = sys.argv[1], int(sys.argv[2]), *sys.argv[3:5]
    total = int(sys.argv[5])
    if what == "early":
        first = b"take\n" + b"".join(stream(total))
        with connect(host, port, way, first) as sock:
            sock.shutdown(socket.SHUT_WR)
            theirs = read_line(sock).strip()
        ours = "{} {}".format(total, hashlib.sha256(first[5:]).hexdigest())
    elif what == "take":
        with connect(host, port, way) as sock:
            sock.sendall(b"take\n")
            ours = "{} {}".format(*send_all(sock, total))
            # the other half stays, and brings the answer
            sock.shutdown(socket.SHUT_WR)
            theirs = read_line(sock).strip()
    else:
        with connect(host, port, way) as sock:
            sock.sendall(f"give {total}\n".encode())
            ours = "{} {}".format(*read_all(sock))
        seen = hashlib.sha256()
        for part in stream(total):
            seen.update(part)
        theirs = f"{total} {seen.hexdigest()}"
    print("same" if ours == theirs else f"ours {ours}, theirs {theirs}")


main()
