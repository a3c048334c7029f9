"""Servers that take the place of microCMS, Firebase and Apple while dev/try-pages.py runs a page.

A page contains the real addresses. Its programs reach the servers in Tests/FeedServers at these
addresses, through a proxy that they read from the environment.
"""

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

SERVE = Path(__file__).resolve().parent.parent / "Tests" / "FeedServers" / "serve.py"
HOSTS = {
    "my-shop.microcms.io": "microcms",
    "my-shop-default-rtdb.firebaseio.com": "firebase-database",
    "firebaseremoteconfig.googleapis.com": "firebase-remote-config",
    "oauth2.googleapis.com": "firebase-remote-config",
    "itunes.apple.com": "app-store",
    "api.appstoreconnect.apple.com": "app-store-connect",
}
# Sets switches of a stand-in: `stand-in NAME JSON`.
COMMAND = """declare -A CONTROL=({ports})
stand-in() {{ curl -sS -X PATCH -d "$2" "http://127.0.0.1:${{CONTROL[$1]}}/state" | sed '/^{{}}$/d'; }}
"""
# `feed check` has no environment variable for the CA file, unlike `serve`.
GATE = """#!/bin/sh
if [ "$1 $2" = "feed check" ]; then set -- "$@" --feed-ca "$VERSIONGATE_FEED_CA"; fi
exec '{gate}' "$@"
"""


def names(text):
    """Returns the names of the stand-ins whose switches a page sets."""
    return sorted(set(re.findall(r"^ *stand-in ([a-z-]+) ", text, re.MULTILINE)))


class StandIns:
    """The running stand-ins of a page, until the context ends."""

    def __init__(self, names, folder, gate, stack):
        certificate, key = folder / "cert.pem", folder / "key.pem"
        hosts = ",".join(f"DNS:{host}" for host in HOSTS)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=stand-in",
             "-addext", f"subjectAltName={hosts}"],
            check=True, stderr=subprocess.DEVNULL,
        )
        ports, controls = {}, {}
        for name in names:
            process = stack.enter_context(subprocess.Popen(
                [sys.executable, "-B", SERVE, name, "--cert", certificate, "--key", key],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            ))
            _, ports[name], controls[name] = process.stdout.readline().split()
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        stack.callback(listener.shutdown, socket.SHUT_RDWR)
        targets = {host: int(ports[name]) for host, name in HOSTS.items() if name in ports}
        threading.Thread(target=serve_proxy, args=(listener, targets), daemon=True).start()
        (folder / "versiongate").write_text(GATE.format(gate=gate))
        (folder / "versiongate").chmod(0o755)
        self.environment = {
            "https_proxy": f"http://127.0.0.1:{listener.getsockname()[1]}",
            "VERSIONGATE_FEED_CA": str(certificate), "CURL_CA_BUNDLE": str(certificate),
        }
        self.commands = COMMAND.format(ports=" ".join(f"[{name}]={port}" for name, port in controls.items()))
        self.gate = folder / "versiongate"


def serve_proxy(listener, targets):
    """Connects clients to the local ports of the hosts that they ask for with CONNECT."""
    with contextlib.suppress(OSError):
        while True:
            client, _ = listener.accept()
            threading.Thread(target=connect, args=(client, targets), daemon=True).start()


def connect(client, targets):
    with client, contextlib.suppress(OSError):
        head = b""
        while b"\r\n\r\n" not in head:
            if not (data := client.recv(4096)):
                return
            head += data
        host = head.split()[1].decode().partition(":")[0]
        if host not in targets:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
            return
        with socket.create_connection(("127.0.0.1", targets[host])) as server:
            client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            back = threading.Thread(target=copy, args=(server, client), daemon=True)
            back.start()
            copy(client, server)
            back.join()


def copy(source, sink):
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            sink.sendall(data)
    with contextlib.suppress(OSError):
        sink.shutdown(socket.SHUT_WR)
