#!/usr/bin/env bash
#
# rox (CloudBees Feature Management): rules on semantic versions use the order of Python packages.
#
# Expected:  semverLt, semverEq and semverGte follow Semantic Versioning: 3.5.0-93 and 3.5.0-debug are
#            pre-releases, older than 3.5.0, and the build in 3.5.0+93 makes no difference.
# Observed:  they follow PEP 440. 3.5.0-93 is a "post-release", newer than 3.5.0, and 3.5.0+93 is newer
#            than it and not equal. With 3.5.0-debug and "3.4.9 (93)", each comparison is undefined,
#            with a warning in the log, so the rule does not match. 3.5.0-beta.2 is older, as expected.
# Impact:    a server that denies old apps by a flag with semverGte 3.5.0 accepts 3.5.0-93, a build of
#            its CI before the release; a rule for exactly 3.5.0 does not match apps that add their
#            build; and apps with a suffix that PEP 440 does not know match no rule, neither "less" nor
#            "at least". A test with a beta version succeeds.
# Guess:     the order of Semantic Versioning; seen in the source before the first run: PEP 440.
#
# Software:  rox 6.0.1, packaging 26.4 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check rox==6.0.1 packaging==26.4

"$work/venv/bin/python" - <<'PYTHON'
import logging
import sys
from importlib.metadata import version

from rox.core.roxx.parser import Parser

logging.disable(logging.CRITICAL)
print("rox", version("rox"))
parser = Parser(None)
# Version: whether it is less than, equal to, and at least 3.5.0, or None if the rule is undefined.
recorded = {
    "3.4.9": (True, False, False),
    "3.10.0": (False, False, True),
    "3.5.0-beta.2": (True, False, False),
    "3.5.0-93": (False, False, True),
    "3.5.0+93": (False, False, True),
    "3.5.0-debug": (None, None, None),
    "3.4.9 (93)": (None, None, None),
}
observed = {}
for app in recorded:
    observed[app] = tuple(
        parser.evaluate_expression(f'{operator}("{app}", "3.5.0")').value
        for operator in ("semverLt", "semverEq", "semverGte"))
    print(f"{app}: less {observed[app][0]}, equal {observed[app][1]}, at least {observed[app][2]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.5.0-93 is newer than 3.5.0")
PYTHON
