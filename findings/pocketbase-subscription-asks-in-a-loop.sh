#!/usr/bin/env bash
#
# pocketbase (Python): a denied subscription is requested again and again, without a delay.
#
# Expected:  a subscription that gets 426 or 503 is an error for the app, or is tried again later, after the delay in
#            Retry-After.
# Observed:  the client does not read the status of the event stream. As soon as a response has ended, it sends the next
#            request: about 2,000 in three seconds, without an end. Retry-After makes no difference. subscribe() returns
#            None as for an open stream, and the app gets no error and no event. unsubscribe() ends the loop. After
#            a stream without a response (closed connection), the client stops instead. Other calls raise
#            ClientResponseError with the status and the JSON, as they should.
# Impact:    each old app that is open sends requests as fast as the gateway answers them: a few hundred of these apps
#            are an overload, and one app fills its core and the log. The user sees a list that does not change any
#            more. Ask for something else before subscribe(), and subscribe only if that was not denied.
# Guess:     ClientResponseError, and no second request.
#
# Software:  pocketbase 0.17.3, httpx 0.28.1 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")/support/gateways.py" "$work"

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pocketbase==0.17.3 httpx==0.28.1

cd "$work"
"$work/venv/bin/python" - <<'PYTHON'
import sys
import threading
import time
from importlib.metadata import version

from pocketbase import PocketBase

from gateways import serve

PROBLEM = {"Content-Type": "application/problem+json"}
DENIAL = b'{"title": "Update required", "message": "Please update.", "storeUrl": "https://store.example/app"}'
EVENTS = b'id: c1\nevent: PB_CONNECT\ndata: {}\n\nevent: orders\ndata: {"action": "create", "record": {"id": "7"}}\n\n'
LIMIT = 20
answers = {
    "426": (426, PROBLEM, DENIAL),
    "426 without a body": (426, {}, b""),
    "503 with Retry-After": (503, {**PROBLEM, "Retry-After": "60"}, DENIAL),
    "closed connection": None,
    "stream": (200, {"Content-Type": "text/event-stream"}, EVENTS),
}
asked = []


def respond(question):
    if question.path != "/api/realtime":
        return answers[name]
    if question.command == "POST":
        return 204, {}, b""
    asked.append(question.path)
    if name == "stream":
        # Sends the events, and keeps the stream open.
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
        question.wfile.write(head.encode() + EVENTS)
        done.wait(30)
        return None
    return answers[name]


def subscribe():
    """Returns the outcome of subscribe(), the number of events and of requests in three seconds."""
    asked.clear()
    events = []
    orders = PocketBase(address).collection("orders")
    try:
        outcome = orders.subscribe(events.append)
    except Exception as error:
        outcome = type(error).__name__
    time.sleep(3)
    count = len(asked)
    orders.unsubscribe()
    done.set()
    # A last request can still be on its way.
    time.sleep(1)
    return outcome, len(events), count


def get_list():
    try:
        return PocketBase(address).collection("orders").get_list()
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'status', '')}"


print("pocketbase", version("pocketbase"))
address = f"http://127.0.0.1:{serve(respond)}"
LOOP = (None, 0, f"more than {LIMIT}")
# Answer: outcome of subscribe(), events that the app got, requests in three seconds.
recorded = {
    "426": LOOP,
    "426 without a body": LOOP,
    "503 with Retry-After": LOOP,
    "closed connection": (None, 0, 1),
    "stream": (None, 1, 1),
    "426 for get_list()": "ClientResponseError 426",
}
observed = {}
for name in answers:
    done = threading.Event()
    outcome, events, count = subscribe()
    observed[name] = outcome, events, count if count <= LIMIT else f"more than {LIMIT}"
    print(f"{name}: subscribe() returned {outcome}, {events} events, {count} requests in three seconds")
name = "426"
observed["426 for get_list()"] = get_list()
print("426 for get_list():", observed["426 for get_list()"])

if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: a denied subscription asks again without a delay")
PYTHON
