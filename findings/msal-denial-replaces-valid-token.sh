#!/usr/bin/env bash
#
# MSAL: a 426 for an early refresh is returned as the token, although the cached token is still valid.
#
# Expected:  if an early refresh (after refresh_in) fails, acquire_token_silent() returns the cached token, which is
#            valid until expires_in. Without a valid token, it returns None, as its documentation says.
# Observed:  with a status below 500, each JSON object without the member "error" counts as a success of the token
#            endpoint. acquire_token_silent() returns this object, such as {"title": ..., "message": ...}, instead of
#            the valid token, and also after the token has expired. The cache keeps the old tokens. With a 426 without
#            a body, or with 503, it raises an exception, although the token is valid. With an error as in OAuth, it
#            returns the valid token or None, as it should.
# Impact:    a gateway denies old app versions for the token endpoint of a company's own provider (oidc_authority). As
#            soon as refresh_in has passed, all requests fail, also those to services that accept the version:
#            result["access_token"] is a KeyError. The official examples print result.get("error"), which is None. A
#            denial with the member "error" has no such effect.
# Guess:     the cached token; after it has expired, None.
#
# Software:  msal 1.39.0, requests 2.34.2 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check msal==1.39.0 requests==2.34.2

cd "$work"
"$work/venv/bin/python" -W ignore - <<'PYTHON'
import base64
import json
import logging
import sys
import time
from importlib.metadata import version

import msal
import requests

from gateways import serve

JSON = {"Content-Type": "application/json"}
PROBLEM = {"Content-Type": "application/problem+json"}
DENIAL = {"title": "Update required", "message": "Please update.", "storeUrl": "https://store.example/app"}
denial = json.dumps(DENIAL).encode()
ISSUER = "https://id.example/shop"
SETTINGS = {"issuer": ISSUER, "authorization_endpoint": ISSUER + "/authorize", "token_endpoint": ISSUER + "/token"}
logging.disable()


def part(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def tokens():
    now = int(time.time())
    claims = {"iss": ISSUER, "sub": "u", "aud": "app", "iat": now, "exp": now + 3600, "preferred_username": "u"}
    return {"token_type": "Bearer", "access_token": "valid", "refresh_token": "r", "scope": "orders", **times,
            "id_token": part({"alg": "none"}) + "." + part(claims) + "."}


def respond(question):
    if question.path.endswith("/.well-known/openid-configuration"):
        return 200, JSON, json.dumps(SETTINGS).encode()
    return answers[name] or (200, JSON, json.dumps(tokens()).encode())


class Http(requests.Session):
    """Sends the requests for https://id.example to the server of this script."""
    def request(self, method, url, **options):
        return super().request(method, url.replace("https://id.example", address), **options)


def refresh():
    """Signs in, waits until the token should be refreshed, and returns what the app gets then."""
    global name, times
    wanted, name = name, "token"
    client = msal.PublicClientApplication("app", oidc_authority=ISSUER, http_client=Http())
    client.acquire_token_by_username_password("u", "p", ["orders"])
    time.sleep(1.5)
    name = wanted
    try:
        result = client.acquire_token_silent(["orders"], account=client.get_accounts()[0])
    except Exception as error:
        return type(error).__name__
    return result.get("access_token", result) if result else None


print("msal", version("msal"))
answers = {
    "token": None,
    "400 with an OAuth error": (400, JSON, b'{"error": "invalid_grant"}'),
    "426 with an OAuth error": (426, PROBLEM, json.dumps({**DENIAL, "error": "upgrade_required"}).encode()),
    "426": (426, PROBLEM, denial),
    "403": (403, PROBLEM, denial),
    "426 without a body": (426, {}, b""),
    "503": (503, {**PROBLEM, "Retry-After": "60"}, denial),
}
address = f"http://127.0.0.1:{serve(respond)}"
# Answer to the refresh: what the app gets, with a token that is valid for an hour, and with one that has expired.
recorded = {
    "token": ("valid", "valid"),
    "400 with an OAuth error": ("valid", None),
    "426 with an OAuth error": ("valid", None),
    "426": (DENIAL, DENIAL),
    "403": (DENIAL, DENIAL),
    "426 without a body": ("JSONDecodeError", "JSONDecodeError"),
    "503": ("MsalServiceError", "MsalServiceError"),
}
observed = {}
for name in answers:
    times = {"expires_in": 3600, "refresh_in": 1}
    early = refresh()
    times = {"expires_in": 1}
    observed[name] = early, refresh()
    print(f"{name}: with a valid token {observed[name][0]}; with an expired token {observed[name][1]}")

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: acquire_token_silent() returns the JSON of a 426 instead of the valid token")
PYTHON
