"""Sends a request to the backend. Run it with the gate's URL and the app's version."""

import sys

from versiongate import GateDenied, Maintenance, Required, VersionGate

url, version = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version})

try:
    with gate.urlopen("/orders") as response:
        print(f"status {response.status}")
except GateDenied as denied:
    match denied.denial:
        case Required(update):
            print(f"denied: {update.message} {update.store_url}")
        case Maintenance(window):
            print(f"maintenance: {window.message}")
