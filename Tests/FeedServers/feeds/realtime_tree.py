"""The tree of a Realtime Database: what a write makes of it, and how it shows.

Within, every node is a scalar or an object that is not empty; a node that is not there is None.
"""

import copy


def cleaned(value):
    """A value as the database keeps it: no null, no empty object, arrays by their indexes."""
    if isinstance(value, list):
        value = {str(index): each for index, each in enumerate(value)}
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, each in value.items():
        if (node := cleaned(each)) is not None:
            kept[key] = node
    return kept or None


def at(node, path):
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    return node


def with_value(node, path, value):
    """The tree after a write; a scalar on the way becomes an object."""
    if not path:
        return copy.deepcopy(cleaned(value))
    children = dict(node) if isinstance(node, dict) else {}
    child = with_value(children.get(path[0]), path[1:], value)
    if child is None:
        children.pop(path[0], None)
    else:
        children[path[0]] = child
    return children or None


def shown(node, makes_arrays):
    """Keys that are mostly the numbers from 0 on show as an array with nulls between."""
    if not isinstance(node, dict):
        return node
    children = {key: shown(child, makes_arrays) for key, child in node.items()}
    if makes_arrays and all(key.isdigit() and str(int(key)) == key for key in children):
        length = max(int(key) for key in children) + 1
        if 2 * len(children) > length:
            return [children.get(str(index)) for index in range(length)]
    return children


def narrowest_change(old, new):
    """The longest path under which everything lies that differs between two trees."""
    path = []
    while isinstance(old, dict) and isinstance(new, dict):
        keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        if len(keys) != 1:
            break
        path.append(keys[0])
        old, new = old.get(keys[0]), new.get(keys[0])
    return path


def split(path):
    return [key for key in path.split("/") if key]


def joined(path):
    return "/" + "/".join(path)
