#!/usr/bin/env bash
#
# opentelemetry-exporter-prometheus: a build counted as 93 and as "93" becomes two equal series.
#
# Expected:  the counts of attributes that have the same labels for Prometheus are added: requests
#            with the build 93 and "93", and requests without a build and with an empty one.
# Observed:  the page has each of them as a series of its own, with the same name and labels. The
#            SDK distinguishes 93 from "93", and a missing attribute from an empty one; the
#            exporter turns both into the same text. Prometheus 2.42 stores the first of the equal
#            series in each scrape and drops the other one, without a warning.
# Impact:    part of a service that parses the build number, and part that does not, count into
#            different series, so the number of clients of a build is too low (10 instead of 15).
#            The same applies to clients without a version, if one part of the service sets "" for
#            them.
# Guess:     one series with the sum; seen: two.
#
# Software:  opentelemetry-exporter-prometheus 0.66b2, opentelemetry-sdk 1.45.2, prometheus_client
#            0.26.0 (PyPI)
# Observed on: 2026-11-29
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    opentelemetry-exporter-prometheus==0.66b2 opentelemetry-sdk==1.45.2 prometheus_client==0.26.0

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import REGISTRY, generate_latest

for package in ("opentelemetry-exporter-prometheus", "opentelemetry-sdk", "prometheus_client"):
    print(package, version(package))
provider = MeterProvider(metric_readers=[PrometheusMetricReader()])
counter = provider.get_meter("app").create_counter("requests")
for count, attributes in (
    (10, {"build": "93"}), (5, {"build": 93}), (7, {"build": ""}), (3, {}),
    (1, {"build": "94"}), (1, {"build": "94"}),
):
    counter.add(count, attributes)
    print(f"add {count} for {attributes}")

# Label "build", and count, of each series.
recorded = [("", 3.0), ("", 7.0), ("93", 5.0), ("93", 10.0), ("94", 2.0)]
observed = []
print("the page:")
for line in generate_latest(REGISTRY).decode().splitlines():
    if line.startswith("requests_total{"):
        print(line)
for family in REGISTRY.collect():
    for sample in family.samples:
        if sample.name == "requests_total":
            observed.append((sample.labels["build"], sample.value))
observed.sort()

if observed != recorded:
    sys.exit(f"changed: observed {observed}, recorded was {recorded}")
print("as recorded: two series have the build 93, and two have none")
PYTHON
