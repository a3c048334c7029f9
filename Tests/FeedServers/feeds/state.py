"""The switches of a server: what it says and in which of the forms that sources may have."""

import copy

# The switches that every server has: how it frames its answers.
WIRE = {"framing": "length", "gzip": "when-asked", "pieces": 0, "keepAlive": True}
WIRE_CHOICES = {
    "wire.framing": ("length", "chunked", "close"),
    "wire.gzip": ("when-asked", "never", "always"),
}


def merged(known, given, choices, where=""):
    """The known state with what was given; a name or a choice that is not there is an error.

    An object of known names takes no others; one that is empty by default takes any.
    """
    if not isinstance(given, dict):
        raise ValueError(f"{where or 'the state'} is an object")
    result = copy.deepcopy(known)
    for name, value in given.items():
        path = f"{where}.{name}" if where else name
        if name not in known:
            raise ValueError(f"no {path}; there are {', '.join(sorted(known))}")
        allowed = choices.get(path)
        if allowed is not None and value not in allowed:
            raise ValueError(f"{path} is one of {', '.join(map(str, allowed))}")
        closed = isinstance(known[name], dict) and path in choices.get("", ())
        result[name] = merged(known[name], value, choices, path) if closed else copy.deepcopy(value)
    return result


def closed_paths(defaults, where=""):
    """Where the objects of known names are."""
    paths = []
    for name, value in defaults.items():
        path = f"{where}.{name}" if where else name
        if isinstance(value, dict) and value:
            paths += [path, *closed_paths(value, path)]
    return paths
