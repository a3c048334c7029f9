#!/usr/bin/env bash
#
# dpkg: --compare-versions accepts "v3.4.9", and it is newer than every version without the "v".
#
# Expected:  dpkg rejects it with exit code 2, like "3.4.9 (93)", because a version has to start
#            with a digit.
# Observed:  dpkg only warns on standard error and compares. Letters sort after the empty text that
#            comes before a digit, so "v3.4.9 ge 999.0" is true (exit code 0).
# Impact:    Git tags and many clients use the prefix. In a release script that silences warnings,
#            the check that the deployed v3.4.9 is at least 3.5.0 succeeds, and the floor is
#            raised too early.
#
# Software:  dpkg 1.21.23 (Debian 12)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 dpkg=1.21.23 2> download.log || { cat download.log >&2; exit 1; }
dpkg-deb -x dpkg_*.deb root

root/usr/bin/dpkg --version | sed -n 1p
changed=
compare() {
    local recorded=$4 observed=0
    root/usr/bin/dpkg --compare-versions "$1" "$2" "$3" 2> message || observed=$?
    echo "\"$1\" $2 \"$3\": exit code $observed $(cat message)"
    if [ "$observed" != "$recorded" ]; then changed=yes; fi
}
compare "3.4.9" ge "3.5.0" 1
compare "v3.4.9" ge "3.5.0" 0
compare "v3.4.9" ge "999.0" 0
compare "3.4.9 (93)" ge "3.5.0" 2
if [ -n "$changed" ]; then
    echo "changed: recorded exit codes were 1, 0, 0 and 2" >&2
    exit 1
fi
echo "as recorded: v3.4.9 is newer than 999.0"
