"""A candidate's setups for the scenarios."""

import dataclasses
from pathlib import Path

RULES = Path(__file__).parent.parent / "rules.yaml"


@dataclasses.dataclass(frozen=True)
class Setup:
    """The differences from the default: one thread, plain HTTP/1.1, and `rules.yaml`."""

    threads: int = 1
    tls: bool = False
    # Whether proxies that need a setting for it get buffers for bodies of a megabyte.
    large_bodies: bool = False
    # The number of clients that the proxy must support.
    clients: int = 1024
    # Whether it can use every core, as the load generator does.
    all_cores: bool = False
    # The gate's rules; the peers always use the policy in `rules.yaml`.
    rules: Path = RULES
    # Whether versions are split between three backends, which are the same program.
    routes: bool = False
    # Whether the process's allocations are counted in a file in its folder; see `allocations.py`.
    preload: Path | None = None
    # Whether it runs under callgrind, in one process.
    counted: bool = False


USUAL = Setup()
