"""What is measured: processor time per decision, and the time that authorization adds to a client's request."""

import functools
import re

from sidebyside import load
from sidebyside.h2load import count_of, faults_in, run_h2load
from sidebyside.run import Column, LoadFailed, Run
from sidebyside.traffic import MIXED

from .answers import call
from .authorization import AUTHORIZATIONS, CALL_PATH, check_request, grpc_body

VERSIONS = {False: "4.2.0", True: "3.4.9"}
GRPC_CONNECTIONS, GRPC_STREAMS = 8, 10
WARM_UP_SECONDS = 1
# A run at a steady rate that takes longer than this has had a queue: its latencies are the length of the run.
MOST_DELAY = 1.1
NO_AUTHORIZER = "no authorizer"
GRPC_HEADERS = {"content-type": "application/grpc", "te": "trailers"}


class Cost:
    """Processor time of the authorizers per decision, with one authorization request at a time on each stream."""

    max_rounds = None

    def __init__(self, protocol, denied, authorizers, reference):
        self._protocol, self._denied, self._authorizers = protocol, denied, authorizers
        self.reference = reference
        self.name = f"{protocol}-{'denied' if denied else 'allowed'}"
        load_words = (
            f"{GRPC_CONNECTIONS} connections with {GRPC_STREAMS} streams each" if protocol == "grpc"
            else "HTTP/1.1, keep-alive"
        )
        self.title = f"an {'outdated' if denied else 'allowed'} build; {load_words}"
        self.columns = (
            Column("CPU µs/decision", "cpu_microseconds", "{:.2f}"),
            Column(f"CPU, ratio to {reference}", "cpu_microseconds", is_ratio=True),
            Column("decisions/s", "requests_per_second"),
        )

    def rows(self, bench):
        measure = self._grpc if self._protocol == "grpc" else self._http
        return {each.name: functools.partial(measure, bench, each) for each in self._authorizers}

    def _http(self, bench, authorizer, number):
        server = bench.authorizer(authorizer, "http")
        with bench.load(server, AUTHORIZATIONS, self._denied) as generator:
            warm_up = generator.run(seconds=WARM_UP_SECONDS)
            cpu_before = server.cpu_seconds()
            figures = generator.run(seconds=bench.options.seconds)
            cpu = server.cpu_seconds() - cpu_before
        return load.run_from(warm_up, figures, cpu)

    def _grpc(self, bench, authorizer, number):
        server = bench.authorizer(authorizer, "grpc")
        version = VERSIONS[self._denied]
        # h2load does not support gRPC: the length shows whether every response is the one that was checked.
        length = len(grpc_body(call(server.port, bench.folder, version)))
        arguments = (
            "--clients", str(GRPC_CONNECTIONS), "--max-concurrent-streams", str(GRPC_STREAMS),
            "--data", str(bench.folder / "message"),
        )
        (bench.folder / "message").write_bytes(grpc_body(check_request(version)))
        url = f"http://127.0.0.1:{server.port}{CALL_PATH}"
        run_h2load(arguments, WARM_UP_SECONDS, url, GRPC_HEADERS, bench.load_cores)
        cpu_before = server.cpu_seconds()
        output = run_h2load(arguments, bench.options.seconds, url, GRPC_HEADERS, bench.load_cores)
        cpu = server.cpu_seconds() - cpu_before
        answers = count_of(output, "succeeded")
        if not answers:
            return Run.failed("no responses")
        return Run({
            "requests_per_second": answers / bench.options.seconds,
            "cpu_microseconds": cpu / answers * 1e6,
        }, tuple(faults_in(output) + faulty_lengths(output, answers, length)))


def faulty_lengths(output, answers, length):
    """Returns a description of responses that are not that long, but for those that the end of the run cut off."""
    found = re.search(r"\((\d+)\) data\b", output)
    if found is None:
        raise LoadFailed("h2load prints no length of data")
    rest = int(found[1]) - answers * length
    if 0 <= rest <= GRPC_CONNECTIONS * GRPC_STREAMS * length:
        return []
    return [f"responses of {int(found[1]) / answers:.1f} instead of {length} bytes"]


class Added:
    """The time that authorization adds to the requests of clients of a gateway, at a steady rate."""

    max_rounds = None

    def __init__(self, gateway, protocol, authorizers, options):
        self._gateway, self._protocol, self._authorizers = gateway, protocol, authorizers
        self.name = f"{gateway.name}-added"
        self.title = f"{options.rate:,} requests a second at random times through {gateway.name}"

    def rows(self, bench):
        names = {NO_AUTHORIZER: None} | {each.name: each for each in self._authorizers}
        return {name: functools.partial(self._measure, bench, each) for name, each in names.items()}

    def _measure(self, bench, authorizer, number):
        port = bench.authorizer(authorizer, self._protocol).port if authorizer else None
        server = bench.gateway(self._gateway, port)
        # The requests of a round come at the same times in every row.
        with bench.load(server, MIXED, rate=bench.options.rate, seed=number + 1) as generator:
            warm_up = generator.run(seconds=WARM_UP_SECONDS)
            figures = generator.run(seconds=bench.options.steady_seconds)
        if not figures["requests"]:
            return Run.failed("no responses")
        if figures["nanoseconds"] / 1e9 > bench.options.steady_seconds * MOST_DELAY:
            return Run.failed(f"too slow for {bench.options.rate:,} requests a second")
        return Run({"p50": figures["p50"], "p99": figures["p99"]}, load.faults_in(warm_up, figures))
