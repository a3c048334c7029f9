"""The verification of App Store Connect tokens."""

import time

from .keys import PublicKey
from .tokens import BadToken, Token

AUDIENCE = "appstoreconnect-v1"
LONGEST_LIFE = 20 * 60
# The tolerated difference between two clocks, in seconds.
SKEW = 60


class AccessRefused(Exception):
    """The reason for rejecting a token, which the source itself never states."""


def check_token(request, state):
    """Raises AccessRefused unless the Bearer token is signed with a key in the state."""
    try:
        token = Token(request.bearer or "")
    except BadToken as problem:
        raise AccessRefused(str(problem)) from problem
    key = next((each for each in state["keys"] if each["kid"] == token.header.get("kid")), None)
    if key is None:
        raise AccessRefused("no such key")
    if token.header.get("alg") != "ES256" or token.header.get("typ") != "JWT":
        raise AccessRefused("ES256 and JWT are a must")
    if state["verify"] and not token.is_signed_by(PublicKey.from_pem(key["publicKey"]), "ES256"):
        raise AccessRefused("the signature")
    check_claims(token, key, state)
    check_scope(token, request)


def check_claims(token, key, state):
    claims = token.claims
    if key.get("individual"):
        if claims.get("sub") != "user" or "iss" in claims:
            raise AccessRefused("an individual key has a subject and no issuer")
    elif claims.get("iss") != state["issuer"]:
        raise AccessRefused("the issuer")
    audience = claims.get("aud")
    if AUDIENCE not in (audience if isinstance(audience, list) else [audience]):
        raise AccessRefused("the audience")
    now, issued, expires = time.time(), token.time("iat"), token.time("exp")
    if expires is None or expires <= now:
        raise AccessRefused("it has expired")
    if issued is not None and issued > now + SKEW:
        raise AccessRefused("it comes from the future")
    if expires - (now if issued is None else issued) > LONGEST_LIFE:
        raise AccessRefused("it lives longer than 20 minutes")


def check_scope(token, request):
    """A scope lists requests such as `GET /v1/builds`. Queries are ignored here."""
    scope = token.claims.get("scope")
    if scope is not None:
        named = scope if isinstance(scope, list) else []
        allowed = [str(each).partition("?")[0] for each in named]
        if f"{request.method} {request.path}" not in allowed:
            raise AccessRefused("the scope")
