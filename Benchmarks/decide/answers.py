"""Checks before a measurement that an authorizer decides right."""

import subprocess

from sidebyside.answers import PASSING, WrongAnswer, check_denial, check_header, check_status, connected, send
from sidebyside.appcall import PATH
from sidebyside.packages import find_program

from .authorization import CALL_PATH, check_request, fields_of, forwarded_fields, grpc_body

# The other authorizers only compare with a minimum.
DENIED = ("3.4.9", "2.10.0")
SECONDS = 10
# The fields of a CheckResponse.
STATUS, DENIED_RESPONSE, OK_RESPONSE = 1, 2, 3


def check_http(port):
    """Sends every version over one connection, and raises WrongAnswer at the first wrong response."""
    with connected(port) as connection:
        for version in PASSING:
            response, body = send(connection, version, "/decide", forwarded_fields(PATH))
            check_status(version, response.status, 200)
            if body:
                raise WrongAnswer(f"{version}: a body of {len(body)} bytes instead of none")
        for version in DENIED:
            response, body = send(connection, version, "/decide", forwarded_fields(PATH))
            check_status(version, response.status, 426)
            check_header(version, response, "Content-Type")
            check_denial(version, body)


def check_grpc(port, folder):
    """Calls it with every version, and raises WrongAnswer at the first wrong response."""
    for version in PASSING + DENIED:
        try:
            answer = fields_of(call(port, folder, version))
            code = fields_of(answer.get(STATUS, b"")).get(1, 0)
            if version in PASSING:
                if code or DENIED_RESPONSE in answer:
                    raise WrongAnswer(f"{version}: denied with the code {code}")
            elif not code or DENIED_RESPONSE not in answer:
                raise WrongAnswer(f"{version}: not denied")
            else:
                denial = fields_of(answer[DENIED_RESPONSE])
                check_status(version, fields_of(denial[1]).get(1), 426)
                check_denial(version, denial.get(3, b""))
        except (KeyError, TypeError, ValueError) as error:
            raise WrongAnswer(f"{version}: not a CheckResponse: {error!r}") from error


def call(port, folder, version):
    """Returns the message of the response; raises WrongAnswer unless its status is OK."""
    body = folder / "message"
    body.write_bytes(grpc_body(check_request(version)))
    command = [
        find_program("nghttp"), "--data", str(body), "--header", "content-type: application/grpc",
        "--header", "te: trailers", f"http://127.0.0.1:{port}{CALL_PATH}",
    ]
    try:
        # With --verbose, other lines surround the body.
        lines = run([*command, "--verbose", "--null-out"]).decode(errors="replace")
        frame = run(command)
    except (OSError, subprocess.SubprocessError) as error:
        raise WrongAnswer(f"{version}: no response: {error!r}") from error
    if "grpc-status: 0" not in lines:
        raise WrongAnswer(f"{version}: no grpc-status 0")
    if grpc_body(frame[5:]) != frame:
        raise WrongAnswer(f"{version}: {len(frame)} bytes that are not a message")
    return frame[5:]


def run(command):
    return subprocess.run(command, capture_output=True, check=True, timeout=SECONDS).stdout
