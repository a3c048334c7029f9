"""Checks the version when the program starts. Run it with the gate's URL and the app's version."""

import sys

from versiongate import Maintenance, Recommended, Required, VersionGate

url, version = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version})

match gate.check():
    case Recommended(update):
        print(f"start, and offer {update.latest_version}")
    case Required(update):
        print(f"update first: {update.store_url}")
    case Maintenance():
        print("come back later")
    case _:
        print("start")  # allowed, or unknown because there is no network
