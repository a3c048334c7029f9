#!/usr/bin/env python3
"""Compares the ways in which Envoy can evaluate versions: the module, a Lua filter, and authorization requests to a gate.

It prints the processor time that each of them adds to a request, in Envoy and in the gate together. The time of a request
without any filter is subtracted; for denials, that is the time of a route whose direct response is a denial of the gate.

All of them run at the same time on one core, and take short turns, so that the speed of the machine affects them equally. Each
is started several times, because a process can be faster than another one of the same program for its whole life.

With --instructions, it prints the instructions in user space instead, which other load on the machine does not affect. The work of
the kernel is left out: an authorization request causes a dozen system calls, and the module none.

With --pairs, it compares the latency of requests at a constant rate, with the module and without any filter in turn.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from decide import authorizers, gateways  # noqa: E402
from decide.authorizers import PEERS  # noqa: E402
from decide.bench import Bench  # noqa: E402
from sidebyside import callgrind, load  # noqa: E402
from sidebyside.candidates import BACKEND  # noqa: E402
from sidebyside.machine import TooFewCores, busy_warning  # noqa: E402
from sidebyside.options import BUILT_GATE, between  # noqa: E402
from sidebyside.packages import find_peer  # noqa: E402
from sidebyside.run import LoadFailed  # noqa: E402
from sidebyside.server import Server, ServerFailed, free_port, unwind_when_stopped  # noqa: E402
from sidebyside.setup import RULES  # noqa: E402
from sidebyside.traffic import CROWD, MIXED  # noqa: E402
from sidebyside.turns import STUDENT, mean_and_error, turn  # noqa: E402
from updates.noise import differences, most_by_chance  # noqa: E402

LIBRARY = Path(__file__).resolve().parents[1] / ".build/release/libversiongate_envoy.so"
FILTERS = "type.googleapis.com/envoy.extensions.filters.http"
WARM_UP_SECONDS = 1
# The requests before the instructions are counted, those of one count, and the number of counts.
WARM_UP_REQUESTS, COUNTED_REQUESTS, COUNTS = 1500, 1000, 3
# The time of one idle count, and the number of these counts. The lowest one is used: a gate may still process earlier requests.
IDLE_SECONDS, IDLE_COUNTS = 2, 3
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
# A denial of the gate, for one version and in one language: the content and the fields that a client gets in any case.
DENIAL = json.dumps({
    "type": "urn:versiongate:upgrade-required", "title": "Update required", "status": 426,
    "message": "Version 3.4.9 no longer works. Please update to 3.5.0 or later.", "button": "Update",
    "storeUrl": "https://apps.apple.com/app/id1234567890", "minimumVersion": "3.5.0", "latestVersion": "4.2.0",
    "currentVersion": "3.4.9", "rule": "ios", "revision": "0123456789ab",
})
DENIAL_FIELDS = {
    "content-type": "application/problem+json", "cache-control": "no-store", "content-language": "en",
    "vary": "x-app-platform, x-app-version, x-app-build, accept-language, accept, content-type", "x-versiongate": "require",
}
DIRECT = "routes: " + json.dumps([{
    "match": {"prefix": "/"}, "direct_response": {"status": 426, "body": {"inline_string": DENIAL}},
    "response_headers_to_add": [
        {"header": {"key": key, "value": value}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}
        for key, value in DENIAL_FIELDS.items()
    ],
}])


@dataclasses.dataclass(frozen=True)
class Way:
    """One way to evaluate versions, as a gateway for the bench."""

    name: str
    filter: str
    route: str = ROUTE
    workers: int = 1
    is_counted: bool = False

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
        if self.is_counted:
            # The program of the package is a script that runs this one.
            program = next(Path(command[0]).parents[1].glob("lib/python*/site-packages/envoy/_bin/envoy"))
            command = [*callgrind.command(folder, from_start=False), str(program), *command[1:]]
        server = Server(
            "envoy", command, int(values["PORT"]), cores, str(folder), environment, start_seconds=callgrind.START_SECONDS,
        )
        server.wait_until_listening()
        return server


def ways(denied):
    alone = Way(ALONE, "", DIRECT if denied else ROUTE)
    return [alone, Way(MODULE, MODULE_FILTER), Way(LUA, LUA_FILTER), Way(GRPC, gateways.envoy().authorization)]


def one_start(bench, gate, traffic, denied, options):
    """Starts all ways; returns the median processor time that each adds to a request, in microseconds.

    The time of the request without a filter itself is that of `ALONE`.
    """
    authorizer = bench.authorizer(gate, "grpc")
    with contextlib.ExitStack() as stack:
        running = []
        for way in ways(denied):
            server = stack.enter_context(bench.fresh_gateway(way, authorizer.port))
            generator = stack.enter_context(bench.load(server, traffic, denied))
            generator.run(requests=traffic.warm_up_requests)
            pids = server.pids() + (authorizer.pids() if way.name == GRPC else [])
            running.append((way.name, pids, generator))
        found = {name: [] for name, _, _ in running}
        for _ in range(options.turns):
            times = dict.fromkeys(found, 0)
            for name, pids, generator in (*running, *reversed(running)):
                times[name] += turn(pids, generator, options.requests)[0] / 2 / 1000
            for name, taken in times.items():
                found[name].append(taken - (0 if name == ALONE else times[ALONE]))
    return {name: statistics.median(values) for name, values in found.items()}


def count_authorizer(gate, folder, cores):
    """Starts a gate as a decision service, whose instructions can be counted."""
    folder.mkdir()
    port = free_port()
    program = callgrind.without_debug_information(gate, folder)
    command = [*callgrind.command(folder, from_start=False), *authorizers.gate(program).command(folder, port)]
    server = Server("gate", command, port, cores, str(folder), start_seconds=callgrind.START_SECONDS)
    server.wait_until_listening()
    return server


def instructions_per_second(counted):
    """Returns the instructions that the servers execute in a second without requests."""
    counted()
    began = time.monotonic()
    time.sleep(IDLE_SECONDS)
    return counted() / (time.monotonic() - began)


def count_way(way, gate, traffic, denied, backend_port, folder, connections):
    """Returns the instructions of one request in Envoy and in the gate together."""
    cores = sorted(os.sched_getaffinity(0))
    with contextlib.ExitStack() as cleanup:
        servers = []
        if way.name == GRPC:
            servers.append(count_authorizer(gate, folder / "gate", cores))
            cleanup.callback(servers[0].stop)
        server = way.start(folder / "envoy", cores, backend_port, servers[0].port if servers else None)
        cleanup.callback(server.stop)
        servers.append(server)
        counters = [callgrind.Counter(each.pid, each.folder) for each in servers]
        generator = cleanup.enter_context(load.Load(
            load.build_load(folder, "http1"), server.port, traffic.write(folder, denied), status=426 if denied else 200,
            connections=connections, cores=cores, body_bytes=traffic.answer_bytes,
        ))
        generator.run(requests=WARM_UP_REQUESTS)
        for counter in counters:
            counter.switch(True)
        counted = lambda: sum(counter.count() for counter in counters)  # noqa: E731
        idle = min(instructions_per_second(counted) for _ in range(IDLE_COUNTS))
        found = []
        for _ in range(COUNTS):
            began = time.monotonic()
            figures = generator.run(requests=COUNTED_REQUESTS)
            seconds = time.monotonic() - began
            found.append((counted() - idle * seconds) / figures["requests"])
    return statistics.median(found)


def compare_instructions(options):
    if not LIBRARY.exists() or not find_peer(gateways.ENVOY):
        raise ServerFailed("there is no module, or no Envoy: make envoy-module")
    are_met = True
    with tempfile.TemporaryDirectory(prefix="versiongate-envoy-") as name, contextlib.ExitStack() as cleanup:
        folder = Path(name)
        backend = BACKEND.start(folder / "backend", 0, sorted(os.sched_getaffinity(0)))
        cleanup.callback(backend.stop)
        backend.wait_until_listening()
        for traffic in (MIXED, CROWD):
            for denied in (False, True):
                counts = {}
                for way in ways(denied):
                    place = folder / f"{len(list(folder.iterdir()))}"
                    place.mkdir()
                    way = dataclasses.replace(way, is_counted=True)
                    counts[way.name] = count_way(
                        way, options.gate.resolve(), traffic, denied, backend.port, place, options.connections)
                added = {way: count - counts[ALONE] for way, count in counts.items()}
                print(f"\n{traffic.name}, {'denied' if denied else 'allowed'}, instructions in user space")
                for way, count in counts.items():
                    print(f"  {way:20} {count:9,.0f}  added {added[way]:9,.0f}", flush=True)
                part = added[MODULE] / added[GRPC]
                print(f"  module / ext_authz: {part:.3f}" + ("" if part <= PART else "  (not met)"))
                are_met = are_met and part <= PART
    return 0 if are_met else 1


def compare_latency(options):
    """Prints by how much the module delays requests, and returns 1 if it is more than chance."""
    if not LIBRARY.exists():
        raise ServerFailed("there is no module: make envoy-module")
    if warning := busy_warning():
        print(warning)
    are_met = True
    with Bench(options) as bench:
        for traffic in (MIXED, CROWD):
            alone, module = ways(denied=False)[:2]

            def phase(way):
                server = bench.gateway(way, None)
                with bench.load(server, traffic, rate=options.rate) as generator:
                    generator.run(seconds=WARM_UP_SECONDS)
                    return generator.run(seconds=options.seconds)

            phase(module)
            without, with_module = [phase(alone)], []
            for _ in range(options.pairs):
                with_module.append(phase(module))
                without.append(phase(alone))
            print(f"\n{traffic.name}, allowed, {options.rate} requests a second, {options.pairs} pairs")
            for name in ("p50", "p99"):
                quiet, busy = ([each[name] for each in phases] for phases in (without, with_module))
                level, more = statistics.median(quiet), statistics.median(differences(quiet, busy))
                chance = most_by_chance(quiet, busy)
                is_met = more <= chance or name == "p50"
                print(f"  {name}: {level:.0f} µs without a filter, {more:+.1f} µs with the module; up to {chance:.1f} µs may be "
                      f"chance" + ("" if is_met else "  (not met)"), flush=True)
                are_met = are_met and is_met
    return 0 if are_met else 1


def compare(options):
    """Prints the time that each way adds, and returns 1 if the module adds too much."""
    if not LIBRARY.exists():
        raise ServerFailed("there is no module: make envoy-module")
    if warning := busy_warning():
        print(warning)
    gate, are_met = authorizers.gate(options.gate.resolve()), True
    with Bench(options) as bench:
        for traffic in (MIXED, CROWD):
            for denied in (False, True):
                starts = [one_start(bench, gate, traffic, denied, options) for _ in range(options.starts)]
                print(f"\n{traffic.name}, {'denied' if denied else 'allowed'}, {options.starts} starts")
                for name in starts[0]:
                    middle, error = mean_and_error([start[name] for start in starts])
                    print(f"  {name:20} {'takes' if name == ALONE else 'adds'} {middle:6.2f} µs ± {error:.2f}", flush=True)
                added = statistics.mean(start[MODULE] for start in starts)
                part, error = mean_and_error([start[MODULE] / start[GRPC] for start in starts])
                is_met = part <= PART and added <= LIMIT
                print(f"  module / ext_authz: {part:.3f} ± {error:.3f}" + ("" if is_met else "  (not met)"))
                are_met = are_met and is_met
    return 0 if are_met else 1


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/envoy_module.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the binary of the gate")
    parser.add_argument("--starts", type=between(min(STUDENT), max(STUDENT)), default=5)
    parser.add_argument("--turns", type=between(1, 1000), default=20, help="the twofold turns of each start")
    parser.add_argument("--requests", type=between(100, 100_000), default=400, help="the requests of a turn")
    parser.add_argument("--seconds", type=between(1, 600), default=2, help="the length of a run, with --pairs")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of processor time")
    parser.add_argument("--pairs", type=between(2, 100), help="compare latencies, with this number of pairs of runs")
    parser.add_argument("--rate", type=between(1, 100_000), default=2_000, help="requests a second, with --pairs")
    parser.add_argument("--connections", type=between(1, 512), default=64)
    options = parser.parse_args()
    unwind_when_stopped()
    try:
        if options.pairs:
            return compare_latency(options)
        return compare_instructions(options) if options.instructions else compare(options)
    except (LoadFailed, ServerFailed, TooFewCores) as failure:
        return f"cannot measure: {failure}"
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    sys.exit(main())
