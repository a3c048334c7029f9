"""Renders the results as a Markdown page. Free of side effects."""

import re

from .cases import BEHIND_PROXY, BY_NAME, CASES, PATIENCE, TIMEOUT
from .clients import BOTH, CALLS, CLIENTS, EXCUSES, NOT_HERE
from .proxies import PROXIES
from .uploads import LARGE, PROGRAMS, SMALL

# Responses that take longer, in seconds, are marked.
SLOW = 5
PROXY_NAMES = {name: kind.title for name, kind in PROXIES.items()}
# The columns of the tables about proxies: the usual configurations, and the others.
PROXY_TABLES = (
    [name for name in PROXIES if not name.endswith(("-h2", "-waiting"))],
    [name for name in PROXIES if name.endswith(("-h2", "-waiting"))],
)
# The cases in which the client sends a single request.
COUNTED = ("get", "head", "up64k", "up3m", "up30m", "chunked", "expect", "brownout", "maintenance")

INTRODUCTION = """# What real clients see of a denial

`make clients` sends the same requests with each client in the tables, from a build that the rules deny, and records what the app
code sees. Everything runs on one machine, over the loopback interface. Each client has a timeout of {timeout} s, and
is stopped if it reports nothing within {patience} s. Gate: {gate}. The run of {date} took {minutes} minutes.

If a client or a proxy hides the denial, see [what to do in your app](clients.md#exceptions-by-http-client), and [what to configure
in a proxy](guides/behind-nginx-or-a-cdn.md#uploads-from-old-builds).

## How to read the tables

- `426` or `503`: the app sees the whole response: status, header fields and body (no body for `HEAD`).
- A name: the app gets this exception or code instead. For the messages, see [Exception messages](#exception-messages).
- "nginx:" precedes the result of the same client with nginx itself (`return 426`), if that result differs.
- "–": the client cannot send this kind of request.
- `*`: the client hides the response, [regardless of the server](#responses-that-a-client-hides).
- *next request*: the connection on which the client sends a request that passes, after a denied upload of 64 KB. *warned*: the
  app sees the hint in `X-VersionGate`. *brownout*, *maintenance*: the app also sees `Retry-After`. *events*: the first event of
  `/.versiongate/events`.
- *retries*: the requests that the client retries automatically, and how often the server receives each of them.
"""


def empty_results():
    return {"servers": {}, "clients": {}, "cells": {}, "missing_clients": {}, "missing_servers": {}, "uploads": {}}


def escaped(text):
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")


def short(text):
    """Returns the name of a class without its packages."""
    words = [word.rsplit(".", 1)[-1] if word[:1].isalpha() and "." in word else word for word in text.split(" ")]
    return " ".join(words)


def is_slow(cell):
    return cell["kind"] == "seen" and (cell.get("seconds") or 0) > SLOW


def cell_text(cell, excused=False):
    if cell is None:
        return "–"
    text = escaped(short(cell["text"]))
    if is_slow(cell):
        text += f" after {cell['seconds']:.0f} s"
    return f"{text} \\*" if excused and cell["kind"] == "lost" else text


def compared(gate, nginx, excused=False):
    """Returns the result with the gate, and the result with nginx if it differs."""
    text = cell_text(gate, excused)
    if nginx is None or gate is None or cell_text(nginx, excused) == text:
        return text
    return f"{text}<br>nginx: {cell_text(nginx)}"


def repeats(cells):
    """Returns the requests that were sent more than once."""
    found = [
        f"{BY_NAME[name].title}: {cell['attempts']}" for name, cell in cells.items()
        if name in COUNTED and cell.get("attempts", 0) > 1
    ]
    return "<br>".join(found) or "none"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def named(client, results):
    """Returns a client and its version, for the first column."""
    number = re.search(r"\d+(\.\d+)+", results["clients"].get(client.key, ""))
    return f"{client.name} {number[0]}" if number else client.name


def straight(results, http, kind, case_names):
    rows = []
    for client in CLIENTS:
        servers = results["cells"].get(f"{client.key} {http}", {})
        gate, nginx = servers.get("gate", {}), servers.get("nginx", {})
        if client.kind != kind or not gate:
            continue
        row = [named(client, results)]
        for name in case_names:
            row.append(compared(gate.get(name), nginx.get(name), (client.key, name) in EXCUSES))
        rows.append([*row, repeats(gate)])
    return table(["", *(BY_NAME[name].title for name in case_names), "retries"], rows)


def behind(results, http):
    return "\n".join(behind_some(results, http, names) for names in PROXY_TABLES)


def behind_some(results, http, names):
    proxies = [name for name in names if f"behind-{name}" in results["servers"]]
    rows = []
    for client in CLIENTS:
        servers = results["cells"].get(f"{client.key} {http}", {})
        if not any(servers.get(f"behind-{name}") for name in proxies):
            continue
        rows.append([named(client, results), *(together(servers.get(f"behind-{name}", {})) for name in proxies)])
    return table(["", *(PROXY_NAMES[name] for name in proxies)], rows)


def together(cells):
    """Returns one cell for all cases behind a proxy: "all", or the cases with a lost denial."""
    asked = {name: cells[name] for name in BEHIND_PROXY if name in cells and cells[name]["kind"] != "unsupported"}
    if not asked:
        return "–"
    lost = [
        f"{BY_NAME[name].title}: {cell_text(cell)}{again(cell)}" for name, cell in asked.items() if cell["kind"] == "lost"
    ]
    slow = [f"{BY_NAME[name].title} {cell_text(cell)}" for name, cell in asked.items() if is_slow(cell)]
    return "<br>".join(lost + slow) if lost else "<br>".join(["all", *slow])


def again(cell):
    attempts = cell.get("attempts", 0)
    return f", sent {attempts} times" if attempts > 1 else ""


def uploads(results):
    rows = []
    for name, programs in results["uploads"].items():
        proxy = name.removeprefix("behind-")
        row = [f"{PROXY_NAMES[proxy]} {results['servers'].get(name, '')}" if proxy != name else "the gate alone"]
        for kind in ("small", "large"):
            for program in PROGRAMS:
                seen, of, others = programs[program][kind]
                told = ", ".join(f"{count}: {escaped(short(text))}" for text, count in others.items())
                row.append(f"{seen} of {of}" + (f" ({told})" if told else ""))
        rows.append(row)
    return table(["", *(f"{size}, {program}" for size in ("10 to 60 KB", "3 MB") for program in PROGRAMS)], rows)


def exceptions(results):
    lines = {}
    for client in CLIENTS:
        for http in BOTH:
            for server, cells in results["cells"].get(f"{client.key} {http}", {}).items():
                for name, cell in cells.items():
                    if cell["kind"] == "lost" and cell["detail"]:
                        text = escaped(neutral(cell["detail"]))
                        where = server.replace("behind-", "behind ") if server != "gate" else "the gate"
                        places = lines.setdefault((named(client, results), text), [])
                        places.append(f"{BY_NAME[name].title} ({where}, HTTP/{http})")
    return "".join(
        f"- {client}: {text}\n  In: {', '.join(places[:6])}{' and others' if len(places) > 6 else ''}.\n"
        for (client, text), places in lines.items()
    )


def neutral(text):
    """Returns the text without ports and paths, which differ from run to run."""
    words = ["ADDRESS" if "127.0.0.1" in word else word for word in text.split()]
    return " ".join(words)


def hidden(results):
    names = {client.key: client for client in CLIENTS}
    rows = [
        [named(names[key], results), BY_NAME[case].title, reason] for (key, case), reason in EXCUSES.items()
        if any(row.split(" ")[0] == key for row in results["cells"])
    ]
    return table(["", "case", "reason"], rows)


def versions(results):
    rows = [[escaped(client.name), escaped(results["clients"][client.key])] for client in CLIENTS
            if client.key in results["clients"]]
    rows += [["nginx with `return 426`", results["servers"].get("nginx", "")]]
    rows += [[f"{PROXY_NAMES[name]}, in front of the gate", results["servers"][f"behind-{name}"]]
             for name in PROXY_NAMES if f"behind-{name}" in results["servers"]]
    return table(["", "version"], rows)


def left_out(results):
    names = {client.key: client.name for client in CLIENTS}
    rows = [*NOT_HERE, *((names.get(key, key), escaped(reason)) for key, reason in results["missing_clients"].items())]
    rows += [(name, escaped(reason)) for name, reason in results["missing_servers"].items()]
    return table(["", "reason"], [list(row) for row in rows])


def missed(results):
    """Returns the unexcused cells without a proxy in which the app does not see the expected result."""
    lines = []
    for row, servers in results["cells"].items():
        key = row.split(" ")[0]
        for name, cell in servers.get("gate", {}).items():
            if cell["kind"] == "lost" and (key, name) not in EXCUSES:
                lines.append(f"{row}, {name}: {cell['text']} ({cell['detail']})")
    return lines


def render(results):
    everything = [case.name for case in CASES]
    parts = [
        INTRODUCTION.format(
            timeout=TIMEOUT, patience=PATIENCE, minutes=round(results.get("seconds", 0) / 60) or 1, date=results.get("date", ""),
            gate=", ".join(results["servers"].get("gate", "").splitlines()[:2]),
        ),
        "## Without a proxy, HTTP/1.1\n", straight(results, "1.1", "http", everything),
        "## Without a proxy, HTTP/2 with TLS\n", straight(results, "2", "http", everything[:-1]),
        "## gRPC, gRPC-Web and Connect\n",
        "A code in a cell means that the app receives this code and the text of the denial. GET is a unary call with an empty "
        "message. The sizes are message sizes. \"3 MB chunked\" is a call with a stream of messages.\n",
        "### HTTP/2 with TLS\n", straight(results, "2", "rpc", CALLS),
        "### HTTP/1.1\n", straight(results, "1.1", "rpc", CALLS),
        "## Behind proxies\n",
        "The client sends a GET request and uploads of 64 KB, 3 MB and 30 MB through a proxy that connects to the gate over "
        "HTTP/1.1, or over cleartext HTTP/2 (\"h2\"). \"all\" means that the app sees the whole denial of all four requests. The configurations are in "
        "`Tests/ClientMatrix/servers`. nginx and \"buffering\" are configured as in "
        "[the guide](guides/behind-nginx-or-a-cdn.md#uploads-from-old-builds), and all other proxies use "
        "their default configuration. \"waiting\": the gate reads the whole upload before it sends the denial, with the "
        "settings from the guide.\n",
        "### HTTP/1.1\n", behind(results, "1.1"),
        "### HTTP/2 with TLS\n", behind(results, "2"),
        "## Repeated uploads\n",
        f"Denied uploads over HTTP/2, each on a separate connection: {len(SMALL)} uploads of 10, 30 or 60 KB, and "
        f"{len(LARGE)} uploads of 3 MB. The numbers show for how many uploads the client gets the whole denial within 5 s. "
        "Caddy, Traefik and Envoy reset the stream of a 3 MB upload after the response, and curl 7.88.1 then drops the part "
        "of the response that it has not read yet. \"h2\": the proxy connects to the gate over HTTP/2.\n",
        uploads(results),
        "## Responses that a client hides\n", hidden(results),
        "## Exception messages\n", exceptions(results),
        "## Versions\n", versions(results),
        "## Not in the tables\n", left_out(results),
    ]
    return "\n".join(parts)
