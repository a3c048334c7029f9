"""The comparison itself: start everything, check it, measure it in turns, stop it."""

import contextlib
import signal
import tempfile

from .answers import WrongAnswer, check_answers
from .candidates import BACKEND
from .server import ServerFailed


@contextlib.contextmanager
def started_servers(candidates, proxy_cores, load_cores):
    """The candidates that run and answer rightly; on leaving, all that was started stops."""
    with contextlib.ExitStack() as cleanup, undisturbed_on_leaving():
        folder = cleanup.enter_context(tempfile.TemporaryDirectory(prefix="versiongate-bench-"))
        backend = BACKEND.start(folder, 0, load_cores)
        cleanup.callback(backend.stop)
        backend.wait_until_listening()
        servers = []
        for candidate in candidates:
            server = candidate.start(folder, backend.port, proxy_cores)
            cleanup.callback(server.stop)
            if is_fit(server):
                servers.append(server)
        yield servers


@contextlib.contextmanager
def undisturbed_on_leaving():
    """A second Ctrl-C must not leave servers behind; to stop them takes seconds at most."""
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)


def is_fit(server):
    """Whether it can be measured; one that cannot is stopped, with a message."""
    try:
        server.wait_until_listening()
        check_answers(server.port)
        return True
    except (ServerFailed, WrongAnswer) as failure:
        print(f"left out: {server.name}: {failure}", flush=True)
        server.stop()
        return False


def measure_in_turns(servers, scenarios, load, rounds):
    """The runs by scenario and candidate. The order rotates, so that none always comes first."""
    results = {scenario.name: {server.name: [] for server in servers} for scenario in scenarios}
    for number in range(rounds):
        shift = number % len(servers)
        for scenario in scenarios:
            for server in servers[shift:] + servers[:shift]:
                print(f"round {number + 1} of {rounds}: {scenario.name}, {server.name}", flush=True)
                results[scenario.name][server.name].append(load.measure(server, scenario))
    return results
