"""What a fault works upon."""


class Spoiling:
    """A request, the right answer to it, and the connection on which to spoil it."""

    def __init__(self, fault, request, answer, connection, protocol):
        self.fault = fault
        self.request = request
        self.answer = answer
        self.connection = connection
        self.protocol = protocol
