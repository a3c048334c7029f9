"""What the Google services have in common: the token endpoint, access tokens, and the form of errors.
"""

import secrets
import time
from urllib.parse import parse_qsl

from .keys import PublicKey
from .messages import Answer
from .tokens import BadToken, Token

GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer"
AUDIENCE = "https://oauth2.googleapis.com/token"
# How far in the future a token's issue time may be, in seconds.
SKEW = 300

STATUS_NAMES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
    409: "ABORTED", 412: "FAILED_PRECONDITION", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
    503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

# The switches. `accounts`: service accounts in the format of their key files, or with `publicKey`.
OAUTH = {
    "accounts": [], "path": "/token", "verify": True, "lifetime": 3599, "dies": None,
    "accepted": [], "extra": {},
}


class TokenEndpoint:
    """Issues an access token for an assertion that a service account has signed."""

    def __init__(self, protocol):
        self.protocol = protocol
        self.issued = {}

    @property
    def switches(self):
        return self.protocol.state["oauth"]

    def check(self, switches):
        for account in switches["accounts"]:
            PublicKey.from_pem(key_text(account))
            if "client_email" not in account:
                raise ValueError("an account has a client_email")

    def expire(self):
        """Expires every access token."""
        self.issued = {}

    def answer(self, request):
        if request.method != "POST":
            return Answer(405)
        form = dict(parse_qsl(request.body.decode("latin-1")))
        if form.get("grant_type") != GRANT:
            return failure("unsupported_grant_type", "Invalid grant_type: " + form.get(
                "grant_type", ""))
        try:
            token = Token(form.get("assertion", ""))
        except BadToken as problem:
            return failure("invalid_grant", f"Bad assertion: {problem}.")
        problem = self.problem_of(token, request)
        return problem or self.issue(token)

    def problem_of(self, token, request):
        email = token.claims.get("iss")
        account = next(
            (each for each in self.switches["accounts"] if each["client_email"] == email), None)
        if account is None:
            return failure("invalid_grant", "Invalid grant: account not found")
        key_id = account.get("private_key_id")
        if key_id is not None and token.header.get("kid") not in (None, key_id):
            return failure("invalid_grant", "Invalid JWT Signature.")
        key = PublicKey.from_pem(key_text(account))
        if token.header.get("alg") != "RS256" or (
                self.switches["verify"] and not token.is_signed_by(key, "RS256")):
            return failure("invalid_grant", "Invalid JWT Signature.")
        issued, expires, now = token.time("iat"), token.time("exp"), time.time()
        if issued is None or expires is None or not (
                issued < now + SKEW and now < expires <= issued + 3600):
            return failure("invalid_grant", (
                "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable "
                "timeframe. Check your iat and exp values in the JWT claim."))
        own = request.listener.origin.replace("localhost", "{}") + self.switches["path"]
        audiences = [AUDIENCE, *(own.format(name) for name in ("localhost", "127.0.0.1"))]
        if token.claims.get("aud") not in audiences:
            return failure("invalid_grant", "Failed audience check.")
        if not token.claims.get("scope"):
            return failure("invalid_scope", "Empty or missing scope not allowed.")
        return None

    def issue(self, token):
        access = "ya29." + secrets.token_urlsafe(32)
        lifetime = self.switches["lifetime"]
        lives = lifetime if self.switches["dies"] is None else self.switches["dies"]
        self.issued[access] = (time.monotonic() + lives, token.claims["scope"].split())
        return Answer.json({
            "access_token": access, "expires_in": lifetime, "token_type": "Bearer",
            **self.switches["extra"],
        }, fields=[("Cache-Control", "private")])

    def problem_with(self, access, scopes):
        """Returns None if a token grants one of the scopes; otherwise `missing`, `invalid` or
        `scope`.
        """
        if access is None:
            return "missing"
        if access in self.switches["accepted"]:
            return None
        expiry, granted = self.issued.get(access, (0, []))
        if time.monotonic() >= expiry:
            return "invalid"
        return None if set(granted) & set(scopes) else "scope"


def key_text(account):
    text = account.get("publicKey") or account.get("private_key")
    if not text:
        raise ValueError("an account has a publicKey or a private_key")
    return text


def failure(error, description):
    return Answer.json({"error": error, "error_description": description}, status=400)


def google_error(status, message=None, details=()):
    name = STATUS_NAMES.get(status, "UNKNOWN")
    error = {"code": status, "message": message or f"The request failed: {name}.", "status": name}
    if details:
        error["details"] = list(details)
    fields = []
    if status == 401:
        fields = [("WWW-Authenticate", 'Bearer realm="https://accounts.google.com/"')]
    return Answer.json({"error": error}, status, "application/json; charset=UTF-8", fields)


def access_refusal(problem):
    """Returns the response to a missing or invalid token, or to one with insufficient scope."""
    if problem == "scope":
        return google_error(403, "Request had insufficient authentication scopes.", [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "ACCESS_TOKEN_SCOPE_INSUFFICIENT", "domain": "googleapis.com",
        }])
    return google_error(401, (
        "Request is missing required authentication credential." if problem == "missing"
        else "Request had invalid authentication credentials."))
