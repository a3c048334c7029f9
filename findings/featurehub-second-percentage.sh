#!/usr/bin/env bash
#
# FeatureHub SDK: only the first strategy with a percentage is evaluated.
#
# Expected:  the strategies of a feature are tried in order. A client that does not match the attributes
#            of the first one can match the second one, which has a percentage of its own.
# Observed:  once the SDK has calculated the percentage of a user for one strategy, it skips all later
#            strategies with a percentage, even if the first one did not match. Strategies without a
#            percentage are still evaluated.
# Impact:    a forced update that is rolled out to 20% of the old iOS apps and 50% of the old Android apps
#            reaches no Android app. With the two strategies in the other order, it reaches no iOS app.
# Guess:     about 20% of the iOS users and 50% of the Android users; seen: 18% and none.
#
# Software:  featurehub-sdk 1.1.0 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check featurehub-sdk==1.1.0

"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import http.server
import json
import sys
import threading
from importlib.metadata import version

from featurehub_sdk.featurehub_config import FeatureHubConfig


def strategy(platform, percentage):
    """Returns a strategy for versions of `platform` below 3.5.0. 1000000 is 100%, and 0 is no percentage."""
    return {
        "id": platform, "percentage": percentage, "value": True,
        "attributes": [
            {"id": "1", "fieldName": "platform", "conditional": "EQUALS", "values": [platform], "type": "STRING"},
            {"id": "2", "fieldName": "version", "conditional": "LESS", "values": ["3.5.0"],
             "type": "SEMANTIC_VERSION"},
        ],
    }


features = {
    "android": [strategy("android", 500000)],
    "ios-android": [strategy("ios", 200000), strategy("android", 500000)],
    "android-ios": [strategy("android", 500000), strategy("ios", 200000)],
    "ios-all-android": [strategy("ios", 200000), strategy("android", 0)],
}


class Edge(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        # All features have the same ID, which determines the percentage of a user.
        body = json.dumps([{"id": "environment", "features": [
            {"id": "id", "key": key, "type": "BOOLEAN", "version": 1, "value": False, "l": True,
             "strategies": strategies}
            for key, strategies in features.items()]}]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Edge)
threading.Thread(target=server.serve_forever, daemon=True).start()
config = FeatureHubConfig(f"http://127.0.0.1:{server.server_port}", ["default/environment/key*client"])
config.use_polling_edge_service(0)
asyncio.run(config.init())

print("featurehub-sdk", version("featurehub-sdk"))
# Strategies and platform: how many of 1000 users on 3.4.9 have to update.
recorded = {
    ("android", "android"): 494,
    ("ios-android", "ios"): 177, ("ios-android", "android"): 0,
    ("android-ios", "ios"): 0, ("android-ios", "android"): 494,
    ("ios-all-android", "android"): 1000,
}
observed = {}
for key, platform in recorded:
    count = 0
    for user in range(1000):
        context = config.new_context().user_key(f"user-{user}").version("3.4.9")
        context.attribute_values("platform", [platform])
        count += context.build_sync().feature(key).get_flag
    observed[key, platform] = count
    print(f"strategies {key}: {count} of 1000 users on {platform}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the second of two strategies with a percentage is never applied")
PYTHON
