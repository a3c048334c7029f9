#!/usr/bin/env python3
"""Compares the ways in which Envoy can evaluate versions: the module, a Lua filter, and authorization requests to a gate.

It prints the processor time that each of them adds to a request, in Envoy and in the gate together. The time of a request
without any filter is subtracted; for denials, that is the time of a route with a direct response. The figures are the lowest of
all rounds.
"""

import argparse
import dataclasses
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True

from decide import authorizers, gateways  # noqa: E402
from decide.authorizers import PEERS  # noqa: E402
from decide.bench import Bench  # noqa: E402
from sidebyside.machine import TooFewCores, busy_warning  # noqa: E402
from sidebyside.options import BUILT_GATE, between  # noqa: E402
from sidebyside.packages import find_peer  # noqa: E402
from sidebyside.server import Server, ServerFailed, unwind_when_stopped  # noqa: E402
from sidebyside.setup import RULES  # noqa: E402
from sidebyside.traffic import CROWD, MIXED  # noqa: E402

LIBRARY = Path(__file__).resolve().parents[1] / ".build/release/libversiongate_envoy.so"
FILTERS = "type.googleapis.com/envoy.extensions.filters.http"
WARM_UP_SECONDS = 1
# The proportion of an authorization request over gRPC that the module may add, and its limit in microseconds.
PART, LIMIT = 0.10, 3.0
ALONE, MODULE, LUA, GRPC = "no filter", "module", "Lua filter", "ext_authz over gRPC"
MODULE_FILTER = (
    f'- {{ name: versiongate, typed_config: {{ "@type": {FILTERS}.dynamic_modules.v3.DynamicModuleFilter, '
    "dynamic_module_config: { name: versiongate_envoy }, filter_name: versiongate, "
    'filter_config: { "@type": type.googleapis.com/google.protobuf.StringValue, value: "rules: RULES" } } }'
)
# The same rule in Lua, as it would be written by hand: one platform, one floor, one language.
LUA_FILTER = f"""- name: envoy.filters.http.lua
                  typed_config:
                    "@type": {FILTERS}.lua.v3.Lua
                    default_source_code:
                      inline_string: |
                        function envoy_on_request(handle)
                          local headers = handle:headers()
                          if headers:get("x-app-platform") ~= "ios" then return end
                          local major, minor = (headers:get("x-app-version") or ""):match("^(%d+)%.?(%d*)")
                          if not major then return end
                          local version = tonumber(major) * 1000 + (tonumber(minor) or 0)
                          if version < 3005 then
                            handle:respond({{[":status"] = "426", ["content-type"] = "application/problem+json"}},
                              '{{"type":"urn:versiongate:upgrade-required","title":"Update required","status":426}}')
                          end
                        end"""
ROUTE = "routes: [{ match: { prefix: / }, route: { cluster: backend, timeout: 60s } }]"
DIRECT = 'routes: [{ match: { prefix: / }, direct_response: { status: 426, body: { inline_string: "{}" } } }]'


@dataclasses.dataclass(frozen=True)
class Way:
    """One way to evaluate versions, as a gateway for the bench."""

    name: str
    filter: str
    route: str = ROUTE
    workers: int = 1

    def start(self, folder, cores, backend_port, authorizer_port):
        folder.mkdir()
        values = gateways.envoy().values(backend_port, authorizer_port)
        values["AUTHORIZATION"] = self.filter.replace("RULES", str(RULES))
        text = (PEERS / "envoy.yaml").read_text()
        assert ROUTE in text
        text = text.replace(ROUTE, self.route)
        for name, value in values.items():
            text = text.replace(f"@{name}@", value)
        (folder / "envoy.yaml").write_text(text)
        command = [find_peer(gateways.ENVOY), "-c", f"{folder}/envoy.yaml", "--concurrency", str(self.workers),
                   "--disable-hot-restart", "-l", "error"]
        environment = {"ENVOY_DYNAMIC_MODULES_SEARCH_PATH": str(LIBRARY.parent)}
        server = Server("envoy", command, int(values["PORT"]), cores, str(folder), environment)
        server.wait_until_listening()
        return server


def ways(denied):
    alone = Way(ALONE, "", DIRECT if denied else ROUTE)
    return [alone, Way(MODULE, MODULE_FILTER), Way(LUA, LUA_FILTER), Way(GRPC, gateways.envoy().authorization)]


def measure(bench, way, gate, traffic, denied, seconds):
    """Returns the processor time of one request in microseconds, in Envoy and in the gate together."""
    authorizer = bench.authorizer(gate, "grpc") if way.name == GRPC else None
    server = bench.gateway(way, authorizer.port if authorizer else None)
    servers = [server] + ([authorizer] if authorizer else [])
    with bench.load(server, traffic, denied) as generator:
        generator.run(seconds=WARM_UP_SECONDS)
        before = sum(each.cpu_seconds() for each in servers)
        figures = generator.run(seconds=seconds)
        used = sum(each.cpu_seconds() for each in servers) - before
    return used / figures["requests"] * 1e6


def compare(options):
    if not LIBRARY.exists():
        raise ServerFailed("there is no module: make envoy-module")
    if warning := busy_warning():
        print(warning)
    gate, are_met = authorizers.gate(options.gate.resolve()), True
    with Bench(options) as bench:
        for traffic in (MIXED, CROWD):
            for denied in (False, True):
                found = {way: [] for way in ways(denied)}
                for _ in range(options.rounds):
                    for way, values in found.items():
                        values.append(measure(bench, way, gate, traffic, denied, options.seconds))
                # On a busy machine, the lowest value is the least disturbed one.
                lowest = {way.name: min(values) for way, values in found.items()}
                added = {name: value - lowest[ALONE] for name, value in lowest.items()}
                print(f"\n{traffic.name}, {'denied' if denied else 'allowed'}, {options.rounds} rounds")
                for name, value in lowest.items():
                    print(f"  {name:20} {value:7.2f} µs  added {added[name]:6.2f} µs", flush=True)
                part = added[MODULE] / added[GRPC]
                is_met = part <= PART and added[MODULE] <= LIMIT
                print(f"  module / ext_authz: {part:.3f}" + ("" if is_met else "  (not met)"))
                are_met = are_met and is_met
    return 0 if are_met else 1


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/envoy_module.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the binary of the gate")
    parser.add_argument("--rounds", type=between(1, 100), default=5)
    parser.add_argument("--seconds", type=between(1, 600), default=2, help="the length of a run")
    parser.add_argument("--connections", type=between(1, 512), default=64)
    options = parser.parse_args()
    unwind_when_stopped()
    try:
        return compare(options)
    except (ServerFailed, TooFewCores) as failure:
        return f"cannot measure: {failure}"
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
