"""Everything that can go wrong between a source and the gate, each by a name."""

import threading

from .broken_connections import ENDINGS
from .wrong_answers import ANSWERS

# These come before TLS: they concern connections, not requests.
GREETINGS = {"tls-garbage", "tls-stalled", "tls-reset"}
# These lead from the main listener to another.
DEPARTURES = {"redirect", "redirect-down"}
# These last until they are taken away.
LASTING = {"refuse"}
# All of them, with the parameters that each takes.
KINDS = {
    **{name: set() for name in GREETINGS | LASTING},
    **{name: parameters for name, (_, parameters) in {**ANSWERS, **ENDINGS}.items()},
}


class Fault:
    """One fault, for so many requests or until it is taken away."""

    def __init__(self, described):
        if isinstance(described, str):
            described = {"kind": described}
        if not isinstance(described, dict):
            raise ValueError("a fault is a name or an object with a kind")
        self.described = dict(described)
        self.kind = described.get("kind")
        if self.kind not in KINDS:
            raise ValueError(f"no fault {self.kind}; there are {', '.join(sorted(KINDS))}")
        known = {"kind", "times", "path", "listener"} | KINDS[self.kind]
        if set(described) - known:
            raise ValueError(f"{self.kind} has no {', '.join(sorted(set(described) - known))}")
        if self.kind in LASTING and "times" in described:
            raise ValueError(f"{self.kind} lasts until it is taken away; it has no times")
        self.left = described.get("times")

    def get(self, name, default=None):
        return self.described.get(name, default)

    def concerns(self, request):
        # The answer that a redirect leads to is right, unless a test says otherwise.
        usual = "main" if self.kind in DEPARTURES else request.listener.name
        return (
            request.raw_path.startswith(self.get("path", ""))
            and self.get("listener", usual) == request.listener.name
        )

    def remaining(self):
        return dict(self.described) if self.left is None else {**self.described, "times": self.left}


class Faults:
    """The faults that are due, the first that concerns a request first."""

    def __init__(self):
        self.lock = threading.Lock()
        self.due = []

    def set(self, described):
        given = described if isinstance(described, list) else [described]
        faults = [Fault(each) for each in given]
        with self.lock:
            self.due = faults

    def clear(self):
        with self.lock:
            self.due = []

    def remaining(self):
        with self.lock:
            return [fault.remaining() for fault in self.due]

    @property
    def refuses(self):
        with self.lock:
            return any(fault.kind == "refuse" for fault in self.due)

    def for_request(self, request):
        return self.take(lambda fault: fault.kind not in GREETINGS and fault.concerns(request))

    def for_greeting(self, listener):
        return self.take(lambda fault: (
            fault.kind in GREETINGS and fault.get("listener", listener.name) == listener.name
        ))

    def take(self, concerns):
        with self.lock:
            for fault in self.due:
                if fault.kind in LASTING or not concerns(fault):
                    continue
                if fault.left is not None:
                    fault.left -= 1
                    if fault.left <= 0:
                        self.due.remove(fault)
                return fault
        return None


class Spoiling:
    """A request, the right answer to it, and the connection on which to spoil it."""

    def __init__(self, fault, request, answer, connection, protocol):
        self.fault = fault
        self.request = request
        self.answer = answer
        self.connection = connection
        self.protocol = protocol
