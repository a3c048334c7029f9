#!/usr/bin/env bash
#
# supabase-auth: a denied refresh at the start of the app deletes the user's stored session.
#
# Expected:  a refresh that gets 426 or 403 from a gateway is an error. The stored session stays, as after the same
#            denial in get_session() and in the automatic refresh.
# Observed:  initialize() removes the session from the storage after a refresh that fails with a status other than 502,
#            503, 504 and 520 to 530. It raises nothing, and sends no event. get_session(), with the same denial of the
#            same expired session, raises AuthApiError with the text of the denial, and keeps the session.
# Impact:    an app of an old version starts when the access token has expired (usually after an hour). The user is
#            signed out instead of seeing why the app does not work any more. After the update, the refresh token is
#            gone, and each user has to sign in again. The same happens after a brownout, which should end without
#            a trace. Exempt the path of the tokens (/auth/v1/token) from the check, or call get_session() only.
# Guess:     the session stays.
#
# Software:  supabase-auth 2.34.1 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check supabase-auth==2.34.1

cd "$work"
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import base64
import json
import sys
import time
from importlib.metadata import version

from supabase_auth import SyncGoTrueClient, SyncMemoryStorage

from gateways import serve

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
DENIAL = b'{"title": "Update required", "message": "Please update.", "storeUrl": "https://store.example/app"}'
KEY = "supabase.auth.token"


def part(value):
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def session(refresh_token, seconds):
    """Returns a session whose access token expires in some seconds."""
    expires_at = int(time.time()) + seconds
    claims = {"sub": "u", "aud": "a", "iss": "i", "iat": 1, "exp": expires_at, "role": "authenticated", "aal": "aal1",
              "session_id": "s"}
    token = ".".join([part(b'{"alg": "HS256", "typ": "JWT"}'), part(json.dumps(claims).encode()), part(bytes(32))])
    user = {"id": "u", "app_metadata": {}, "user_metadata": {}, "aud": "a", "created_at": "2026-01-01T00:00:00Z"}
    return json.dumps({"access_token": token, "refresh_token": refresh_token, "expires_in": seconds,
                       "expires_at": expires_at, "token_type": "bearer", "user": user})


def start(method):
    """Starts an app with an expired session, and returns the outcome, the events and the stored refresh token."""
    storage = SyncMemoryStorage()
    storage.set_item(KEY, session("one", -100))
    client = SyncGoTrueClient(url=address, storage=storage)
    events = []
    client.on_auth_state_change(lambda event, _: events.append(event))
    try:
        result = getattr(client, method)()
        outcome = "a session" if result else "no error"
    except Exception as error:
        outcome = f"{type(error).__name__}: {error}"
    if client._refresh_token_timer:
        client._refresh_token_timer.cancel()
    stored = storage.get_item(KEY)
    return outcome, events, json.loads(stored)["refresh_token"] if stored else None


print("supabase-auth", version("supabase-auth"))
answers = {
    "token": (200, JSON, session("two", 3600).encode()),
    "503": (503, {**PROBLEM, "Retry-After": "60"}, DENIAL),
    "426": (426, PROBLEM, DENIAL),
    "426 with a brownout's Retry-After": (426, {**PROBLEM, "Retry-After": "60"}, DENIAL),
    "403": (403, PROBLEM, DENIAL),
}
address = f"http://127.0.0.1:{serve(lambda _: answers[name])}"
ERROR = ("AuthApiError: Please update.", [], "one")
LOST = ("no error", [], None)
# Answer to the refresh: outcome, events and stored refresh token, after initialize() and after get_session().
recorded = {
    "token": (("no error", ["TOKEN_REFRESHED"], "two"), ("a session", ["TOKEN_REFRESHED"], "two")),
    "503": (("no error", [], "one"), ("AuthRetryableError: Please update.", [], "one")),
    "426": (LOST, ERROR),
    "426 with a brownout's Retry-After": (LOST, ERROR),
    "403": (LOST, ERROR),
}
observed = {}
for name in answers:
    observed[name] = start("initialize"), start("get_session")
    for method, (outcome, events, stored) in zip(["initialize()", "get_session()"], observed[name]):
        print(f"{name}, {method}: {outcome}; events: {' '.join(events) or 'none'}; stored refresh token: {stored}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: after a 426, initialize() deletes the session")
PYTHON
