#!/usr/bin/python3
# SPDX-License-Identifier: ISC
# Runs one command in a vm box and becomes its output and exit status:
#   vm-client.py SOCKET COMMAND...
# 125 when the box does not answer or ends.  See vm-agent.py and vm.sh.
import base64
import json
import os
import socket
import sys


def lines(connection):
    with connection.makefile("rb") as file:
        yield from file


def main():
    ident = f"{os.getpid()}-{os.urandom(4).hex()}"
    streams = {"out": sys.stdout.buffer, "err": sys.stderr.buffer}
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[1])
        asked = json.dumps({"id": ident, "argv": sys.argv[2:]})
        connection.sendall(asked.encode() + b"\n")
        for line in lines(connection):
            try:
                told = json.loads(line)
            except ValueError:
                continue        # the end of what another was told
            if told.get("id") != ident:
                continue
            for name, stream in streams.items():
                if name in told:
                    stream.write(base64.b64decode(told[name]))
                    stream.flush()
            if "exit" in told:
                return told["exit"]
    print("vm-client: the box has ended", file=sys.stderr)
    return 125


try:
    sys.exit(main())
except OSError as error:
    print(f"vm-client: {error}", file=sys.stderr)
    sys.exit(125)
