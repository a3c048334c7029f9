#!/usr/bin/env bash
#
# python-graphql-client: execute_async() returns the JSON of a 426 or 503 as the result of the query.
#
# Expected:  execute_async() raises an error for a status of 400 or higher, as execute() does.
# Observed:  execute_async() does not read the status. It returns each body whose media type is JSON, such as
#            application/problem+json, as the result. execute() raises HTTPError for the same responses, and so hides
#            the errors in a GraphQL response. A response without a body raises an error in both.
# Impact:    the result of a denied query has no "data" and no "errors". Code with result.get("data") shows an empty
#            list instead of the update, and code that looks for "errors" takes a denied order as sent. A gateway
#            should deny GraphQL requests with "errors".
# Guess:     an error with the status.
#
# Software:  python-graphql-client 0.4.3, aiohttp 3.14.5, requests 2.34.2 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    python-graphql-client==0.4.3 aiohttp==3.14.5 requests==2.34.2

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import json
import sys
from importlib.metadata import version

from python_graphql_client import GraphqlClient

from gateways import serve

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
QUERY = 'mutation { order(id: "7") { id } }'
data = {"data": {"order": {"id": "7"}}}
denial = {"title": "Update required", "message": "Please update.", "storeUrl": "https://store.example/app"}
errors = {"errors": [{"message": "Please update.", "extensions": {"code": "UPGRADE_REQUIRED"}}]}
answers = {
    "200": (200, JSON, json.dumps(data).encode()),
    "200 with errors": (200, JSON, json.dumps(errors).encode()),
    "426": (426, PROBLEM, json.dumps(denial).encode()),
    "403": (403, JSON, json.dumps(denial).encode()),
    "503": (503, {**PROBLEM, "Retry-After": "60"}, json.dumps(denial).encode()),
    "426 with errors": (426, JSON, json.dumps(errors).encode()),
    "426 without a body": (426, {}, b""),
}


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error).__name__


print("python-graphql-client", version("python-graphql-client"))
client = GraphqlClient(f"http://127.0.0.1:{serve(lambda _: answers[name])}/graphql")
# Answer: outcomes of execute() and execute_async().
recorded = {
    "200": (data, data),
    "200 with errors": (errors, errors),
    "426": ("HTTPError", denial),
    "403": ("HTTPError", denial),
    "503": ("HTTPError", denial),
    "426 with errors": ("HTTPError", errors),
    "426 without a body": ("HTTPError", "ContentTypeError"),
}
observed = {}
for name in answers:
    observed[name] = (outcome(lambda: client.execute(QUERY)),
                      outcome(lambda: asyncio.run(client.execute_async(QUERY))))
    print(f"{name}: execute() {observed[name][0]}; execute_async() {observed[name][1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: execute_async() returns the JSON of a 426 as the result")
PYTHON
