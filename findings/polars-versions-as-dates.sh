#!/usr/bin/env bash
#
# polars: reading a CSV file with dates turns a column of app versions into dates.
#
# Expected:  read_csv(try_parse_dates=True) converts the column with ISO dates (2026-11-27) and
#            leaves "3.4.9", "3.10.0" and "3.10.1" as text.
# Observed:  the versions become dates (day.month.year) in the years 9, 0 and 1. The newest of them
#            is 3.4.9, because the last part decides. The column remains text if one version
#            cannot be a date (3.13.40), so the result depends on the versions in the
#            export.
# Impact:    the number of clients below 3.5.0 is wrong, or cannot be computed, for an export
#            that worked the month before.
#
# Software:  polars 2.1.0 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check polars==2.1.0

"$work/venv/bin/python" - <<'PYTHON'
import sys

import polars

print("polars", polars.__version__)
recorded = {
    "3.4.9 3.10.0 3.10.1": ("Date", "3.4.9"),
    "3.4.9 3.10.0 3.13.40": ("String", None),
}
observed = {}
for versions in recorded:
    rows = "".join(f"2026-11-27,{version},10\n" for version in versions.split())
    table = polars.read_csv(
        ("day,version,clients\n" + rows).encode(), try_parse_dates=True
    ).with_columns(written=polars.Series(versions.split()))
    column = table["version"]
    newest = None
    if column.dtype == polars.Date:
        newest = table.filter(column == column.max())["written"][0]
    observed[versions] = (str(column.dtype), newest)
    print(f"{versions}: type {column.dtype}, as text {column.cast(polars.String).to_list()}, "
          f"newest {newest}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the newest of 3.4.9, 3.10.0 and 3.10.1 is 3.4.9")
PYTHON
