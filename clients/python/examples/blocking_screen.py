"""Shows and hides a screen while the program runs. Run it with the gate's URL and the app's version."""

import sys

from versiongate import Required, VersionGate

url, version = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version})

for state in gate.states():
    if isinstance(state, Required):
        update = state.update
        button = "" if update.cannot_update else f" [{update.button}: {update.store_url}]"
        print(f"show: {update.title}: {update.message}{button}", flush=True)
    else:
        print("hide", flush=True)
