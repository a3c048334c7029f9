"""A server's switches: its data, and the variants of its responses."""

import copy

# The switches that every server has, for the framing of its responses.
WIRE = {"framing": "length", "gzip": "when-asked", "pieces": 0, "keepAlive": True}
WIRE_CHOICES = {
    "wire.framing": ("length", "chunked", "close"),
    "wire.gzip": ("when-asked", "never", "always"),
}


def merged(known, given, choices, where=""):
    """Returns the known state with the given switches. An unknown name or choice is an error.

    An object with known names accepts no other names. An object that is empty by default accepts any name.
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
    """Returns the paths of the objects with known names."""
    paths = []
    for name, value in defaults.items():
        path = f"{where}.{name}" if where else name
        if isinstance(value, dict) and value:
            paths += [path, *closed_paths(value, path)]
    return paths
