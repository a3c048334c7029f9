"""Starts without a network. Run it with the gate's URL, the app's version and a file for the last state."""

import sys

from versiongate import FileStorage, Required, Unknown, VersionGate

url, version, file = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version}, storage=FileStorage(file))

match gate.check():
    case Unknown(Required()):
        # The requirement may have been withdrawn since, so it does not block the program.
        print("start offline; last time, an update was required")
    case Unknown():
        print("start offline")
    case _:
        print("online")
