"""h2load, which sends HTTP/2, and requests at a fixed rate."""

import re
import subprocess

from .appcall import PATH, header_arguments
from .packages import find_program
from .run import LoadFailed
from .server import core_list

# The time that h2load can take in addition to its duration before it counts as hung.
GRACE_SECONDS = 15


def run_h2load(arguments, seconds, url, headers, cores):
    """Runs h2load, and returns its output."""
    # h2load sends its own Host unless :authority is set; two hosts would be an error.
    headers = {":authority" if name == "Host" else name: headers[name] for name in headers}
    command = [
        "taskset", "-c", core_list(cores), find_program("h2load"), *arguments,
        "--duration", str(seconds), *header_arguments(headers, "--header"), url,
    ]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds + GRACE_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise LoadFailed("h2load hangs") from error
    return run.stdout + run.stderr


def count_of(output, kind):
    """Returns a number from the lines with totals, such as that of `2xx` or `failed`."""
    found = re.search(rf"(\d+) {kind}\b", output)
    if found is None:
        raise LoadFailed(f"no figures from h2load: {output.strip()[-300:]}")
    return int(found[1])


def faults_in(output):
    """Returns a description of the responses other than 2xx."""
    failed = count_of(output, "failed")
    refused = sum(count_of(output, kind) for kind in ("3xx", "4xx", "5xx"))
    faults = [f"{failed} failed requests"] if failed else []
    return faults + ([f"{refused} wrong statuses"] if refused else [])


def paced_run(server, headers, log, *, rate, seconds, cores):
    """Sends requests at a fixed rate, and returns the output; each request is a line in the log.

    h2load sends due requests only every 10 ms, so a connection must have at most 100 requests a
    second; more would be sent in bursts.
    """
    connections = max(1, round(rate / 100))
    arguments = (
        "--h1", "--clients", str(connections), f"--rps={rate / connections:.1f}",
        f"--log-file={log}",
    )
    return run_h2load(
        arguments, seconds, f"http://127.0.0.1:{server.port}{PATH}", headers, cores
    )


def logged_requests(log):
    """Returns the start in seconds since 1970, the status and the milliseconds of every request."""
    with log.open() as lines:
        for line in lines:
            start, status, microseconds = line.split("\t")[:3]
            yield int(start) / 1e6, int(status), int(microseconds) / 1000


def paced_times(server, headers, folder, *, rate, seconds, cores):
    """Sends requests at a fixed rate, and returns the milliseconds of each; every response must be a 2xx."""
    log = folder / "h2load.log"
    log.unlink(missing_ok=True)
    output = paced_run(server, headers, log, rate=rate, seconds=seconds, cores=cores)
    if faults := faults_in(output):
        raise SystemExit(f"requests failed: {', '.join(faults)}")
    return [milliseconds for _, _, milliseconds in logged_requests(log)]


def percentile(values, share):
    """Returns the value that this share of the values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]
