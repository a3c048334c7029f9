"""Renders the results as docs/gateways/README.md, and compares them with the expected ones. Pure."""

from cases import CASES

INTRODUCTION = """# Gateway compatibility

This page is for operators who already have a gateway and want it to authorize each request with VersionGate, instead of sending all
requests through VersionGate. `make gateways` generates this page: the command starts each gateway with the configuration from the
gateway's page, together with a gate and a backend, and sends the requests in the first column. All programs run on one machine and
communicate over the loopback interface. The command also compares the results with `Tests/Gateways/expected.json`, and fails if any
behavior has changed.

For other gateways, see [the protocol of the decision listener](protocol.md).

Gate: {gate}. Last run: {date}.

## How to read the table

- `426`, `503`: the client receives the complete denial: status, header fields and body. The cell names any missing or additional
  parts.
- For uploads, "at once" means that the client receives the denial before it has sent the rest of the body, and "later" means that
  the client must send more of the body first.
- "the hint": the backend's response reaches the client with `X-VersionGate: recommend`.
- "removed": the backend does not receive forged fields that only the gate may send.
- Requests that the gate cannot evaluate, such as a request with an invalid `Host`: the status shows which program rejected the
  request. If such a request reaches the backend, the cell states this. Caddy and Traefik respond to `OPTIONS *` themselves.
- "current build, 91 fields": HAProxy's script rejects requests with more than 90 fields.
- "`/decide/` by way of `..`": clients must not be able to reach the decision endpoints through a path under `/.versiongate/`.
- "forged `X-Forwarded-For`": "ignored" if the gate uses the address of the connection instead.
- "a preview": `426` if a request with a [signed header](../guides/preview.md) gets the denial, `/.versiongate/status` reports the
  denial too, and the backend does not receive the header.
- "a pass": "passes" if a [signed header](../guides/pass.md) lifts the denial, `/.versiongate/status` reports that the request
  passes, and the backend does not receive the header.
- "the other backend": with the changes in "Send old builds to another backend" on the gateway's page, requests from an old build go
  to the backend that the [route](protocol.md#routes) names, and requests from a current build go to the default backend.
- "selects nothing": a request goes to the same backend whether or not the client sends `X-VersionGate-Route` itself.
- "other choice": the gateway's page shows how to deny requests instead of allowing them, or the reverse, while the gate does not
  respond. For Traefik, the page shows how to wait for one second instead of thirty.
- "right": each request before the reload gets the decision of the previous rules, and each request after the reload gets the
  decision of the new rules.
- "–": the gateway's page describes no other choice.
- "no response": the client gets no response within 40 s.

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
