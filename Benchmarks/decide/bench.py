"""The processes of the comparison: authorizers, the gateways that use them, and the backend."""

import contextlib
import tempfile
from pathlib import Path

from sidebyside import load
from sidebyside.answers import WrongAnswer
from sidebyside.bench import undisturbed_on_leaving
from sidebyside.candidates import BACKEND
from sidebyside.machine import split_cores
from sidebyside.run import LoadFailed
from sidebyside.server import ServerFailed

from .answers import check_grpc, check_http


class Bench:
    """The shared state of all scenarios; every process uses one core."""

    def __init__(self, options):
        self.options = options
        self.folder = None
        self._cores, others = split_cores()
        # With a third core, an authorizer need not share that of its gateway.
        self.shares_core = len(others) == 1
        self._gateway_cores = self._cores if self.shares_core else others[:1]
        self.load_cores = others if self.shares_core else others[1:]
        self._backend = None
        self._started = {}
        self._starts = 0
        # The authorizers whose decisions were right, and the protocol.
        self._checked = set()
        self._cleanup = contextlib.ExitStack()

    def __enter__(self):
        self._cleanup.__enter__()
        self._cleanup.enter_context(undisturbed_on_leaving())
        self.folder = Path(self._cleanup.enter_context(tempfile.TemporaryDirectory(prefix="versiongate-decide-")))
        # The workers of nginx run as another user.
        self.folder.chmod(0o755)
        self._backend = BACKEND.start(self.folder / "backend", 0, self.load_cores)
        self._cleanup.callback(self._backend.stop)
        self._backend.wait_until_listening()
        return self

    def __exit__(self, *error):
        return self._cleanup.__exit__(*error)

    def authorizer(self, authorizer, protocol):
        """Starts it, and returns the server; raises ServerFailed if a decision over that protocol is wrong."""
        server = self._keep(authorizer, lambda folder: authorizer.start(folder, self._cores))
        if (authorizer, protocol) in self._checked:
            return server
        try:
            if protocol == "grpc":
                check_grpc(server.port, self.folder)
            else:
                check_http(server.port)
        except WrongAnswer as failure:
            raise ServerFailed(f"left out: {authorizer.name}: {failure}") from failure
        self._checked.add((authorizer, protocol))
        return server

    def gateway(self, gateway, authorizer_port):
        """Returns a gateway that sends authorization requests to that port; if it is None, it sends none."""
        return self._keep((gateway, authorizer_port), self._starting(gateway, authorizer_port))

    def fresh_gateway(self, gateway, authorizer_port):
        """Starts a gateway that is not shared, and stops it on leaving."""
        return self._fresh(self._starting(gateway, authorizer_port))

    def _starting(self, gateway, authorizer_port):
        return lambda folder: gateway.start(folder, self._gateway_cores, self._backend.port, authorizer_port)

    def _keep(self, key, start):
        if key not in self._started:
            self._started[key] = self._cleanup.enter_context(self._fresh(start))
        return self._started[key]

    @contextlib.contextmanager
    def _fresh(self, start):
        self._starts += 1
        server = start(self.folder / str(self._starts))
        try:
            server.wait_until_idle()
            yield server
        finally:
            server.stop()

    @contextlib.contextmanager
    def load(self, server, traffic, denied=False, **more):
        """Starts the load generator with requests over HTTP/1.1."""
        with load.Load(
            load.build_load(self.folder, "http1"), server.port, traffic.write(self.folder, denied),
            status=426 if denied else 200, connections=self.options.connections, cores=self.load_cores,
            body_bytes=traffic.answer_bytes, **more,
        ) as generator:
            yield generator
        if not server.is_running():
            raise LoadFailed("the server has ended")
