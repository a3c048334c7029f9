"""The requests that a server has received."""

import threading
import time


class Log:
    def __init__(self):
        self.added = threading.Condition()
        self.entries = []

    def add(self, request, fault):
        """Adds a request. The status of the entry is set later."""
        return self.append({
            **request.described(), "fault": fault and fault.kind, "status": None,
        })

    def add_greeting(self, listener, fault):
        """Adds a connection that a fault ended before any request."""
        self.append({
            "listener": listener.name, "method": "", "target": "", "path": "", "query": {},
            "headers": {}, "body": "", "fault": fault, "status": None,
        })

    def append(self, entry):
        with self.added:
            entry = {"number": len(self.entries) + 1, "time": round(time.time(), 3), **entry}
            self.entries.append(entry)
            self.added.notify_all()
        return entry

    def after(self, number, wait=0.0):
        """Returns the entries after a number, after waiting up to `wait` seconds for one."""
        with self.added:
            self.added.wait_for(lambda: len(self.entries) > number, wait)
            return [dict(entry) for entry in self.entries[number:]]

    def clear(self):
        with self.added:
            self.entries = []
