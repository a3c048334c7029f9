"""Sends queries with gql that the gate denies, and prints a line for each. A line starts with "ok" if the result is as expected.

Argument: the gate's port.
"""
import sys

from gql import Client, gql
from gql.transport.exceptions import TransportQueryError, TransportServerError
from gql.transport.requests import RequestsHTTPTransport

OLD = {"x-app-id": "com.example.shop", "x-app-platform": "ios", "x-app-version": "3.4.9"}
NEW = {**OLD, "x-app-version": "4.0.0"}
MODERN = {"accept": "application/graphql-response+json, application/json;q=0.9"}
APOLLO = {"accept": "*/*", "apollographql-client-name": "shop-ios", "apollographql-client-version": "3.4.9"}
UPGRADE = {
    "code": "UPGRADE_REQUIRED", "title": "Update required", "status": 426,
    "message": "Version 3.4.9 is too old. Please update to 3.5.0.", "button": "Update", "minimumVersion": "3.5.0",
    "storeUrl": "https://apps.apple.com/app/id1234567890", "currentVersion": "3.4.9", "rule": "ios",
}
MAINTENANCE = {"code": "MAINTENANCE", "title": "Back soon", "message": "We are moving house.", "status": 503}
UNIDENTIFIED = {"code": "UPGRADE_REQUIRED", "message": "Please install the latest version."}

CASES = [
    ("conventional path", "/graphql", OLD, UPGRADE, "application/json"),
    ("path with a query", "/v1/graphql?name=Orders", OLD, UPGRADE, "application/json"),
    ("media type", "/api", {**OLD, **MODERN}, UPGRADE, "application/graphql-response+json"),
    ("media type, conventional path", "/graphql", {**OLD, **MODERN}, UPGRADE, "application/graphql-response+json"),
    ("fields of Apollo", "/api", {**OLD, **APOLLO}, UPGRADE, "application/json"),
    ("maintenance", "/archive/graphql", NEW, MAINTENANCE, "application/json"),
    ("maintenance, media type", "/archive/graphql", {**NEW, **MODERN}, MAINTENANCE, "application/graphql-response+json"),
    ("unidentified", "/account/graphql", {}, UNIDENTIFIED, "application/json"),
]


def refused(path, headers):
    transport = RequestsHTTPTransport(url=f"http://127.0.0.1:{sys.argv[1]}{path}", headers=headers)
    try:
        return Client(transport=transport).execute(gql("{ orders { id } }")), None
    except TransportQueryError as error:
        return error.errors, transport.response_headers
    except TransportServerError as error:
        return error, transport.response_headers


for name, path, headers, expected, media_type in CASES:
    errors, answer = refused(path, headers)
    ok = isinstance(errors, list) and len(errors) == 1 and errors[0]["message"] == expected["message"] \
        and expected.items() <= errors[0]["extensions"].items() and answer["content-type"] == media_type
    print("ok" if ok else "FAILED", name, "" if ok else (errors, answer), flush=True)
data, _ = refused("/graphql", NEW)
print("ok" if data == {"orders": []} else "FAILED", "passes", data)
# If nothing in the head indicates GraphQL, the denial has a different form, and the client hides its content.
error, answer = refused("/api", OLD)
ok = isinstance(error, TransportServerError) and error.code == 426 and answer["x-versiongate"] == "require" \
    and answer["content-type"] == "application/problem+json"
print("ok" if ok else "FAILED", "no sign of GraphQL in the head", "" if ok else (error, answer))
