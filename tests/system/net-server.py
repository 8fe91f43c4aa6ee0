#!/usr/bin/python3
# SPDX-License-Identifier: ISC
"""net-server.py ROOT CERTIFICATE KEY: what tests/system/net.sh has behind its
veth.  Serves files by HTTP on 80 and by HTTPS on 443; echoes lines on 7000;
sends /big without end; answers datagrams on 53 and 443."""
import functools
import http.server
import socket
import socketserver
import ssl
import sys
import threading

ROOT, CERTIFICATE, KEY = sys.argv[1:4]


class Files(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        if self.path != "/big":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"x" * 65536)
        except OSError:
            self.close_connection = True
        return None


class Echo(socketserver.StreamRequestHandler):
    def handle(self):
        for line in self.rfile:
            self.wfile.write(b"ECHO " + line)


class Threads(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


def datagrams(port):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    s.bind(("", port))
    while True:
        _, peer = s.recvfrom(2048)
        s.sendto(b"DATAGRAM", peer)


def main():
    files = functools.partial(Files, directory=ROOT)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    plain, tls = Threads(("", 80), files), Threads(("", 443), files)
    tls.socket = context.wrap_socket(
        tls.socket, server_side=True, do_handshake_on_connect=False)
    for server in (plain, tls, Threads(("", 7000), Echo)):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    threading.Thread(target=datagrams, args=(53,), daemon=True).start()
    datagrams(443)


main()
