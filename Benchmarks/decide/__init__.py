"""The decision listener of the gate beside other authorizers."""
