#!/usr/bin/env bash
#
# Authlib: a 426 with a JSON body for the refresh of a token is saved as the new token.
#
# Expected:  a response of the token endpoint with a status of 400 or higher is an error: the call raises an
#            exception, and the old token stays.
# Observed:  the client raises the HTTP error only for a status of 500 or higher, and for a body that is not a JSON
#            object. Any other JSON without the member "error" becomes the token of the session, and update_token gets
#            it, to save it. Only the refresh token of the old token is added. fetch_token() returns such a denial as
#            the token.
# Impact:    a gateway denies old app versions for all paths, also for the token endpoint. The app then saves
#            {"title": ..., "message": ...} as the token of the user. The request itself fails with "Unsupported
#            token_type", without the status. After the update of the app, the saved token is still there: it has no
#            time of expiry, so the client never refreshes it, and each request fails until the user signs in again.
#            An update_token that reads token["access_token"], as in the documentation, saves nothing (KeyError), but
#            the session is useless until the app starts again. A denial with the member "error" (as in OAuth), or
#            with a body that is not JSON, has no such effect.
# Guess:     an HTTP error for each 426; seen: an HTTP error only for the empty one.
#
# Software:  Authlib 1.9.10, requests 2.34.2 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check Authlib==1.9.10 requests==2.34.2

cd "$work"
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import json
import sys
from importlib.metadata import version

from authlib.integrations.requests_client import OAuth2Session

from gateways import serve

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
DENIAL = {"title": "Update required", "message": "Please update.", "storeUrl": "https://store.example/app"}
denial = json.dumps(DENIAL).encode()
answers = {
    "token": (200, JSON, b'{"access_token": "new", "refresh_token": "two", "token_type": "bearer"}'),
    "400 with an OAuth error": (400, JSON, b'{"error": "invalid_grant"}'),
    "426 with an OAuth error": (426, PROBLEM, json.dumps({**DENIAL, "error": "upgrade_required"}).encode()),
    "426 without a body": (426, {}, b""),
    "503": (503, PROBLEM, denial),
    "426": (426, PROBLEM, denial),
    "403": (403, PROBLEM, denial),
}
asked = []


def respond(question):
    asked.append(question.path)
    return answers[answer] if question.path == "/token" else (200, JSON, b"{}")


def outcome(call):
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}: {error}".partition(" for url")[0]


def open_session(token, update_token):
    return OAuth2Session("app", "secret", token=dict(token), token_endpoint=address + "/token",
                         update_token=update_token)


def get(token, session=None):
    """Sends a request with a token, and returns the outcome, the paths, and what update_token got."""
    asked.clear()
    saved = []
    session = session or open_session(token, lambda new, **_: saved.append(dict(new)))
    return outcome(lambda: session.get(address + "/orders").status_code), list(asked), saved


print("Authlib", version("Authlib"))
address = f"http://127.0.0.1:{serve(respond)}"
expired = {"access_token": "old", "refresh_token": "one", "token_type": "bearer", "expires_at": 1}
NO_TYPE = "UnsupportedTokenTypeError: unsupported_token_type: Unsupported token_type: 'access_token'"
AS_TOKEN = {**DENIAL, "refresh_token": "one"}
# Answer of the token endpoint: outcome of a request, paths that were asked, tokens to save.
recorded = {
    "token": (200, ["/token", "/orders"], [json.loads(answers["token"][2])]),
    "400 with an OAuth error": ("OAuthError: invalid_grant: ", ["/token"], []),
    "426 with an OAuth error": ("OAuthError: upgrade_required: ", ["/token"], []),
    "426 without a body": ("HTTPError: 426 Client Error: Upgrade Required", ["/token"], []),
    "503": ("HTTPError: 503 Server Error: Service Unavailable", ["/token"], []),
    "426": (NO_TYPE, ["/token"], [AS_TOKEN]),
    "403": (NO_TYPE, ["/token"], [AS_TOKEN]),
    "token, after that 426 was saved": (NO_TYPE, [], []),
    "426, update_token reads access_token": ("KeyError: 'access_token'", ["/token"], []),
    "token, after that, in the same session": (NO_TYPE, [], []),
    "426 for fetch_token()": DENIAL,
}
observed = {}
for answer in answers:
    observed[answer] = get(expired)
answer = "token"
observed["token, after that 426 was saved"] = get(observed["426"][2][0] if observed["426"][2] else expired)
answer = "426"
session = open_session(expired, lambda new, **_: new["access_token"])
observed["426, update_token reads access_token"] = get(None, session)
answer = "token"
observed["token, after that, in the same session"] = get(None, session)
answer = "426"
session = OAuth2Session("app", "secret")
observed["426 for fetch_token()"] = outcome(
    lambda: dict(session.fetch_token(address + "/token", grant_type="password", username="u", password="p")))
for name, value in observed.items():
    if isinstance(value, tuple):
        print(f"{name}: {value[0]}; asked: {' '.join(value[1]) or 'nothing'}; saved: {value[2] or 'nothing'}")
    else:
        print(f"{name}: {value}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the JSON of a 426 is saved as the token")
PYTHON
