#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# Runs commands for the machine that a vm box runs on; a service in the box.
# A virtio port carries lines of JSON:
#   {"id": ID, "argv": [...]}                 to here
#   {"id": ID, "out" or "err": BASE64}, {"id": ID, "exit": STATUS}   back
# One command at a time; one whose asker has gone is waited for no more.  See
# vm.sh.
import base64
import glob
import json
import os
import select
import subprocess
import time

POLL = select.POLLIN | select.POLLHUP


def port():
    """The device whose name is box."""
    while True:
        for place in glob.glob("/sys/class/virtio-ports/*"):
            with open(place + "/name", encoding="ascii") as file:
                if file.read().strip() == "box":
                    return os.open("/dev/" + os.path.basename(place),
                                   os.O_RDWR | os.O_CLOEXEC)
        time.sleep(0.1)


def tell(fd, **what):
    data = json.dumps(what).encode() + b"\n"
    while data:
        data = data[os.write(fd, data):]


def alone(fd):
    """Whether nobody is at the other end."""
    polled = select.poll()
    polled.register(fd, select.POLLHUP)
    return any(event & select.POLLHUP for _, event in polled.poll(0))


def line(fd):
    """The next one; empty when whoever wrote it has gone half-way."""
    data = b""
    while not data.endswith(b"\n"):
        part = b"" if alone(fd) else os.read(fd, 1)
        if not part:
            if data:
                return b""
            time.sleep(0.05)
        data += part
    return data


def relay(fd, ident, child):
    """What the child says, until it has ended or nobody listens."""
    names = {child.stdout.fileno(): "out", child.stderr.fileno(): "err"}
    polled = select.poll()
    for source in names:
        polled.register(source, POLL)
    while names and not alone(fd):
        # asked before: what it wrote at its end is there by then
        ended = child.poll() is not None
        ready = polled.poll(0 if ended else 200)
        if ended and not ready:
            return      # what it left behind may keep the pipes open
        for source, _ in ready:
            data = os.read(source, 16384)
            if data:
                tell(fd, id=ident,
                     **{names[source]: base64.b64encode(data).decode()})
            else:
                polled.unregister(source)
                del names[source]
    if names:
        child.kill()


def run(fd, asked):
    try:
        child = subprocess.Popen(asked["argv"], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE)
    except OSError as error:
        reason = base64.b64encode(f"{error}\n".encode()).decode()
        tell(fd, id=asked["id"], err=reason)
        tell(fd, id=asked["id"], exit=127)
        return
    with child:
        relay(fd, asked["id"], child)
    code = child.returncode
    tell(fd, id=asked["id"], exit=code if code >= 0 else 128 - code)


def main():
    fd = port()
    while True:
        try:
            asked = json.loads(line(fd))
        except ValueError:
            continue
        try:
            run(fd, asked)
        except BrokenPipeError:
            pass


main()
