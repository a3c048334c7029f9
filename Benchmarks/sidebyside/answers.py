"""Checks before a measurement that a candidate sends the right responses."""

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
    connection = open_connection(port, tls)
    try:
        for version in PASSING:
            check_passed(version, *ask(connection, version))
        for version in DENIED:
            check_denied(version, *ask(connection, version))
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


def ask(connection, version):
    connection.request("GET", PATH, headers=request_headers(version))
    response = connection.getresponse()
    body = response.read()
    if response.will_close:
        raise WrongAnswer(f"{version}: closes the connection")
    return response, body


def check_passed(version, response, body):
    if response.status != 200:
        raise WrongAnswer(f"{version}: status {response.status} instead of 200")
    if body != BACKEND_BODY.encode():
        raise WrongAnswer(f"{version}: not the backend's body")


def check_denied(version, response, body):
    if response.status != 426:
        raise WrongAnswer(f"{version}: status {response.status} instead of 426")
    for name, value in DENIAL_HEADERS.items():
        # A parameter such as charset can follow.
        if (response.getheader(name) or "").partition(";")[0] != value:
            raise WrongAnswer(f"{version}: {name} is {response.getheader(name)!r}, not {value!r}")
    try:
        denial = json.loads(body)
    except ValueError as error:
        raise WrongAnswer(f"{version}: the denial is not JSON") from error
    if denial.get("currentVersion") != version:
        raise WrongAnswer(f"{version}: the denial names version {denial.get('currentVersion')!r}")
    missing = {"title", "message", "storeUrl", "minimumVersion"} - denial.keys()
    if missing:
        raise WrongAnswer(f"{version}: the denial has no {', '.join(sorted(missing))}")
