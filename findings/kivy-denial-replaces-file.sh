#!/usr/bin/env bash
#
# Kivy: with file_path, a denied download replaces the file with the JSON of the denial, and the app gets no text.
#
# Expected:  UrlRequest writes the file for a response of 2xx only. For a 426, the file stays, and on_failure gets the
#            body.
# Observed:  UrlRequest opens the file before it looks at the status, so each response replaces it: with the JSON of
#            a 426 or 503, or with nothing. on_failure gets an empty result instead of the body. Without file_path,
#            on_failure gets the body, as a dict for application/json and as a string for application/problem+json.
# Impact:    an app that updates a downloaded file (a catalog, a map, a level) loses the old one as soon as its
#            version is denied, also in a brownout of an hour, and can't read it at the next start. The
#            texts to show are only in the file. Download to another path, and move the file in on_success.
# Guess:     the file stays, and on_failure gets the JSON as a dict.
#
# Software:  Kivy 2.3.1 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check Kivy==2.3.1

cd "$work"
export KIVY_HOME="$work/kivy" KIVY_NO_ARGS=1 KIVY_NO_CONSOLELOG=1 KIVY_NO_FILELOG=1
"$work/venv/bin/python" - <<'PYTHON'
import json
import os
import sys
from importlib.metadata import version

from kivy.network.urlrequest import UrlRequest

from gateways import serve

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
DENIAL = {"title": "Update required", "message": "Please update."}
TEXT = json.dumps(DENIAL)
OLD, NEW = "version: 1", "version: 2"
answers = {
    "200": (200, {"Content-Type": "text/plain"}, NEW.encode()),
    "426": (426, PROBLEM, TEXT.encode()),
    "426 as application/json": (426, JSON, TEXT.encode()),
    "426 without a body": (426, {}, b""),
    "503": (503, {**PROBLEM, "Retry-After": "60"}, TEXT.encode()),
}


def ask(file_path):
    """Returns the callback and its result."""
    calls = []
    request = UrlRequest(address, file_path=file_path, timeout=10,
                         on_success=lambda _, result: calls.append(("on_success", result)),
                         on_failure=lambda _, result: calls.append(("on_failure", result)))
    request.wait()
    return calls


def download():
    """Downloads to a file that exists, and returns the calls and the content of the file."""
    with open("catalog", "w") as file:
        file.write(OLD)
    calls = ask("catalog")
    with open("catalog") as file:
        return calls, file.read()


print("Kivy", version("Kivy"))
address = f"http://127.0.0.1:{serve(lambda _: answers[name])}/catalog"
# Answer: callbacks and file of a download, and callbacks of a request without file_path.
recorded = {
    "200": ([("on_success", b"")], NEW, [("on_success", NEW)]),
    "426": ([("on_failure", b"")], TEXT, [("on_failure", TEXT)]),
    "426 as application/json": ([("on_failure", "")], TEXT, [("on_failure", DENIAL)]),
    "426 without a body": ([("on_failure", b"")], "", [("on_failure", "")]),
    "503": ([("on_failure", b"")], TEXT, [("on_failure", TEXT)]),
}
observed = {}
for name in answers:
    calls, content = download()
    observed[name] = calls, content, ask(None)
    print(f"{name}: download {calls}, file {content!r}; without file_path {observed[name][2]}")
sys.stdout.flush()

if observed != recorded:
    print(f"changed: recorded was {recorded}", flush=True)
    os._exit(1)
print("as recorded: a 426 replaces the downloaded file", flush=True)
os._exit(0)
PYTHON
