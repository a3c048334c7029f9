"""Waits until maintenance is over. Run it with the gate's URL and the app's version."""

import sys

from versiongate import GateDenied, Maintenance, VersionGate

url, version = sys.argv[1:]
gate = VersionGate(url, {"platform": "android", "version": version})

try:
    gate.urlopen("/orders").close()
except GateDenied as denied:
    if not isinstance(denied.denial, Maintenance):
        raise
    window = denied.denial.window
    print(f"maintenance until {window.maintenance_until}: {window.message}", flush=True)

for state in gate.states():
    if not isinstance(state, Maintenance):
        print("maintenance is over", flush=True)
        break
