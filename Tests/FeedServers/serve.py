#!/usr/bin/env python3
"""Runs the server of one feed on 127.0.0.1 until its standard input is closed."""

import argparse
import sys

sys.dont_write_bytecode = True

from feeds import PROTOCOLS  # noqa: E402
from feeds.server import FeedServer  # noqa: E402


def main():
    options = read_options()
    if (options.cert is None) != (options.key is None):
        return "--cert and --key come together"
    server = FeedServer(options.name, options.cert, options.key, options.port)
    print(f"listening {server.port} {server.control_port}", flush=True)
    sys.stdin.buffer.read()
    return 0


def read_options():
    parser = argparse.ArgumentParser(prog="serve.py", description=__doc__)
    parser.add_argument("name", choices=sorted(PROTOCOLS))
    parser.add_argument("--cert", metavar="FILE", help="certificate chain; without it, plain HTTP")
    parser.add_argument("--key", metavar="FILE", help="private key of the certificate")
    parser.add_argument("--port", type=int, default=0, help="0, the default: any free one")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
