"""Checks before a measurement that a candidate sends the right responses."""

import contextlib
import http.client
import json
import ssl

from .appcall import BACKEND_BODY, PATH, request_headers

# 3.10.0 distinguishes a numeric comparison from a string comparison.
PASSING = ("4.2.0", "3.5.0", "3.10.0")
DENIED = ("3.4.9", "2.10.0", "3.7.2", "3.9.3")

DENIAL_HEADERS = {
    "Content-Type": "application/problem+json",
    "Cache-Control": "no-store",
    "Content-Language": "en",
    "X-VersionGate": "require",
}


class WrongAnswer(Exception):
    """A wrong response of the candidate."""


def check_answers(port, tls=False):
    """Sends every version over one connection, and raises WrongAnswer at the first wrong response."""
    with connected(port, tls) as connection:
        for version in PASSING:
            check_passed(version, *send(connection, version))
        for version in DENIED:
            check_denied(version, *send(connection, version))


@contextlib.contextmanager
def connected(port, tls=False):
    """Opens a connection; raises WrongAnswer if it fails."""
    connection = open_connection(port, tls)
    try:
        yield connection
    except (OSError, http.client.HTTPException) as error:
        raise WrongAnswer(f"no response: {error!r}") from error
    finally:
        connection.close()


def open_connection(port, tls):
    if not tls:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    # The certificate is self-signed.
    context = ssl._create_unverified_context()
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)


def send(connection, version, path=PATH, more=()):
    """Sends the request of an app with this version and more fields, and returns the response and its body."""
    connection.request("GET", path, headers=request_headers(version) | dict(more))
    response = connection.getresponse()
    body = response.read()
    if response.will_close:
        raise WrongAnswer(f"{version}: closes the connection")
    return response, body


def check_passed(version, response, body):
    check_status(version, response.status, 200)
    if body != BACKEND_BODY.encode():
        raise WrongAnswer(f"{version}: not the backend's body")


def check_denied(version, response, body):
    check_status(version, response.status, 426)
    for name in DENIAL_HEADERS:
        check_header(version, response, name)
    check_denial(version, body)


def check_status(version, status, right):
    if status != right:
        raise WrongAnswer(f"{version}: status {status} instead of {right}")


def check_header(version, response, name):
    """Checks a header of a denial."""
    value = response.getheader(name)
    # A parameter such as charset can follow.
    if (value or "").partition(";")[0] != DENIAL_HEADERS[name]:
        raise WrongAnswer(f"{version}: {name} is {value!r}, not {DENIAL_HEADERS[name]!r}")


def check_denial(version, body):
    """Checks the body of a denial."""
    try:
        denial = json.loads(body)
    except ValueError as error:
        raise WrongAnswer(f"{version}: the denial is not JSON") from error
    if denial.get("currentVersion") != version:
        raise WrongAnswer(f"{version}: the denial names version {denial.get('currentVersion')!r}")
    missing = {"title", "message", "storeUrl", "minimumVersion"} - denial.keys()
    if missing:
        raise WrongAnswer(f"{version}: the denial has no {', '.join(sorted(missing))}")
