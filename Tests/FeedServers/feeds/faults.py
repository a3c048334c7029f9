"""All faults between a source and the gate, by name."""

import threading

from .broken_connections import ENDINGS
from .wrong_answers import ANSWERS

# Faults before TLS, which affect connections rather than requests.
GREETINGS = {"tls-garbage", "tls-stalled", "tls-reset"}
# Faults that redirect from the main listener to another one.
DEPARTURES = {"redirect", "redirect-down"}
# Faults that last until they are removed.
LASTING = {"refuse"}
# All faults, with their parameters.
KINDS = {
    **{name: set() for name in GREETINGS | LASTING},
    **{name: parameters for name, (_, parameters) in {**ANSWERS, **ENDINGS}.items()},
}


class Fault:
    """One fault, which lasts for a number of requests or until it is removed."""

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
            raise ValueError(f"{self.kind} lasts until it is removed; it has no times")
        self.left = described.get("times")

    def get(self, name, default=None):
        return self.described.get(name, default)

    def concerns(self, request):
        # The target of a redirect works normally unless a test specifies another listener.
        usual = "main" if self.kind in DEPARTURES else request.listener.name
        return (
            request.raw_path.startswith(self.get("path", ""))
            and self.get("listener", usual) == request.listener.name
        )

    def remaining(self):
        return dict(self.described) if self.left is None else {**self.described, "times": self.left}


class Faults:
    """The pending faults. The first fault that applies to a request is used."""

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
    """A request, its valid response, and the connection for the fault."""

    def __init__(self, fault, request, answer, connection, protocol):
        self.fault = fault
        self.request = request
        self.answer = answer
        self.connection = connection
        self.protocol = protocol
