#!/usr/bin/env bash
#
# crawler-user-agents and crawlerdetect: apps that use OkHttp, Cronet or axios are crawlers.
#
# Expected:  the lists contain search engines, link previews and scrapers. OkHttp and Cronet, the usual
#            HTTP libraries of Android apps, and axios, which React Native apps use, are not crawlers.
# Observed:  both libraries report every User-Agent that contains "okhttp", also after the product of the
#            app, and axios. crawlerdetect also reports "Cronet", because it contains "Cron", and the
#            default of Flutter apps (Dart). Apps with CFNetwork or Alamofire are not reported.
# Impact:    a census of app versions that leaves out crawlers also leaves out these apps, so that a
#            higher floor for Android seems to affect few devices. A proxy that exempts crawlers from the
#            floor exempts old Android apps.
# Guess:     none of the apps is a crawler.
#
# Software:  crawler-user-agents 1.67.0 and crawlerdetect 0.4.2 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    crawler-user-agents==1.67.0 crawlerdetect==0.4.2

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

import crawleruseragents
from crawlerdetect import CrawlerDetect

for name in "crawler-user-agents", "crawlerdetect":
    print(name, version(name))
# User-Agent: whether crawler-user-agents reports a crawler, and what crawlerdetect found.
recorded = {
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)": (True, "Googlebot"),
    "MyApp/93 CFNetwork/1494.0.7 Darwin/23.4.0": (False, None),
    "MyApp/3.4.9 (com.example.app; build:93; iOS 17.4.0) Alamofire/5.9.1": (False, None),
    "MyApp/3.4.9 (Android 14; Pixel 8)": (False, None),
    "okhttp/4.12.0": (True, "okhttp"),
    "MyApp/3.4.9 (Android 14; Pixel 8) okhttp/4.12.0": (True, "okhttp"),
    "MyApp/3.4.9 (Android 14; Pixel 8) Cronet/126.0.6478.40": (False, "Cron"),
    "axios/1.7.2": (True, "axios/"),
    "Dart/3.4 (dart:io)": (False, "Dart/3"),
}
observed = {}
for agent in recorded:
    detector = CrawlerDetect(user_agent=agent)
    found = detector.getMatches() if detector.isCrawler() else None
    observed[agent] = crawleruseragents.is_crawler(agent), found
    print(f"{agent}: crawler-user-agents: {observed[agent][0]}, crawlerdetect: {found}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: an Android app with OkHttp is a crawler")
PYTHON
