"""The ways in which a candidate can be set up for a scenario."""

import dataclasses
from pathlib import Path

RULES = Path(__file__).parent.parent / "rules.yaml"


@dataclasses.dataclass(frozen=True)
class Setup:
    """What differs from the usual: one thread, plain HTTP/1.1, the rules of `rules.yaml`."""

    threads: int = 1
    tls: bool = False
    # Buffers for bodies of a megabyte, for the proxies that ask for such a decision.
    large_bodies: bool = False
    # How many clients the proxy must have room for.
    clients: int = 1024
    # May use every core, as the load generator does.
    all_cores: bool = False
    # The gate's rules; the peers hold the policy of `rules.yaml` whatever is said here.
    rules: Path = RULES
    # Counts what the process allocates, into its folder: see `allocations.py`.
    preload: Path | None = None
    # Runs under callgrind, in one process.
    counted: bool = False


USUAL = Setup()
