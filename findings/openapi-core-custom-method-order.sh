#!/usr/bin/env bash
#
# openapi-core: the operation of /orders/7:cancel depends on the order of the paths.
#
# Expected:  /orders/{id}:cancel, the more specific template, is found for /orders/7:cancel at any
#            position in the document, as a path without parameters would be.
# Observed:  /orders/{id} is found, with the id "7:cancel", if it comes first in the document. Among
#            templates with the same number of parameters, the first one that matches is used.
# Impact:    documents with custom methods list the plain resource first. Counting the calls of each
#            operation by version shows no calls of "cancel", and an endpoint that old builds still
#            need seems to be unused.
#
# Software:  openapi-core 0.23.1, openapi-spec-validator 0.8.5 (PyPI)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    openapi-core==0.23.1 openapi-spec-validator==0.8.5

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from openapi_core import OpenAPI
from openapi_core.testing import MockRequest
from openapi_spec_validator import validate


def operation(parameter):
    return {"get": {
        "parameters": [
            {"name": parameter, "in": "path", "required": True, "schema": {"type": "string"}}
        ],
        "responses": {"200": {"description": "OK"}},
    }}


# The parameter names differ, so that they identify the matching path.
SHOW = ("/orders/{id}", operation("id"))
CANCEL = ("/orders/{cancelled}:cancel", operation("cancelled"))

print("openapi-core", version("openapi-core"))
recorded = {"cancel first": {"cancelled": "7"}, "cancel last": {"id": "7:cancel"}}
observed = {}
for order, paths in {"cancel first": [CANCEL, SHOW], "cancel last": [SHOW, CANCEL]}.items():
    document = {
        "openapi": "3.0.3",
        "info": {"title": "Orders", "version": "1.0.0"},
        "servers": [{"url": "https://api.example.com"}],
        "paths": dict(paths),
    }
    validate(document)
    request = MockRequest("https://api.example.com", "get", "/orders/7:cancel")
    result = OpenAPI.from_dict(document).unmarshal_request(request)
    observed[order] = dict(result.parameters.path)
    print(f"GET /orders/7:cancel, {order} in the document: {observed[order]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: /orders/7:cancel is /orders/{id} if that comes first")
PYTHON
