#!/usr/bin/env python3
"""Runs all kinds of traffic and faults against one gate for an hour, and fails if it leaks or misbehaves."""

import argparse
import asyncio
import random
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True

from sidebyside.options import BUILT_GATE  # noqa: E402
from sidebyside.server import free_port, unwind_when_stopped  # noqa: E402
from soak import rules, watch  # noqa: E402
from soak.clock import WallClock  # noqa: E402
from soak.exchange import Cut  # noqa: E402
from soak.ledger import Ledger  # noqa: E402
from soak.process import Backend, Gate, wait_for  # noqa: E402
from soak.visitors import VISITORS, Doors  # noqa: E402

# Idle connections to the backend remain open for 4 s, and those with a GOAWAY for 30 s.
SETTLE_SECONDS = 45


class Soak:
    def __init__(self, options, folder):
        self._options = options
        self._rules = folder / "rules.yaml"
        self._ledger = Ledger()
        self._visits = set()
        self._samples = []
        self._doors, backend_port = Doors(free_port(), free_port()), free_port()
        self._rules.write_text(rules.good_rules(rules.FLOORS[0]))
        self._backend = Backend(backend_port)
        self._backend_port = backend_port
        self._wall_clock = WallClock(folder)
        self._gate = Gate(
            str(options.gate.resolve()), self._doors, backend_port, self._rules,
            options.memory * 2**20, self._wall_clock,
        )

    async def run(self):
        self._backend.start()
        try:
            doors = (self._doors.plain, self._doors.secure, self._backend_port)
            if not all([await self._listens(door) for door in doors]):
                return [f"the gate or the backend does not listen: {self._log_end()}"]
            await asyncio.sleep(2)
            base = self._sample()
            await self._disturbed_traffic()
            last = await self._settled(base)
            cpu = self._gate.cpu_seconds()
            exit_status = self._gate.exit_status
            if exit_status is None:
                exit_status = await asyncio.to_thread(self._gate.stop)
            return self._findings(base, last, cpu, exit_status)
        finally:
            self._backend.stop()
            if self._gate.exit_status is None:
                self._gate.stop()

    async def _listens(self, port):
        for _ in range(100):
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                writer.close()
                return True
            except OSError:
                await asyncio.sleep(0.1)
        return False

    async def _disturbed_traffic(self):
        tasks = [asyncio.create_task(each) for each in (
            self._send_visitors(), self._reload(), self._restart_backend(), self._watch(),
            self._hang_log(), self._set_clock(),
        )]
        end = time.monotonic() + self._options.minutes * 60
        while time.monotonic() < end and self._gate.exit_status is None:
            await asyncio.sleep(0.5)
            for task in tasks:
                if task.done():
                    task.result()
        for task in tasks:
            task.cancel()
        self._gate.log.go_on()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._visits:
            await asyncio.wait(self._visits, timeout=60)

    async def _send_visitors(self):
        weights = [weight for _, weight, _ in VISITORS]
        while True:
            visit, _, expected = random.choices(VISITORS, weights)[0]
            task = asyncio.create_task(self._visit(visit, expected))
            self._visits.add(task)
            task.add_done_callback(self._visits.discard)
            await asyncio.sleep(random.expovariate(self._options.rate))

    async def _visit(self, visit, expected):
        began = time.monotonic()
        try:
            end = await visit(self._doors)
        except (Cut, asyncio.IncompleteReadError) as cut:
            end = str(cut) if isinstance(cut, Cut) else "cut short"
        except TimeoutError:
            end = "nothing for a long time"
        except OSError:
            end = "reset"
        except Exception as error:  # noqa: BLE001: every error must appear in the report
            end = repr(error)
        self._ledger.note(visit.__name__, end, expected, began)

    async def _reload(self):
        while True:
            await asyncio.sleep(random.uniform(5, 15))
            is_good = random.random() < 0.6
            text = rules.good_rules(random.choice(rules.FLOORS)) if is_good \
                else rules.broken_rules()
            new = self._rules.with_suffix(".new")
            new.write_bytes(text.encode("latin-1"))
            new.rename(self._rules)
            if random.random() < 0.5:
                self._gate.hang_up()

    async def _restart_backend(self):
        while True:
            await asyncio.sleep(random.uniform(20, 40))
            self._ledger.backend_leaves()
            number = random.choice([signal.SIGTERM, signal.SIGKILL])
            await asyncio.to_thread(self._backend.stop, number)
            await asyncio.sleep(random.uniform(0, 3))
            self._backend.start()
            await self._listens(self._backend_port)
            self._ledger.backend_is_back()

    async def _hang_log(self):
        """Makes the log's reader stop reading, for up to a minute."""
        while True:
            await asyncio.sleep(random.uniform(30, 120))
            self._gate.log.hang()
            await asyncio.sleep(random.uniform(5, 60))
            self._gate.log.go_on()

    async def _set_clock(self):
        """Makes the wall clock jump, in either direction."""
        while True:
            await asyncio.sleep(random.uniform(10, 60))
            self._wall_clock.set(random.choice([-86_400, -3_600, -5, 0, 5, 3_600, 86_400]))

    async def _watch(self):
        while True:
            self._samples.append(self._sample())
            await asyncio.sleep(watch.SAMPLE_SECONDS)

    def _sample(self):
        return watch.Sample(
            time.monotonic(), self._gate.resident_bytes(), self._gate.descriptors(),
            self._gate.threads(),
        )

    async def _settled(self, base):
        """Returns the gate's resources after all clients have disconnected."""
        await asyncio.to_thread(
            wait_for, lambda: self._gate.exit_status is not None
            or self._gate.descriptors() <= base.descriptors, SETTLE_SECONDS,
        )
        return self._sample() if self._gate.exit_status is None else None

    def _findings(self, base, last, cpu, exit_status):
        """Prints the report, and returns the failures."""
        steady = watch.steady_part(self._samples)
        grown = watch.growth(steady)
        print(self._ledger.report())
        for name, sample in (("before", base), *(("after", each) for each in [last] if each)):
            print(f"{name}: {sample.resident / 2**20:.1f} MiB resident, "
                  f"{sample.descriptors} descriptors, {sample.threads} threads")
        print(f"meanwhile: {min(each.resident for each in steady) / 2**20:.1f} to "
              f"{max(each.resident for each in steady) / 2**20:.1f} MiB, at most "
              f"{max(each.descriptors for each in steady)} descriptors, "
              f"{max(each.threads for each in steady)} threads; "
              f"grows by {grown / 2**20:+.2f} MiB; {cpu:.0f} s of CPU; "
              f"{len(self._ledger.windows)} restarts of the backend")
        log = self._gate.log
        print(f"log: {log.lines} lines, {log.dropped} dropped while the reader was hanging")
        if self._options.samples:
            watch.write(self._samples, self._options.samples)
        findings = [f"not a log line: {line}" for line in log.broken[:3]]
        if exit_status != 0:
            findings.append(f"the gate ended with {exit_status}; its log: {self._log_end()}")
        if self._ledger.unexplained:
            findings.append(f"{len(self._ledger.unexplained)} unexplained results")
        if grown > watch.ALLOWED_BYTES:
            findings.append("the resident size grows")
        if last and last.descriptors > base.descriptors:
            findings.append(f"{last.descriptors - base.descriptors} descriptors are left")
        if last and last.threads > max(each.threads for each in steady[:5]):
            findings.append("there are more threads than at the beginning")
        return findings

    def _log_end(self):
        return self._gate.log.end()[-2000:]


def main():
    parser = argparse.ArgumentParser(prog="Benchmarks/soak.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=BUILT_GATE, help="the gate's binary")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=200, help="visits per second (default 200)")
    parser.add_argument("--memory", type=int, default=192,
                        help="the gate's limit of data in MiB (default 192)")
    parser.add_argument("--samples", type=Path, help="a new CSV file for the gate's resources over time")
    options = parser.parse_args()
    if options.samples:
        options.samples.touch(exist_ok=False)
    unwind_when_stopped()
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 10_000), hard))
    with tempfile.TemporaryDirectory(prefix="versiongate-soak-") as folder:
        findings = asyncio.run(Soak(options, Path(folder)).run())
    for finding in findings:
        print(f"FAILED: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
