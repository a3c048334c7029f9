"""A Realtime Database's open streams, and the events that each gets after a write."""

from . import realtime_tree as tree
from .event_stream import EventStream, event


class OpenStreams:
    """The caller must hold the database's lock for all methods except `forget`."""

    def __init__(self, database):
        self.database = database
        self.streams = []

    @property
    def state(self):
        return self.database.state

    @property
    def root(self):
        return self.database.root

    def shown(self, node):
        return self.database.shown(node)

    def all(self):
        return list(self.streams)

    def judge_again(self):
        """Ends the streams that the rules no longer allow, and applies changed switches to the
        others.
        """
        rule = self.state["read"]
        barred = [each for each in self.streams if not each.access.opens(rule)]
        self.tell_all("cancel", None, barred)
        for stream in self.streams:
            stream.wake()

    def tell_of_put(self, path, before):
        for stream in self.streams:
            self.tell_put(stream, path, before)

    def tell_of_patch(self, path, values, before):
        for stream in self.streams:
            self.tell_patch(stream, path, values, before)

    def tell_put(self, stream, path, before):
        """Sends a stream the put for a write at a path if the write affects the stream."""
        depth = len(stream.path)
        if path[:depth] == stream.path:
            below = path[depth:]
        elif stream.path[:len(path)] == path:
            below = []
        else:
            return
        whole = stream.path + below
        if tree.at(before, whole) != tree.at(self.root, whole):
            data = self.shown(tree.at(self.root, whole))
            self.tell(stream, "put", {"path": tree.joined(below), "data": data})

    def tell_patch(self, stream, path, values, before):
        is_deep = any("/" in key for key in values)
        depth = len(stream.path)
        if path[:depth] != stream.path or (is_deep and self.state["deepPatch"] == "puts"):
            for key in values:
                self.tell_put(stream, path + tree.split(key), before)
        elif is_deep and self.state["deepPatch"] == "whole":
            self.tell_put(stream, stream.path, before)
        else:
            below = tree.joined(path[depth:])
            self.tell(stream, "patch", {"path": below, "data": values})

    def tell_change(self, before):
        """Sends a changed tree to the streams as the smallest equivalent write."""
        path = tree.narrowest_change(before, self.root)
        old, new = tree.at(before, path), tree.at(self.root, path)
        for stream in self.streams:
            if self.state["pushes"] == "whole":
                self.tell_put(stream, stream.path, before)
            elif self.state["pushes"] == "patch" and isinstance(new, dict):
                old = old if isinstance(old, dict) else {}
                values = {
                    key: new.get(key) for key in {**old, **new} if old.get(key) != new.get(key)
                }
                self.tell_patch(stream, path, values, before)
            elif self.state["pushes"] == "patch" and path:
                self.tell_patch(stream, path[:-1], {path[-1]: new}, before)
            else:
                self.tell_put(stream, path, before)

    def open(self, path, access):
        stream = EventStream(self.database, path, access)
        first = self.state["stream"]["firstEvent"]
        if first == "keep-alive":
            self.tell(stream, "keep-alive", None)
        if first != "none":
            data = self.shown(tree.at(self.root, path))
            self.tell(stream, "put", {"path": "/", "data": data})
        self.streams.append(stream)
        return stream

    def forget(self, stream):
        with self.database.lock:
            if stream in self.streams:
                self.streams.remove(stream)

    def tell(self, stream, name, data):
        form = self.state["stream"]
        if form["unknownEvents"]:
            stream.put_in(event("rules_debug", "read was allowed", form))
        stream.put_in(event(name, data, form))

    def tell_all(self, name, data, streams):
        for stream in streams:
            self.tell(stream, name, data)
            if name in ("cancel", "auth_revoked") and self.state["stream"][
                    "afterCancel"] == "close":
                stream.end("close")
