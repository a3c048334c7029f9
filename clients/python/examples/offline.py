"""Starts without a network. Run it with the gate's URL, the app's version and a file for the last state."""

import sys

from versiongate import FileStorage, Unknown, VersionGate

url, version, file = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version}, storage=FileStorage(file))

match gate.check():
    case Unknown(last):
        # An earlier requirement may have been withdrawn since, so it does not block the app.
        print(f"start offline; the last state was {type(last).__name__.lower() if last else 'unknown'}")
    case state:
        print(f"online: {type(state).__name__.lower()}")
