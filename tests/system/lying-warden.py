# SPDX-License-Identifier: ISC
# A warden that says what no warden says:
#   lying-warden.py LIE [SOCKET]
# to the session that starts it (descriptor 3), or to each that joins it at
# SOCKET.
import os
import socket
import struct
import sys

REFUSED, OPENED, OPEN = 3, 2, 1


def record(kind, body, length=None):
    size = len(body) if length is None else length
    return struct.pack("<4sHHI", b"WARD", version, kind, size) + body


# of a sandbox: a session's name, and no limits
sandbox = struct.pack("<I3sIIII", 3, b"a-b", 0, 0, 0, 0)
lies = {
    "nothing at all": lambda: b"",
    "less than a header": lambda: b"WARD\1",
    "nonsense": lambda: b"nonsense" + asked[8:],
    "another version": lambda: b"WARD" + struct.pack("<H", version + 1) +
        asked[6:],
    "more than fits": lambda: record(REFUSED, bytes(12000)),
    "a type that does not exist": lambda: record(9999, b""),
    "a type of another direction": lambda: record(OPEN, sandbox),
    "a length that is not its own": lambda: record(REFUSED, bytes(8), 4000),
    "strings without an end": lambda: record(
        REFUSED, b"\x0c\0\0\0\xff\xff\xff\xff"),
    "a refusal that does not exist": lambda: record(
        REFUSED, struct.pack("<II1s", 999, 1, b"x")),
    "a sandbox without descriptors": lambda: record(OPENED, sandbox),
    "descriptors of something else": lambda: record(OPENED, sandbox),
}


def answer(asker):
    global asked, version
    asked = asker.recv(8192)
    version, = struct.unpack_from("<H", asked, 4)
    given = [os.open("/dev/null", os.O_RDONLY)] * 4
    if sys.argv[1] != "descriptors of something else":
        given = []
    socket.send_fds(asker, [lies[sys.argv[1]]()], given)


if len(sys.argv) == 2:
    answer(socket.socket(fileno=3))
else:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(sys.argv[2])
    listener.listen()
    while True:
        client, _ = listener.accept()
        answer(client)
        client.close()
