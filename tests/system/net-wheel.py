#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""net-wheel.py MODULE DIRECTORY: a wheel of one module, and the page by which
pip finds it, without a tool that would have to be installed."""
import hashlib
import base64
import os
import sys
import zipfile

module, directory = sys.argv[1:3]
name = os.path.splitext(os.path.basename(module))[0]
wheel = f"{name}-1.0-py3-none-any.whl"
info = f"{name}-1.0.dist-info"
files = {
    f"{name}.py": open(module, "rb").read(),
    f"{info}/METADATA":
        f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
    f"{info}/WHEEL":
        b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
record = "".join(
    "%s,sha256=%s,%d\n" % (
        path,
        base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        .rstrip(b"=").decode(),
        len(data))
    for path, data in files.items()) + f"{info}/RECORD,,\n"
files[f"{info}/RECORD"] = record.encode()
with zipfile.ZipFile(os.path.join(directory, wheel), "w") as archive:
    for path, data in files.items():
        archive.writestr(path, data)
with open(os.path.join(directory, "index.html"), "w") as page:
    page.write(f'<!DOCTYPE html><a href="{wheel}">{wheel}</a>\n')
