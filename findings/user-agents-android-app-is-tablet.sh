#!/usr/bin/env bash
#
# user-agents: requests of Android apps are reported as requests of tablets, even with the name of a phone.
#
# Expected:  Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 ...), the default User-Agent of Android's own HTTP client,
#            and MyApp/3.4.9 (Android 14; Pixel 8) are phones: is_mobile, as for an app on an iPhone. At most
#            one of is_mobile and is_tablet is true.
# Observed:  is_tablet is true, and is_mobile is not, although the name of the device is recognized as Pixel 8. Every
#            Android device counts as a tablet unless its User-Agent contains "Mobile Safari", which browsers send,
#            or is that of Firefox. Without the name of a device, as in MyApp/3.4.9 (Android 14), both are true.
# Impact:    statistics of old app versions by is_mobile contain iPhones, but no Android phone that sends its name.
#            Rules and reports for tablets contain these phones. A test with the browser of the phone does not
#            show this.
#
# Software:  user-agents 2.2.0, ua-parser 1.0.2, ua-parser-builtins 202610 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    user-agents==2.2.0 ua-parser==1.0.2 ua-parser-builtins==202610

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from user_agents import parse

for package in ["user-agents", "ua-parser", "ua-parser-builtins"]:
    print(package, version(package))
# User-Agent: device, whether it is mobile, and whether it is a tablet.
recorded = {
    "MyApp/3.4.9 (iPhone; iOS 17.4.1)": ("iPhone", True, False),
    "MyApp/3.4.9 (iPad; iPadOS 17.4)": ("iPad", False, True),
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 "
    "Mobile Safari/537.36": ("Pixel 8", True, False),
    "Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8 Build/UP1A.231005.007)": ("Pixel 8", False, True),
    "MyApp/3.4.9 (Android 14; Pixel 8)": ("Pixel 8", False, True),
    "MyApp/3.4.9 (Linux; U; Android 14; SM-S911B) okhttp/4.12.0": ("Samsung SM-S911B", False, True),
    "MyApp/3.4.9 (Android 14)": ("Generic Smartphone", True, True),
}
observed = {}
for agent in recorded:
    client = parse(agent)
    observed[agent] = client.device.family, client.is_mobile, client.is_tablet
    device, mobile, tablet = observed[agent]
    print(f"{agent}: {device}, mobile {mobile}, tablet {tablet}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}, observed {observed}")
print("as recorded: an Android app on a Pixel 8 is on a tablet")
PYTHON
