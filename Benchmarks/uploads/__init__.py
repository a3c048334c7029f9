"""The parts of `refused.py`."""
