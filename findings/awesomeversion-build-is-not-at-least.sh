#!/usr/bin/env bash
#
# awesomeversion: 3.5.0+94 is neither below nor at or above 3.5.0.
#
# Expected:  build metadata does not change the order of semantic versions: 3.5.0+94 is >= and <= 3.5.0. (Or the
#            build is compared as a number, and 3.5.0+94 is > 3.5.0.)
# Observed:  <, <=, >, >= and == are all false for 3.5.0+94 and 3.5.0, as they are for two builds of one version.
#            "<" and ">" ignore the build, but "<=" and ">=" are "<" or "==", and "==" compares the strings.
#            Therefore, in_range("3.5.0", "4.0.0") is false too. The strategy of both versions is SemVer.
# Impact:    Flutter apps have versions such as 3.5.0+94. A check with "version >= floor" or in_range() denies
#            every client of exactly the version that the floor names, the version users were told to install. The
#            check "not version < floor" admits it.
# Guess:     3.5.0+94 >= 3.5.0 is true.
#
# Software:  awesomeversion 25.8.0 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check awesomeversion==25.8.0

"$work/venv/bin/python" - <<'PYTHON'
import operator
import sys
from importlib.metadata import version

from awesomeversion import AwesomeVersion

print("awesomeversion", version("awesomeversion"))
operators = {"<": operator.lt, "<=": operator.le, "==": operator.eq, ">=": operator.ge, ">": operator.gt}
recorded = {
    ("3.4.9", "3.5.0"): "< <=",
    ("3.4.9+93", "3.5.0"): "< <=",
    ("3.5.0", "3.5.0"): "<= == >=",
    ("3.5.0+94", "3.5.0"): "",
    ("3.5.0+94", "3.5.0+93"): "",
    ("3.5.1+95", "3.5.0"): ">= >",
}
ranges = {"3.5.0": True, "3.5.0+94": False, "3.5.1+95": True}
observed = {}
for left, right in recorded:
    first, second = AwesomeVersion(left), AwesomeVersion(right)
    observed[left, right] = " ".join(name for name, compare in operators.items() if compare(first, second))
    print(f"{left} ({first.strategy.value}) and {right} ({second.strategy.value}): "
          f"true are {observed[left, right] or 'none'}")
in_range = {text: AwesomeVersion(text).in_range("3.5.0", "4.0.0") for text in ranges}
for text, result in in_range.items():
    print(f"{text}: in_range('3.5.0', '4.0.0') is {result}")
if observed != recorded or in_range != ranges:
    sys.exit(f"changed: recorded was {recorded} and {ranges}")
print("as recorded: 3.5.0+94 is neither < nor <= nor == nor >= nor > 3.5.0")
PYTHON
