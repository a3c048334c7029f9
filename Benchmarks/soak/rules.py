"""The soak test's rules: two alternating floors, and files that the gate must reject."""

import random

ALWAYS_DENIED, WAVERS, ALWAYS_PASSES = "1.0.0", "2.5.0", "9.0.0"
FLOORS = ("2.0.0", "3.0.0")
BROKEN = (
    "rules: [",
    "rules:\n  - id: ios\n    minimun: \"2\"\n",
    "rules:\n  - { id: ios, minimum: 1.10 }\n",
    "\x00\xff",
    "",
)


def good_rules(floor):
    others = "".join(
        f"  - id: other-{number}\n    match: {{ app: com.example.app{number} }}\n"
        f"    minimum: \"2.0.0\"\n    storeUrl: https://apps.apple.com/app/id{number}\n"
        for number in range(200)
    )
    return (
        f"rules:\n  - id: ios\n    match: {{ platform: ios }}\n    minimum: \"{floor}\"\n"
        f"    storeUrl: https://apps.apple.com/app/id1\n{others}"
    )


def broken_rules():
    return random.choice(BROKEN)
