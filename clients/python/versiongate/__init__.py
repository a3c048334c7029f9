"""What a client of VersionGate reads and asks; the contract is docs/wire.

Nothing but the standard library.
"""

from .client import FileStorage, GateDenied, VersionGate
from .reading import hint, inspect, read_events, read_status
from .states import Allowed, Facts, Maintenance, Recommended, Required, State, Unchanged, Unknown

__all__ = [
    "Allowed", "Facts", "FileStorage", "GateDenied", "Maintenance", "Recommended", "Required",
    "State", "Unchanged", "Unknown", "VersionGate", "hint", "inspect", "read_events", "read_status",
]
__version__ = "0.1.0"
