"""The common base of all sources."""

import copy
import threading

from .messages import Answer
from .state import WIRE, WIRE_CHOICES, closed_paths, merged


class Protocol:
    """A source's protocol: a state, and a response to every request.

    `defaults`: the initial state. `choices`: the allowed values by the path of a switch.
    `actions`: additional actions by name.
    """

    defaults = {}
    choices = {}
    actions = {}

    def __init__(self, server):
        self.server = server
        self.lock = threading.RLock()
        self.known = {**copy.deepcopy(self.defaults), "wire": dict(WIRE)}
        self.allowed = {**self.choices, **WIRE_CHOICES, "": closed_paths(self.known)}
        self.state = copy.deepcopy(self.known)

    def replace_state(self, given):
        """Sets the given switches, and all others to their defaults."""
        self.update(merged(self.known, given, self.allowed))

    def change_state(self, given):
        """Sets the given switches, and keeps all others."""
        self.update(merged(self.state, given, self.allowed))

    def update(self, state):
        self.check(state)
        with self.lock:
            old, self.state = self.state, state
            self.changed(old)

    def check(self, state):
        """Raises a ValueError if a state is invalid."""

    def changed(self, old):
        """Handles a new state. The caller holds the lock."""

    def answer(self, request):
        raise NotImplementedError

    def refusal(self, status, request):
        """Returns the response for an error status, in the format of the source."""
        return Answer(status)
