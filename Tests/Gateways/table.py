"""Renders the results as docs/gateways/README.md, and compares them with the expected ones. Pure."""

from cases import CASES

INTRODUCTION = """# Gateway compatibility

For operators who already have a gateway and want it to authorize each request with VersionGate, instead of sending all
requests through VersionGate. `make gateways` generates this page: it starts each gateway with the configuration from its
page, a gate and a backend, and sends the requests in the first column. Everything runs on one machine, over the loopback
interface. The results are also compared with `Tests/Gateways/expected.json`, so a change of behavior makes the command
fail.

For other gateways, see [the protocol of the decision listener](protocol.md).

Gate: {gate}. Last run: {date}.

## How to read the table

- `426`, `503`: the client sees the whole denial: status, header fields and body. Missing and additional parts are named.
- "at once": before the rest of the upload was sent; "later": the client first has to send more of it.
- "the hint": the response of the backend reaches the client with `X-VersionGate: recommend`.
- "removed": the backend does not see forged fields that only the gate may send.
- Requests that no gate could evaluate, such as those with an invalid `Host`: the status shows which program rejected
  them. If one of them reaches the backend, the cell says so. Caddy and Traefik respond to `OPTIONS *` themselves.
- "current build, 91 fields": HAProxy's script rejects requests with more than 90 fields.
- "`/decide/` by way of `..`": clients must not reach the endpoints for decisions through `/.versiongate/`.
- "forged `X-Forwarded-For`": "ignored" if the gate takes the address of the connection instead.
- "a preview": `426` if a [signed header](../guides/preview.md) shows the denial, also in `/.versiongate/status`, and the backend
  does not see the header.
- "a pass": "passes" if a [signed header](../guides/pass.md) lifts the denial, also in `/.versiongate/status`, and the backend does
  not see the header.
- "the other backend": an old build goes to the backend that its [route](protocol.md#routes) names, and a current build to the
  default one, with the changes in "Send old builds to another backend" on the page.
- "selects nothing": a client that sends `X-VersionGate-Route` itself goes to the same backend as without it.
- "other choice": the page shows how to deny instead of allow, or the other way around, while the gate does not respond.
  For Traefik, it shows how to wait for one second instead of thirty.
- "right": each request before the reload gets the decision of the old rules, and each one after it that of the new rules.
- "–": the page has no such choice.
- "no response": nothing within 40 s.

"""
CHOICES = {"open": "requests pass", "closed": "requests are denied"}


def escaped(text):
    return text.replace("|", "\\|")


def render(gateways, results, gate, date):
    """Returns the page. `gateways` are the classes of all columns, and `results` has their versions and cells."""
    kinds = [kind for kind in gateways if kind.key in results]
    rows = [["", *(f"[{kind.title}]({kind.page}) {results[kind.key]['version']}" for kind in kinds)]]
    rows.append(["---"] * len(rows[0]))
    for case in CASES:
        rows.append([case.title, *(escaped(results[kind.key]["cells"].get(case.name, "–")) for kind in kinds)])
    rows.append(["gate slow or down, as on the page", *(CHOICES.get(kind.fails, kind.fails) for kind in kinds)])
    lines = "".join("| " + " | ".join(row) + " |\n" for row in rows)
    return INTRODUCTION.format(gate=gate, date=date) + lines


def differences(key, cells, expected):
    """Returns a line for each cell that is not as expected."""
    return [
        f"{key}, {name}: {text!r} instead of {expected.get(key, {}).get(name)!r}" for name, text in cells.items()
        if text != expected.get(key, {}).get(name)
    ]
