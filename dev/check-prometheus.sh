#!/usr/bin/env bash
# Checks deploy/prometheus and deploy/grafana with Debian's Prometheus: the alerts with promtool, and both against the metrics
# of the gate at $1 (default: the debug build), with a fault for each alert. This takes three minutes.
set -euo pipefail
cd "$(dirname "$0")/.."

dev/install-packages.sh prometheus
gate=$(realpath "${1:-.build/debug/versiongate}")
(cd deploy/prometheus && promtool check rules alerts.yaml && promtool test rules alerts.test.yaml)
python3 -B dev/check-prometheus.py "$gate"
