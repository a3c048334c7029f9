#!/usr/bin/env bash
#
# feedparser: the version of an appcast item can be that of another release.
#
# Expected:  an item that states its version as an attribute of the enclosure, as Sparkle allows,
#            has no entry.sparkle_version, or has the version of the enclosure (3600).
# Observed:  entry.sparkle_version is 3500, from the sparkle:version element inside
#            sparkle:informationalUpdate. That element lists installed versions for which the update
#            is shown without an offer to install it. feedparser stores elements of unknown
#            namespaces without their nesting. A sparkle:version element in the item itself would
#            have priority.
# Impact:    a release job that reads the newest version from the appcast gets a version that users
#            already have, so it does not raise the floor, or lowers it.
#
# Software:  feedparser 6.0.14 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check feedparser==6.0.14

"$work/venv/bin/python" - <<'PYTHON'
import sys

import feedparser

APPCAST = """<?xml version="1.0" encoding="utf-8"?>
<rss version="2.0" xmlns:sparkle="http://www.andymatuschak.org/xml-namespaces/sparkle">
  <channel>
    <title>My App</title>
    <item>
      <title>3.6.0</title>
      {version}
      <sparkle:informationalUpdate>
        <sparkle:version>3500</sparkle:version>
      </sparkle:informationalUpdate>
      <enclosure url="https://example.com/MyApp-3.6.0.zip" {attribute} length="1024"
          type="application/octet-stream"/>
    </item>
  </channel>
</rss>
"""

print("feedparser", feedparser.__version__)
element = APPCAST.format(version="<sparkle:version>3600</sparkle:version>", attribute="")
attribute = APPCAST.format(version="", attribute='sparkle:version="3600"')
recorded = {"element": ("3600", None), "attribute": ("3500", "3600")}
observed = {}
for place, text in {"element": element, "attribute": attribute}.items():
    entry = feedparser.parse(text).entries[0]
    observed[place] = (entry.get("sparkle_version"), entry.enclosures[0].get("sparkle:version"))
    print(f"3600 as {place}: entry, enclosure = {observed[place]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: entry.sparkle_version is 3500 for version 3600")
PYTHON
