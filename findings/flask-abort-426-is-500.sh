#!/usr/bin/env bash
#
# Flask, Quart and Pyramid: abort(426) and its relatives fail, so the client gets 500.
#
# Expected:  flask.abort(426) and quart.abort(426) answer with this status, which HTTP and Python's http.HTTPStatus
#            define, as bottle.abort(426) does, and as they do for 403, 429 and 503. Pyramid's
#            exception_response(426) is an exception for this status.
# Observed:  Werkzeug and WebOb have no exception for 426. abort(426) raises a LookupError, which the server answers
#            with 500 Internal Server Error; abort() of Flask-RESTX, flask-smorest and APIFlask do the same.
#            exception_response(426) raises a KeyError. A handler for 426, @app.errorhandler(426), is rejected when
#            the app starts.
# Impact:    the one line of a backend that should tell old apps to update is a server error for them: apps show
#            "try again later", clients retry it, and alerts about 5xx go off on the day of the first denial.
#            Return a response with the status 426 instead, or pass it to abort().
# Guess:     426, as for the other statuses.
#
# Software:  Flask 3.1.3, Werkzeug 3.1.9, Quart 0.22.0, flask-restx 1.3.2, flask-smorest 0.47.0, APIFlask 3.1.2,
#            pyramid 2.1, WebOb 1.8.11, bottle 0.13.4 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    flask==3.1.3 werkzeug==3.1.9 quart==0.22.0 flask-restx==1.3.2 flask-smorest==0.47.0 apiflask==3.1.2 \
    pyramid==2.1 webob==1.8.11 bottle==0.13.4 'setuptools<81'

"$work/venv/bin/python" -W ignore - <<'PYTHON'
import asyncio
import io
import logging
import sys
from importlib.metadata import version

import apiflask
import bottle
import flask
import flask_restx
import flask_smorest
import quart
from pyramid.httpexceptions import exception_response

logging.disable(logging.CRITICAL)
print(", ".join(f"{name} {version(name)}" for name in (
    "flask", "werkzeug", "quart", "flask-restx", "flask-smorest", "apiflask", "pyramid", "webob", "bottle")))


def get(app, abort, status):
    """Returns the status of a response to a route that aborts with `status`."""
    app.get("/orders")(lambda: abort(status))
    return app.test_client().get("/orders").status_code


def get_smorest(status):
    app = flask.Flask("shop")
    app.config.update(API_TITLE="Shop", API_VERSION="1", OPENAPI_VERSION="3.0.3")
    flask_smorest.Api(app)
    return get(app, flask_smorest.abort, status)


def get_restx(status):
    app = flask.Flask("shop")
    flask_restx.Api(app)
    return get(app, flask_restx.abort, status)


def get_quart(status):
    async def ask():
        return (await app.test_client().get("/orders")).status_code

    async def orders():
        quart.abort(status)

    app = quart.Quart("shop")
    app.get("/orders")(orders)
    return asyncio.run(ask())


def get_bottle(status):
    app = bottle.Bottle()
    app.get("/orders")(lambda: bottle.abort(status, "text"))
    started = []
    app({"REQUEST_METHOD": "GET", "PATH_INFO": "/orders", "SERVER_NAME": "shop", "SERVER_PORT": "80",
         "wsgi.url_scheme": "http", "wsgi.errors": sys.stderr, "wsgi.input": io.BytesIO()},
        lambda line, *_: started.append(int(line.split()[0])))
    return started[0]


def get_pyramid(status):
    try:
        return exception_response(status).status_int
    except KeyError:
        return "KeyError"


def add_handler(status):
    try:
        flask.Flask("shop").errorhandler(status)(lambda error: "text")
    except ValueError:
        return "ValueError"
    return status


calls = {
    "flask.abort": lambda status: get(flask.Flask("shop"), flask.abort, status),
    "flask.abort with a response": lambda status: get(
        flask.Flask("shop"), lambda status: flask.abort(flask.Response("text", status)), status),
    "flask_restx.abort": get_restx,
    "flask_smorest.abort": get_smorest,
    "apiflask.abort": lambda status: get(apiflask.APIFlask("shop"), apiflask.abort, status),
    "quart.abort": get_quart,
    "errorhandler of Flask": add_handler,
    "exception_response of Pyramid": get_pyramid,
    "bottle.abort": get_bottle,
}
# Call: its result for 426.
recorded = dict.fromkeys(calls, 500) | {
    "flask.abort with a response": 426, "errorhandler of Flask": "ValueError",
    "exception_response of Pyramid": "KeyError", "bottle.abort": 426,
}
observed = {}
for name, call in calls.items():
    observed[name] = call(426)
    print(f"{name}, 426: {observed[name]}")
    for status in 403, 429, 503:
        if call(status) != status:
            sys.exit(f"changed: {name}, {status}: {call(status)}")
print("each of them, 403, 429 and 503: the same status")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: abort(426) is answered with 500")
PYTHON
