#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""A long-lived program that opens PAM sessions, as a daemon does that serves
many: pam-daemon.py SERVICE ACCOUNT [ACCOUNT]...

For each account in turn, one line: what pam_open_session said, with PAM's
number and message; then, once for all of them, whether it still starts
programs: by a child of its own, and in its own place.
"""
import ctypes
import os
import subprocess
import sys

pam = ctypes.CDLL("libpam.so.0")
libc = ctypes.CDLL("libc.so.6")
libc.calloc.restype = ctypes.c_void_p


class Message(ctypes.Structure):
    _fields_ = [("style", ctypes.c_int), ("text", ctypes.c_char_p)]


class Response(ctypes.Structure):
    _fields_ = [("text", ctypes.c_void_p), ("code", ctypes.c_int)]


Converse = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.POINTER(Message)),
    ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)


class Conversation(ctypes.Structure):
    _fields_ = [("call", Converse), ("data", ctypes.c_void_p)]


said = []


def answer(n, messages, responses, _):
    for i in range(n):
        said.append(messages[i].contents.text.decode())
    responses[0] = libc.calloc(n, ctypes.sizeof(Response))
    return 0


converse = Converse(answer)


def session(service, account):
    handle = ctypes.c_void_p()
    conversation = Conversation(converse, None)
    said.clear()
    if pam.pam_start(service.encode(), account.encode(),
                     ctypes.byref(conversation), ctypes.byref(handle)) != 0:
        return "no PAM"
    code = pam.pam_open_session(handle, 0)
    text = "refused" if code else "opened"
    if code == 0:
        pam.pam_close_session(handle, 0)
    pam.pam_end(handle, code)
    return f"{text} {code} {' '.join(' '.join(said).split())}"


def starts():
    try:
        return subprocess.run(["/bin/true"], check=True).returncode
    except OSError as error:
        return error.strerror


for name in sys.argv[2:]:
    print(session(sys.argv[1], name), flush=True)
print("starts", starts(), flush=True)
try:
    os.execv("/bin/echo", ["echo", "becomes another"])
except OSError as error:
    print("becomes none:", error.strerror)
