"""Rules files of any size."""

from .setup import RULES

PROBE_APP = "com.example.probe"


def write_rules(path, count, probe_minimum="1.0.0"):
    """Writes as many rules as asked for, and those of the comparison.

    Every other one is for an app of its own, every other one for a path of its own. None of them
    is for the call that is measured; but one is for an app that asks which file is in force.
    """
    head, _, notices = RULES.read_text().partition("notices:")
    others = [rule("probe", f"app: {PROBE_APP}", probe_minimum)] if count > 1 else []
    others += [
        rule(f"app-{number}", f"app: com.example.app{number}, platform: ios", "2.0.0")
        if number % 2 else
        rule(f"path-{number}", f"platform: ios, path: /v2/area{number}/**", "2.0.0")
        for number in range(count - 1 - len(others))
    ]
    # Written beside it and renamed, so that nobody ever reads half of it.
    new = path.with_suffix(".new")
    new.write_text(head + "".join(others) + "notices:" + notices)
    new.rename(path)


def rule(identifier, match, minimum):
    return (
        f"  - id: {identifier}\n    match: {{ {match} }}\n    minimum: \"{minimum}\"\n"
        "    notice: upgrade\n    storeUrl: https://apps.apple.com/app/id1234567890\n"
    )
