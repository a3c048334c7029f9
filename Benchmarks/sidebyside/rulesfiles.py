"""Rules files of any size."""

from .setup import RULES

PROBE_APP = "com.example.probe"


def write_rules(path, count, probe_minimum="1.0.0"):
    """Writes the given number of rules, in addition to those of the comparison.

    Half of them are each for a different app, and the others each for a different path. None of
    them matches the measured request, but one is for an app that is used to detect which file is
    active.
    """
    head, _, notices = RULES.read_text().partition("notices:")
    others = [rule("probe", f"app: {PROBE_APP}", probe_minimum)] if count > 1 else []
    others += [
        rule(f"app-{number}", f"app: com.example.app{number}, platform: ios", "2.0.0")
        if number % 2 else
        rule(f"path-{number}", f"platform: ios, path: /v2/area{number}/**", "2.0.0")
        for number in range(count - 1 - len(others))
    ]
    # The rules are written to a temporary file that is then renamed, so that they are never read
    # half-written.
    new = path.with_suffix(".new")
    new.write_text(head + "".join(others) + "notices:" + notices)
    new.rename(path)


def rule(identifier, match, minimum):
    return (
        f"  - id: {identifier}\n    match: {{ {match} }}\n    minimum: \"{minimum}\"\n"
        "    notice: upgrade\n    storeUrl: https://apps.apple.com/app/id1234567890\n"
    )
