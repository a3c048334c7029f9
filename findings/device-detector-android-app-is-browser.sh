#!/usr/bin/env bash
#
# device-detector: an app that names Android in its User-Agent is the Android Browser.
#
# Expected:  "MyApp/3.4.9 (Android 14; Pixel 8) okhttp/4.12.0" is the app MyApp 3.4.9, as is
#            "MyApp/3.4.9 (iPhone; iOS 17.4.1; Scale/3.00)".
# Observed:  it is the browser "Android Browser" without a version. The same format with Macintosh is
#            Safari. With Windows, it is MyApp again.
# Impact:    for one app with one User-Agent format, the clients on iOS and Windows are counted by
#            version, and those on Android and Mac are missing from the statistics for a new floor.
#
# Software:  device_detector 6.5.1 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check device_detector==6.5.1

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from device_detector import DeviceDetector

print("device_detector", version("device_detector"))
recorded = {
    "MyApp/3.4.9 (iPhone; iOS 17.4.1; Scale/3.00)": ("mobile app", "MyApp", "3.4.9"),
    "MyApp/3.4.9 (Windows NT 10.0; Win64; x64)": ("generic", "MyApp", "3.4.9"),
    "MyApp/3.4.9 (Android 14; Pixel 8)": ("browser", "Android Browser", ""),
    "MyApp/3.4.9 (Android 14; Pixel 8) okhttp/4.12.0": ("browser", "Android Browser", ""),
    "MyApp/3.4.9 (Macintosh; Mac OS X 14.4)": ("browser", "Safari", ""),
}
observed = {}
for field in recorded:
    client = DeviceDetector(field).parse()
    observed[field] = (
        str(client.client_type().value), client.client_name(), client.client_version()
    )
    print(f"{field}: {observed[field]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: MyApp on Android is the Android Browser")
PYTHON
