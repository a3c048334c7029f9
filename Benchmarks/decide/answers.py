"""Checks before a measurement that an authorizer decides right."""

import http.client
import json
import subprocess

from sidebyside.answers import WrongAnswer
from sidebyside.appcall import request_headers
from sidebyside.packages import find_program

from .question import CALL_PATH, check_request, fields_of, forwarded_fields, grpc_body

# 3.10.0 distinguishes a numeric comparison from a string comparison.
ALLOWED = ("4.2.0", "3.5.0", "3.10.0")
DENIED = ("3.4.9", "2.10.0")
SECONDS = 10
# The fields of a CheckResponse.
STATUS, DENIED_RESPONSE, OK_RESPONSE = 1, 2, 3


def check_http(port):
    """Asks about every version over one connection, and raises WrongAnswer at the first wrong response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        for version in ALLOWED:
            response, body = ask(connection, version)
            if response.status != 200 or body:
                raise WrongAnswer(f"{version}: {response.status} with {len(body)} bytes instead of 200 without a body")
        for version in DENIED:
            response, body = ask(connection, version)
            if response.status != 426:
                raise WrongAnswer(f"{version}: status {response.status} instead of 426")
            check_denial(version, response.getheader("Content-Type"), body)
    except (OSError, http.client.HTTPException) as error:
        raise WrongAnswer(f"no response: {error!r}") from error
    finally:
        connection.close()


def ask(connection, version):
    connection.request("GET", "/decide", headers=request_headers(version) | forwarded_fields("/v2/items/48213"))
    response = connection.getresponse()
    body = response.read()
    if response.will_close:
        raise WrongAnswer(f"{version}: closes the connection")
    return response, body


def check_denial(version, content_type, body):
    if (content_type or "").partition(";")[0] != "application/problem+json":
        raise WrongAnswer(f"{version}: the denial's Content-Type is {content_type!r}")
    try:
        denial = json.loads(body)
    except ValueError as error:
        raise WrongAnswer(f"{version}: the denial is no JSON") from error
    if denial.get("currentVersion") != version:
        raise WrongAnswer(f"{version}: the denial names version {denial.get('currentVersion')!r}")
    missing = {"title", "message", "storeUrl", "minimumVersion"} - denial.keys()
    if missing:
        raise WrongAnswer(f"{version}: the denial has no {', '.join(sorted(missing))}")


def check_grpc(port, folder):
    """Calls it with every version, and raises WrongAnswer at the first wrong response."""
    for version in ALLOWED + DENIED:
        try:
            answer = fields_of(call(port, folder, version))
            code = fields_of(answer.get(STATUS, b"")).get(1, 0)
            if version in ALLOWED:
                if code or DENIED_RESPONSE in answer:
                    raise WrongAnswer(f"{version}: denied with the code {code}")
            elif not code or DENIED_RESPONSE not in answer:
                raise WrongAnswer(f"{version}: not denied")
            else:
                denial = fields_of(answer[DENIED_RESPONSE])
                status = fields_of(denial[1]).get(1)
                if status != 426:
                    raise WrongAnswer(f"{version}: status {status} instead of 426")
                # Only the last of the fields is known here: the body tells enough.
                check_denial(version, "application/problem+json", denial.get(3, b""))
        except (KeyError, TypeError, ValueError) as error:
            raise WrongAnswer(f"{version}: not a CheckResponse: {error!r}") from error


def call(port, folder, version):
    """Returns the message of the response; raises WrongAnswer unless its status is OK."""
    body = folder / "question"
    body.write_bytes(grpc_body(check_request(version)))
    command = [
        find_program("nghttp"), "--data", str(body), "--header", "content-type: application/grpc",
        "--header", "te: trailers", f"http://127.0.0.1:{port}{CALL_PATH}",
    ]
    try:
        # With -v, the body stands among other lines.
        lines = run([*command, "--verbose", "--null-out"]).decode(errors="replace")
        frame = run(command)
    except (OSError, subprocess.SubprocessError) as error:
        raise WrongAnswer(f"{version}: no response: {error!r}") from error
    if "grpc-status: 0" not in lines:
        raise WrongAnswer(f"{version}: no grpc-status 0")
    if grpc_body(frame[5:]) != frame:
        raise WrongAnswer(f"{version}: {len(frame)} bytes that are no message")
    return frame[5:]


def run(command):
    return subprocess.run(command, capture_output=True, check=True, timeout=SECONDS).stdout
