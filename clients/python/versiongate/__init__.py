"""A client for VersionGate, without dependencies other than the standard library.

The protocol is described in docs/wire.
"""

from .client import FileStorage, GateDenied, VersionGate
from .reading import hint, inspect, read_events, read_status
from .states import Allowed, Facts, Maintenance, Recommended, Required, State, Unchanged, Unknown

__all__ = [
    "Allowed", "Facts", "FileStorage", "GateDenied", "Maintenance", "Recommended", "Required",
    "State", "Unchanged", "Unknown", "VersionGate", "hint", "inspect", "read_events", "read_status",
]
__version__ = "0.1.0"
