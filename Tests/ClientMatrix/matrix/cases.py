"""The columns of the matrix: a client's request, its build, and its path."""

from dataclasses import dataclass

OLD, WARNED, CURRENT = "3.4.9", "4.0.0", "4.2.0"
# The app's own timeout, in seconds.
TIMEOUT = 8
# The adapter is stopped after this number of seconds.
PATIENCE = 16

KILOBYTE = 1024


@dataclass(frozen=True)
class Upload:
    size: int
    chunked: bool = False
    expect: bool = False


@dataclass(frozen=True)
class Case:
    name: str
    title: str
    method: str = "GET"
    version: str = OLD
    # The first segment of the path, by which the rules distinguish the cases.
    area: str = "orders"
    upload: Upload | None = None
    kind: str = "request"
    # Whether the same client then sends another request, as a build that passes.
    asks_next: bool = False
    # The result that the app should see: a denial, the events, or a hint.
    wants: str = "denial"
    status: int = 426
    # A part of the denial's text, from the gate and from nginx.
    words: str = "Please update"
    retry_after: bool = False
    # Whether the case applies only to the gate.
    only_gate: bool = False


def upload(name, title, size, **more):
    return Case(name, title, "POST", upload=Upload(size, **more))


CASES = (
    Case("get", "GET"),
    Case("head", "HEAD", "HEAD", wants="head"),
    upload("up64k", "64 KB", 64 * KILOBYTE),
    upload("up3m", "3 MB", 3 * KILOBYTE**2),
    upload("up30m", "30 MB", 30 * KILOBYTE**2),
    upload("chunked", "3 MB chunked", 3 * KILOBYTE**2, chunked=True),
    upload("expect", "3 MB, Expect", 3 * KILOBYTE**2, expect=True),
    Case("next", "next request", "POST", upload=Upload(64 * KILOBYTE), asks_next=True, wants="next"),
    Case("warned", "warned", version=WARNED, wants="hint", status=200),
    Case("brownout", "brownout", version=CURRENT, area="brownout", retry_after=True),
    Case("maintenance", "maintenance", version=CURRENT, area="maintenance", status=503, words="Back soon", retry_after=True),
    Case("events", "events", kind="events", wants="event", status=200, only_gate=True),
    Case("websocket", "WebSocket", kind="websocket"),
)
BY_NAME = {case.name: case for case in CASES}
# The cases for each proxy.
BEHIND_PROXY = ("get", "up64k", "up3m", "up30m")
