"""The figures of one run, and the columns that show them."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Run:
    """What was measured, by name, and what went wrong meanwhile, in words."""

    figures: dict
    faults: tuple = ()

    @classmethod
    def failed(cls, reason):
        """A run without figures."""
        return cls({}, (str(reason),))

    @property
    def is_clean(self):
        """Whether there were answers, and all of them right."""
        return bool(self.figures) and not self.faults


@dataclasses.dataclass(frozen=True)
class Column:
    """One figure as the report shows it."""

    heading: str
    figure: str
    layout: str = "{:.0f}"
    # Divided, round by round, by the same figure of the scenario's reference.
    is_ratio: bool = False
    # Followed by that ratio.
    has_ratio: bool = False


@dataclasses.dataclass(frozen=True)
class Compared:
    """A figure in which one program is ahead of another, and its name in a sentence."""

    figure: str
    words: str
    is_better_higher: bool = False


class LoadFailed(Exception):
    """The load generator gave no figures."""
