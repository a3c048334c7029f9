"""The setups of a candidate for a scenario."""

import dataclasses
from pathlib import Path

RULES = Path(__file__).parent.parent / "rules.yaml"


@dataclasses.dataclass(frozen=True)
class Setup:
    """The differences from the default: one thread, plain HTTP/1.1, the rules of `rules.yaml`."""

    threads: int = 1
    tls: bool = False
    # Buffers for bodies of a megabyte, for the proxies that need this setting.
    large_bodies: bool = False
    # The number of clients that the proxy must support.
    clients: int = 1024
    # Whether it can use every core, like the load generator.
    all_cores: bool = False
    # The gate's rules; the peers always use the policy of `rules.yaml`.
    rules: Path = RULES
    # Whether the allocations of the process are counted, into its folder: see `allocations.py`.
    preload: Path | None = None
    # Whether it runs under callgrind, in one process.
    counted: bool = False


USUAL = Setup()
