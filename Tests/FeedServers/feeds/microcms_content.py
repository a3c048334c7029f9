"""Contents in microCMS's format: selected fields, and lists."""

from datetime import datetime, timezone


class BadQuery(Exception):
    """A parameter that the source rejects."""


def stamp(seconds):
    """Returns a time in ISO 8601 format, in UTC and with milliseconds."""
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def without_empty(value, shows_null):
    """Removes texts and numbers without a value, or replaces them with null. Both forms are
    documented.
    """
    if isinstance(value, dict):
        kept = {key: without_empty(each, shows_null) for key, each in value.items()}
        return {key: each for key, each in kept.items() if each is not None or shows_null}
    if isinstance(value, list):
        return [without_empty(each, shows_null) for each in value]
    return None if value == "" else value


def selected(value, fields):
    """Returns only the requested fields, such as `a,b.c`, or all if none are requested."""
    if not fields:
        return value
    result = {}
    for path in fields.split(","):
        source, target = value, result
        *parents, last = path.split(".")
        for name in parents:
            source = source.get(name) if isinstance(source, dict) else None
            if isinstance(source, dict):
                target = target.setdefault(name, {})
        if isinstance(source, dict) and last in source:
            target[last] = source[last]
    return result


def listing(values, request):
    ids = request.parameter("ids")
    if ids:
        values = [each for each in values if each["id"] in ids.split(",")]
    if request.parameter("filters"):
        values = [each for each in values if matches(each, request.parameter("filters"))]
    order = request.parameter("orders")
    if order:
        name = order.lstrip("-")
        values = sorted(
            values, key=lambda each: str(each.get(name, "")), reverse=order.startswith("-"))
    limit, offset = number(request, "limit", 10), number(request, "offset", 0)
    if limit > 100:
        raise BadQuery("limit must be 100 or less.")
    fields = request.parameter("fields")
    shown = [selected(each, fields) for each in values[offset:offset + limit]]
    return {"contents": shown, "totalCount": len(values), "offset": offset, "limit": limit}


def number(request, name, default):
    text = request.parameter(name) or str(default)
    if not text.isdigit():
        raise BadQuery(f"{name} must be a number.")
    return int(text)


def matches(value, filters):
    """Evaluates filters. `[and]` has precedence over `[or]`; the only supported operator is
    `[equals]`.
    """
    return any(
        all(equals(value, term) for term in group.split("[and]"))
        for group in filters.split("[or]")
    )


def equals(value, term):
    name, operator, wanted = term.partition("[equals]")
    if not operator:
        raise BadQuery("filters parameter is invalid.")
    found = value.get(name)
    if isinstance(found, bool):
        found = str(found).lower()
    return str(found) == wanted or (isinstance(found, list) and wanted in found)
