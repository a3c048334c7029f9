"""The figures of one run, and the columns that show them."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Run:
    """The figures by name, and the faults during the run."""

    figures: dict
    faults: tuple = ()

    @classmethod
    def failed(cls, reason):
        """Returns a run without figures."""
        return cls({}, (str(reason),))

    @property
    def is_clean(self):
        """Whether there were responses, and all of them were right."""
        return bool(self.figures) and not self.faults


@dataclasses.dataclass(frozen=True)
class Column:
    """A figure in the report."""

    heading: str
    figure: str
    layout: str = "{:.0f}"
    # Whether the figure is divided, round by round, by that of the scenario's reference.
    is_ratio: bool = False
    # Whether the ratio follows the figure.
    has_ratio: bool = False


@dataclasses.dataclass(frozen=True)
class Compared:
    """A figure for comparisons, and its name in a sentence."""

    figure: str
    words: str
    is_better_higher: bool = False


class LoadFailed(Exception):
    """The load generator returned no figures."""
