"""App Store Connect queries: filters, sort orders, pages, and the resulting documents."""

import base64
import re
from datetime import datetime
from urllib.parse import urlencode

from .connect_resources import ATTRIBUTES, as_list

LARGEST_PAGE = 200
USUAL_PAGE = 50


class BadParameter(Exception):
    """A parameter that the endpoint does not support, or an invalid value."""

    def __init__(self, code, parameter, detail):
        super().__init__(detail)
        self.code = code
        self.parameter = parameter


class Query:
    """A request's parameters, checked against those that an endpoint supports."""

    def __init__(self, request, filters=(), sorts=(), includes=(), is_plain=False):
        self.request = request
        self.filters, self.sort, self.include, self.fields = [], [], [], {}
        self.limit, self.offset = USUAL_PAGE, 0
        for name, value in request.query:
            inner = re.fullmatch(r"(\w+)\[([\w.]+)\]", name)
            values = value.split(",")
            if inner and inner[1] == "filter" and inner[2] in filters:
                self.filters.append((inner[2], values))
            elif inner and inner[1] == "fields" and inner[2] in ATTRIBUTES:
                self.fields[inner[2]] = values
            elif inner and inner[1] == "limit" and not is_plain:
                continue
            elif inner and inner[1] == "exists" and not is_plain and inner[2] in filters:
                self.filters.append((inner[2], None if value == "true" else []))
            elif name == "sort" and sorts:
                self.sort = self.checked(name, values, sorts, lambda each: each.lstrip("-"))
            elif name == "include" and includes:
                self.include = self.checked(name, values, includes)
            elif name == "limit":
                self.limit = self.page_size(value)
            elif name == "cursor":
                self.offset = offset_of(value)
            else:
                raise BadParameter(
                    "PARAMETER_ERROR.ILLEGAL", name,
                    f"The parameter '{name}' can not be used with this request")

    @staticmethod
    def checked(name, values, allowed, key=lambda each: each):
        for value in values:
            if key(value) not in allowed:
                raise BadParameter(
                    "PARAMETER_ERROR.INVALID", name, f"'{value}' is not a valid {name}")
        return values

    @staticmethod
    def page_size(text):
        if not text.isdigit() or not 1 <= int(text) <= LARGEST_PAGE:
            raise BadParameter(
                "PARAMETER_ERROR.INVALID", "limit",
                f"'{text}' is not a valid limit, it is 1 to {LARGEST_PAGE}")
        return int(text)

    def matching(self, graph, resources):
        found = [
            each for each in resources
            if all(matches(graph.values(each, path), values) for path, values in self.filters)
        ]
        for path in reversed(self.sort):
            key = {"preReleaseVersion": "preReleaseVersion.version"}.get(
                path.lstrip("-"), path.lstrip("-"))
            found.sort(key=lambda each: order(graph.values(each, key)),
                       reverse=path.startswith("-"))
        return found


def matches(found, values):
    """Returns whether values match a filter. None matches any value; an empty list matches only
    missing values.
    """
    there = [text(each) for each in found if each is not None]
    if values is None:
        return bool(there)
    if not values:
        return not there
    return bool(set(there) & set(values))


def text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def order(found):
    """Returns the sort key: versions are compared by number, and dates by time."""
    value = text(found[0]) if found and found[0] is not None else ""
    try:
        return [datetime.fromisoformat(value.replace("Z", "+00:00")).timestamp()]
    except ValueError:
        return [int(part) if part.isdigit() else -1 for part in value.split(".")]


def offset_of(cursor):
    try:
        return int(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode())
    except ValueError as problem:
        raise BadParameter(
            "PARAMETER_ERROR.INVALID", "cursor", f"'{cursor}' is not a valid cursor") from problem


def cursor_at(offset):
    return base64.urlsafe_b64encode(str(offset).encode()).decode().rstrip("=")


class Documents:
    """Writes resources as JSON:API documents."""

    def __init__(self, graph, origin, state):
        self.graph = graph
        self.origin = origin
        self.state = state

    def one(self, resource, query):
        document = {"data": resource and self.shown(resource, query)}
        if resource is not None and query.include:
            document["included"] = self.included([resource], query)
        return {**document, "links": {"self": self.origin + query.request.target}}

    def page(self, resources, query, next_origin):
        size = min(query.limit, self.state["pageSize"] or query.limit)
        shown = resources[query.offset:query.offset + size]
        after = query.offset + size
        links = {"self": self.origin + query.request.target}
        paging = {"total": len(resources), "limit": query.limit}
        if not self.state["pagingTotal"]:
            del paging["total"]
        if after < len(resources):
            cursor = cursor_at(after)
            kept = [each for each in query.request.query if each[0] != "cursor"]
            links["next"] = f"{next_origin}{query.request.raw_path}?" + urlencode(
                [("cursor", cursor), *kept])
            if self.state["nextCursor"]:
                paging["nextCursor"] = cursor
        document = {"data": [self.shown(each, query) for each in shown]}
        if query.include:
            document["included"] = self.included(shown, query)
        return {**document, "links": links, "meta": {"paging": paging}}

    def included(self, resources, query):
        """Returns each related resource once."""
        keys = {
            key: None for each in resources for name in query.include
            for key in as_list(each.related.get(name))
        }
        return [self.shown(self.graph.get(key), query) for key in keys if self.graph.get(key)]

    def shown(self, resource, query):
        wanted = query.fields.get(resource.kind)
        here = f"{self.origin}/v1/{resource.kind}/{resource.number}"
        relationships = {}
        for name, related in resource.related.items():
            if wanted is not None and name not in wanted:
                continue
            relationships[name] = {"links": {
                "self": f"{here}/relationships/{name}", "related": f"{here}/{name}"}}
            if name in query.include or self.state["relationshipData"] == "always":
                relationships[name]["data"] = identified(related)
        shown = {
            "type": resource.kind, "id": resource.number,
            "attributes": {
                name: value for name, value in resource.attributes.items()
                if wanted is None or name in wanted
            },
        }
        if relationships:
            shown["relationships"] = relationships
        return {**shown, "links": {"self": here}}


def identified(related):
    if isinstance(related, list):
        return [{"type": kind, "id": number} for kind, number in related]
    return related and {"type": related[0], "id": related[1]}
