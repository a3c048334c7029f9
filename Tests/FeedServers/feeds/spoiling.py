"""The input for a fault."""


class Spoiling:
    """A request, its valid response, and the connection for the fault."""

    def __init__(self, fault, request, answer, connection, protocol):
        self.fault = fault
        self.request = request
        self.answer = answer
        self.connection = connection
        self.protocol = protocol
