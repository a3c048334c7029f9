#!/usr/bin/env python3
"""Finds dependency cycles between the folders of each target.

A folder depends on another one if one of its files names a type that is declared at the top level of a file in the other
one. The check reads text, without the compiler's information, so it does not see members of extensions. If a target's
folders are listed here in order, from the bottom up, the dependencies must follow that order.
"""
import collections
import pathlib
import re
import sys

ORDERS = {
    "GateControl": ["Watching", "Reloading", "FeedRunning", "Breaker", "Preview", "Pass"],
    "GateEnvoy": ["Interface", "Decisions", "Rules", "Hooks"],
    "GateFeeds": ["Streams", "Values", "Google", "RemoteConfig", "AppStoreConnect", "Sources", "FeedRunning"],
    "GateRecords": ["State", "Redis", "Census", "Advice", "Audit"],
    "GateRules": [
        "Document", "JSON", "Decoding", "Template", "Feeds", "RulesFile", "OpenAPI", "Findings", "Changes", "Comparison",
        "Suites", "Checking", "SettingsFile",
    ],
    "GateSystem": ["Time", "Threads", "Files", "Curl"],
    "GateWire": ["HTTP1", "HTTP2", "GRPC", "ProxyProtocol"],
    "GateProxy": [
        "Settings", "Counters", "TLS", "Logging", "Verdict", "AccessLog", "Forwarding", "Decisions", "Exchange", "Loop", "Transport",
        "Upstream", "Client", "ParkedConnections", "Server",
    ],
}
DECLARATION = re.compile(
    r"^((?:@\w+(?:\([^)]*\))? |package |public |internal |private |fileprivate |final |indirect )*)"
    r"(?:class|struct|enum|protocol|actor|typealias) (\w+)",
    re.M,
)
IGNORED = [r'"""[\s\S]*?"""', r'"(?:\\.|[^"\\\n])*"', r"//.*"]


def uses(folder):
    """Returns the types from other folders that each folder names: {(of, in): {name: file}}."""
    texts, homes = {}, {}

    def home_of(path):
        """Returns the folder of a file, ignoring subfolders."""
        parts = path.relative_to(folder).parts
        return parts[0] if len(parts) > 1 else "."

    for path in sorted(folder.rglob("*.swift")):
        text = path.read_text()
        for pattern in IGNORED:
            text = re.sub(pattern, "", text)
        texts[path] = text
        for modifiers, name in DECLARATION.findall(text):
            if "private" not in modifiers:
                homes.setdefault(name, home_of(path))
    found = collections.defaultdict(dict)
    for path, text in texts.items():
        own = home_of(path)
        for name in set(re.findall(r"\b[A-Z]\w*", text)):
            home = homes.get(name, own)
            if home != own:
                found[own, home][name] = path
    return found


def circles(edges):
    """Returns the edges that are part of a cycle, whose ends reach each other."""
    targets = collections.defaultdict(set)
    for start, end in edges:
        targets[start].add(end)

    def reached(start):
        seen, rest = set(), [start]
        while rest:
            new = targets[rest.pop()] - seen
            seen |= new
            rest += new
        return seen

    reach = {folder: reached(folder) for folder in list(targets)}
    return [edge for edge in edges if edge[0] in reach.get(edge[1], ())]


def against(order, edges):
    """Returns the edges that lead upward, or to or from a folder that is not in the order."""
    place = {folder: index for index, folder in enumerate(order)}
    return [edge for edge in edges if place.get(edge[0], -1) <= place.get(edge[1], len(order))]


def main(sources):
    failed = False
    for target in sorted(path for path in sources.iterdir() if any(path.rglob("*.swift"))):
        found = uses(target)
        wrong = set(circles(found))
        if target.name in ORDERS:
            wrong |= set(against(ORDERS[target.name], found))
        for start, end in sorted(wrong):
            for name, path in sorted(found[start, end].items()):
                print(
                    f"{path}: {name} is in {target.name}/{end}, which is above {target.name}/{start}",
                    file=sys.stderr,
                )
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(__file__).parent.parent / "Sources"))
