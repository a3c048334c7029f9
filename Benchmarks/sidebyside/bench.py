"""The comparison, which starts everything, checks it, measures it in turns, and stops it."""

import contextlib
import signal
import tempfile
from pathlib import Path

from . import load, wrk
from .answers import WrongAnswer, check_answers
from .appcall import CURRENT_VERSION, request_headers
from .candidates import BACKEND, REFERENCE
from .packages import find_program
from .run import LoadFailed, Run
from .server import ServerFailed
from .setup import USUAL


class Bench:
    """The shared state of all scenarios: candidates, servers, cores, and the load generator."""

    def __init__(self, candidates, options, proxy_cores, load_cores):
        self.candidates = candidates
        self.seconds = options.seconds
        self.load_cores = load_cores
        self.folder = None
        self._connections = options.connections
        self._proxy_cores = proxy_cores
        self._all_cores = sorted({*proxy_cores, *load_cores})
        self._servers = {}
        self._started = 0
        self._peaks = {}
        # The next unused request number: see load/load.h.
        self._numbers = {}
        self._backend = None
        self._cleanup = contextlib.ExitStack()

    def __enter__(self):
        self._cleanup.__enter__()
        self._cleanup.enter_context(undisturbed_on_leaving())
        self.folder = Path(self._cleanup.enter_context(
            tempfile.TemporaryDirectory(prefix="versiongate-bench-")
        ))
        # nginx's workers run as another user, and must be able to read bodies.
        self.folder.chmod(0o755)
        self._backend = BACKEND.start(self.folder / "backend", 0, self.load_cores)
        self._cleanup.callback(self._backend.stop)
        self._backend.wait_until_listening()
        return self

    def __exit__(self, *error):
        return self._cleanup.__exit__(*error)

    def candidate(self, name):
        """Returns the candidate with that name, or None if it is not measured."""
        return next((each for each in self.candidates if each.name == name), None)

    def has(self, program):
        return find_program(program) is not None

    def server(self, candidate, setup=USUAL):
        """Returns the candidate in that setup; it is kept for the next round."""
        key = (candidate.name, setup)
        if key not in self._servers:
            self._servers[key] = self._start(candidate, setup)
        return self._servers[key]

    @contextlib.contextmanager
    def fresh_server(self, candidate, setup=USUAL):
        """Returns a new process that ends with the block."""
        server = self._start(candidate, setup)
        try:
            yield server
        finally:
            server.stop()

    def _start(self, candidate, setup):
        """Starts a candidate; raises ServerFailed if it sends wrong responses."""
        self._started += 1
        folder = self.folder / f"{candidate.name}-{self._started}"
        cores = self._all_cores if setup.all_cores else self._proxy_cores
        server = candidate.start(folder, self._backend.port, cores, setup)
        self._cleanup.callback(server.stop)
        server.wait_until_listening()
        try:
            check_answers(server.port, tls=setup.tls)
        except WrongAnswer as failure:
            server.stop()
            raise ServerFailed(f"left out: {candidate.name}: {failure}") from failure
        server.wait_until_idle()
        return server

    def wrk(self, server, headers, status, *, connections=None, on_all_cores=False, **request):
        """Runs wrk against the server, after a warm-up."""
        return wrk.measure(
            server, headers, status,
            seconds=self.seconds,
            connections=connections or self._connections,
            cores=self._all_cores if on_all_cores else self.load_cores,
            **request,
        )

    @contextlib.contextmanager
    def start_load(self, server, traffic, denied, *, protocol="http1", seed):
        """Starts the load generator with that traffic for the server."""
        connections, streams = traffic.connections or self._connections, 1
        if protocol == "http2":
            connections, streams = load.HTTP2_CONNECTIONS, load.STREAMS_EACH
        with load.Load(
            load.build_load(self.folder, protocol), server.port, traffic.write(self.folder, denied),
            status=426 if denied else 200, connections=connections, streams=streams,
            cores=self.load_cores, by_zipf=traffic.by_zipf, seed=seed,
            number=self._numbers.get(server, load.FIRST_NUMBER),
            body_bytes=traffic.answer_bytes,
        ) as generator:
            try:
                yield generator
            finally:
                self._numbers[server] = generator.next_number

    def load(self, server, traffic, denied, *, protocol="http1", seed):
        """Runs that traffic against the server, after a warm-up."""
        with self.start_load(server, traffic, denied, protocol=protocol, seed=seed) as generator:
            warm_up = generator.run(seconds=traffic.warm_up_seconds)
            cpu_before = server.cpu_seconds()
            figures = generator.run(seconds=self.seconds)
            cpu = server.cpu_seconds() - cpu_before
        if not server.is_running():
            raise LoadFailed("the server has ended")
        return load.run_from(warm_up, figures, cpu)

    def peak_rate(self, number):
        """Returns the maximum rate of requests that the reference forwards, measured in this round."""
        if number not in self._peaks:
            reference = self.candidate(REFERENCE)
            if reference is None:
                raise ServerFailed(f"the rate is half of that of {REFERENCE}, which is not measured")
            run = self.wrk(self.server(reference), request_headers(CURRENT_VERSION), 200)
            if not run.is_clean:
                raise ServerFailed(f"no maximum rate of {REFERENCE}: {run.faults}")
            self._peaks[number] = run.figures["requests_per_second"]
        return self._peaks[number]


@contextlib.contextmanager
def undisturbed_on_leaving():
    """A second Ctrl-C must not leave servers running; stopping them takes a few seconds at most."""
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


def measure_in_turns(bench, scenarios, rounds):
    """Returns the runs by scenario and row. The order rotates, so that no candidate always comes first."""
    rows = {scenario: list(scenario.rows(bench).items()) for scenario in scenarios}
    results = {each: {name: [] for name, _ in rows[each]} for each in scenarios if rows[each]}
    for number in range(rounds):
        for scenario, runs in results.items():
            if number >= (scenario.max_rounds or rounds):
                continue
            shift = number % len(rows[scenario])
            for name, measure in rows[scenario][shift:] + rows[scenario][:shift]:
                print(f"round {number + 1} of {rounds}: {scenario.name}, {name}", flush=True)
                runs[name].append(attempt(measure, number))
    return results


def attempt(measure, number):
    """Measures once; a failure becomes a row with the reason, and the other rows continue."""
    try:
        return measure(number)
    except (ServerFailed, LoadFailed) as failure:
        print(failure, flush=True)
        return Run.failed(failure)
