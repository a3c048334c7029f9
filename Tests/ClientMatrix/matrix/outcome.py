"""Evaluates answers: whether the app sees the expected result, and a short text for it. Free of side effects."""

import json
from dataclasses import dataclass

# The gRPC and Connect codes of the denials.
CODES = {426: "FAILED_PRECONDITION", 503: "UNAVAILABLE"}


@dataclass(frozen=True)
class Outcome:
    # "seen" for the expected result, "lost" for any other result, or "unsupported" if the client cannot send the request.
    kind: str
    text: str
    # The full message for the app, if `text` is an abbreviation.
    detail: str = ""


def is_whole(body):
    """Returns whether a body is a complete denial."""
    try:
        members = json.loads(body)
    except ValueError:
        return False
    return isinstance(members, dict) and all(isinstance(members.get(name), str) for name in ("title", "message"))


def judge(case, answer):
    """Returns the outcome of an answer to a case; `None` means a missing answer."""
    if answer is None:
        return Outcome("lost", "hangs", "no response, and no exception")
    if "unsupported" in answer:
        return Outcome("unsupported", "–", answer["unsupported"])
    if case.wants == "next":
        return judge_next(answer)
    if "status" not in answer:
        return judge_failure(answer)
    judges = {"denial": judge_denial, "head": judge_head, "hint": judge_hint, "event": judge_event}
    return judges[case.wants](case, answer)


def judge_failure(answer):
    if "opened" in answer:
        return Outcome("lost", "opened")
    name = answer.get("error", "nothing")
    message = answer.get("message", "")
    return Outcome("lost", name, f"{name}: {message}" if message else name)


def judge_denial(case, answer):
    status, body = answer["status"], answer.get("body", "")
    if isinstance(status, str):
        return judge_code(case, answer)
    if status != case.status:
        return Outcome("lost", str(status), body[:100])
    if case.kind == "websocket":
        return Outcome("seen", str(status) if is_whole(body) else f"{status}, no body")
    if not is_whole(body):
        what = "no body" if not body else f"body cut at {answer['length']} bytes"
        if answer.get("error"):
            failure = judge_failure(answer)
            return Outcome("lost", f"{status}, {what}, {failure.text}", failure.detail)
        return Outcome("lost", f"{status}, {what}")
    if answer.get("error"):
        failure = judge_failure(answer)
        return Outcome("seen", f"{status}, then {failure.text}", failure.detail)
    if case.retry_after and "retry-after" not in answer["fields"]:
        return Outcome("lost", f"{status}, no Retry-After")
    return Outcome("seen", str(status))


def judge_code(case, answer):
    """Evaluates the denial of a remote procedure call: its code and its text."""
    code, words = answer["status"], answer.get("body", "")
    if code != CODES.get(case.status):
        return Outcome("lost", code, f"{code}: {words[:200]}")
    if case.words not in words:
        return Outcome("lost", f"{code}, other text", f"{code}: {words[:200]}")
    return Outcome("seen", code)


def judge_head(case, answer):
    if answer["status"] != case.status:
        return Outcome("lost", str(answer["status"]))
    return Outcome("seen", str(answer["status"]))


def judge_hint(case, answer):
    # The matrix's backend implements no calls, so the hint arrives with its error.
    if answer["status"] != case.status and not isinstance(answer["status"], str):
        return Outcome("lost", str(answer["status"]))
    hint = answer["fields"].get("x-versiongate", "")
    return Outcome("seen", "hint") if hint.startswith("recommend") else Outcome("lost", "no hint")


def judge_event(case, answer):
    if answer["status"] == case.status and '"decision":"require"' in answer.get("body", ""):
        return Outcome("seen", "event")
    return Outcome("lost", f"{answer['status']}, no event")


def judge_next(answer):
    """Evaluates the request that passes after a denied upload; the two requests used `connections` connections."""
    following = answer.get("next")
    if following is None:
        return Outcome("lost", "not sent") if "status" in answer else judge_failure(answer)
    if following.get("unsupported"):
        return Outcome("unsupported", "–", following["unsupported"])
    # A call that the backend does not implement has also passed the gate.
    if following.get("status") not in (200, "OK", "UNIMPLEMENTED", "UNKNOWN", "INTERNAL"):
        return judge_failure(following) if "status" not in following else Outcome("lost", str(following["status"]))
    connections = answer.get("connections")
    if connections is None:
        return Outcome("seen", "passes")
    return Outcome("seen", "same connection" if connections <= 1 else "new connection")
