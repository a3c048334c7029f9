"""A Realtime Database's tree: the results of writes, and the visible form.

Internally, every node is a scalar or a nonempty object. A missing node is None.
"""

import copy


def cleaned(value):
    """Returns a value in the database's form: without null and empty objects, and with arrays as
    objects.
    """
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
    """Returns the tree after a write. A scalar in the path becomes an object."""
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
    """Returns the visible form of a node. Keys that are most of the numbers from 0 become an array
    with nulls in the gaps.
    """
    if not isinstance(node, dict):
        return node
    children = {key: shown(child, makes_arrays) for key, child in node.items()}
    if makes_arrays and all(key.isdigit() and str(int(key)) == key for key in children):
        length = max(int(key) for key in children) + 1
        if 2 * len(children) > length:
            return [children.get(str(index)) for index in range(length)]
    return children


def narrowest_change(old, new):
    """Returns the longest path that contains all differences between two trees."""
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
