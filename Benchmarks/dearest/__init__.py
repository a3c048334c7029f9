"""The cost of the most expensive requests, in instructions."""
