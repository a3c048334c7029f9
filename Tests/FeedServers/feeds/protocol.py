"""What all the sources have in common."""

import copy
import threading

from .messages import Answer
from .state import WIRE, WIRE_CHOICES, closed_paths, merged


class Protocol:
    """One source's protocol: a state, and an answer to every request.

    `defaults`: the state at the start. `choices`: by the path of a switch, what it may be.
    `actions`: by name, what a test can make it do besides.
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
        """Sets what was given and everything else to its default."""
        self.update(merged(self.known, given, self.allowed))

    def change_state(self, given):
        """Sets what was given and leaves everything else."""
        self.update(merged(self.state, given, self.allowed))

    def update(self, state):
        self.check(state)
        with self.lock:
            old, self.state = self.state, state
            self.changed(old)

    def check(self, state):
        """Raises a ValueError if a state makes no sense."""

    def changed(self, old):
        """Called when there is a new state, within the lock."""

    def answer(self, request):
        raise NotImplementedError

    def refusal(self, status, request):
        """The answer for a status that is no success, as the source words it."""
        return Answer(status)
