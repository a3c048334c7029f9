"""10,000 rules are reloaded under load, and the effect on requests is measured."""

import functools
import http.client
import threading
import time

from ..appcall import CURRENT_VERSION, PATH, request_headers
from ..candidates import REFERENCE
from ..h2load import faults_in, logged_requests, paced_run, percentile
from ..rulesfiles import PROBE_APP, write_rules
from ..run import Column, LoadFailed, Run
from ..setup import Setup

RULES = 10_000
# The seconds of load before the reload, and after it.
BEFORE, AFTER = 3, 12
# The time after which the new rules must be active, even on a slow machine; two seconds of load follow.
LATEST_SECONDS = 10
# The new minimum for one app. It is below the version that the rules recommend, because a running gate does not
# load rules that deny the recommended version. The older version passes with the previous rules.
NEW_MINIMUM, OLDER_VERSION = "4.1.0", "4.0.0"


class Reloading:
    name = "reload"
    title = f"{RULES} rules reloaded while requests arrive at half of {REFERENCE}'s maximum rate"
    reference = None
    compared = ()
    max_rounds = 3
    columns = (
        Column("requests/s", "requests_per_second"),
        Column("active after ms", "in_force", "{:.0f}"),
        Column("p99.9 ms, second before", "before", "{:.2f}"),
        Column("p99.9 ms, worst second from then on", "after", "{:.2f}"),
        Column("ratio", "times", "{:.2f}"),
        Column("longest ms", "longest", "{:.1f}"),
    )

    def rows(self, bench):
        gate = bench.candidate("versiongate")
        if gate is None or not bench.has("h2load"):
            return {}
        return {"versiongate": functools.partial(self._measure, bench, gate)}

    def _measure(self, bench, gate, number):
        rules = bench.folder / "reloaded.yaml"
        write_rules(rules, RULES)
        log = bench.folder / "reload.log"
        rate = bench.peak_rate(number) / 2
        headers = request_headers(CURRENT_VERSION)
        with bench.fresh_server(gate, Setup(rules=rules)) as server:
            change = Change(server, rules)
            change.start()
            try:
                output = paced_run(
                    server, headers, log, rate=rate, seconds=BEFORE + AFTER, cores=bench.load_cores
                )
                faults = faults_in(output)
            except LoadFailed as failure:
                return Run.failed(failure)
            finally:
                change.join()
        requests = list(logged_requests(log))
        log.unlink()
        if change.in_force is None:
            return Run.failed("the new rules never took effect")
        return run_from(requests, change, faults)


class Change(threading.Thread):
    """Changes the rules in the middle of the load, and detects when they are active."""

    def __init__(self, server, rules):
        super().__init__()
        self._server = server
        self._rules = rules
        self.moment = None
        self.in_force = None

    def run(self):
        time.sleep(BEFORE)
        write_rules(self._rules, RULES, probe_minimum=NEW_MINIMUM)
        self.moment = time.time()
        self._server.hang_up()
        while time.time() - self.moment < LATEST_SECONDS:
            if self._is_in_force():
                self.in_force = time.time() - self.moment
                return
            time.sleep(0.02)

    def _is_in_force(self):
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=5)
        try:
            headers = request_headers(OLDER_VERSION) | {"X-App-Id": PROBE_APP}
            connection.request("GET", PATH, headers=headers)
            return connection.getresponse().status == 426
        finally:
            connection.close()


def run_from(requests, change, faults):
    def p999(begin, end):
        """Returns the percentile for the requests that were in progress in that time."""
        among = [took for start, _, took in requests if begin <= start + took / 1000 < end]
        return percentile(among, 0.999) if among else float("inf")

    moment = change.moment
    before = p999(moment - 1, moment)
    starts = (moment + tenth / 10 for tenth in range(int(change.in_force * 10) + 11))
    after = max(p999(start, start + 1) for start in starts)
    return Run({
        "requests_per_second": len(requests) / (BEFORE + AFTER),
        "in_force": change.in_force * 1000,
        "before": before,
        "after": after,
        "times": after / before,
        "longest": max(took for start, _, took in requests if start > moment - 1),
    }, tuple(faults))
