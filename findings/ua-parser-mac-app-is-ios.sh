#!/usr/bin/env bash
#
# ua-parser: an app on a Mac is reported as an app on iOS.
#
# Expected:  "MyApp/2.4.0 CFNetwork/… Darwin/23.4.0 (x86_64)", the User-Agent of an app on an Intel
#            Mac, has the operating system Mac OS X 14.4, because no iPhone or iPad has such a CPU.
# Observed:  the operating system is iOS 17.4, the iOS release with the same Darwin version. The
#            CPU in parentheses makes no difference for Darwin 20.6, 23.4 and 24.0, although it
#            does for older versions: Darwin 15.3 with x86_64 is Mac OS X 10.11.
# Impact:    for an app that is published for iPhone and Mac with separate version numbers, Macs are
#            counted as iPhones. Rules by operating system then deny Mac builds by the iOS floor.
#
# Software:  ua-parser 1.0.2 with ua-parser-builtins 202610 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    ua-parser==1.0.2 ua-parser-builtins==202610

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from ua_parser import parse_os

print("ua-parser", version("ua-parser"), "with ua-parser-builtins", version("ua-parser-builtins"))
recorded = {
    "MyApp/2.4.0 CFNetwork/760.2.6 Darwin/15.3.0 (x86_64)": "Mac OS X 10.11",
    "MyApp/2.4.0 CFNetwork/1240.0.4 Darwin/20.6.0 (x86_64)": "iOS 14.8",
    "MyApp/2.4.0 CFNetwork/1494.0.7 Darwin/23.4.0 (x86_64)": "iOS 17.4",
    "MyApp/2.4.0 CFNetwork/1568.100.1 Darwin/24.0.0 (x86_64)": "iOS 18.0",
}
observed = {}
for field in recorded:
    system = parse_os(field)
    observed[field] = system and f"{system.family} {system.major}.{system.minor}"
    print(f"{field}: {observed[field]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: an Intel Mac is iOS 17.4")
PYTHON
