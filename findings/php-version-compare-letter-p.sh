#!/usr/bin/env bash
#
# PHP: version_compare() counts every suffix that begins with "p" as a later patch.
#
# Expected:  "pl" and "p" are patch levels, newer than the release, as documented; other suffixes are
#            older than the release, as "-nightly" and "-galaxy" are.
# Observed:  only the first letter is compared with "p". 3.5.0-preview1, 3.5.0-pre, 3.5.0-pilot.2
#            and 3.5.0-playstore are newer than 3.5.0.
# Impact:    previews and pilots pass a floor of 3.5.0, although 3.5.0-beta and 3.5.0-nightly do
#            not. The result for a distribution suffix depends on its first letter: 3.5.0-playstore
#            passes, but 3.5.0-galaxy does not.
#
# Software:  php8.2-cli 8.2.36-1~deb12u1 (Debian 12)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 php8.2-cli=8.2.36-1~deb12u1 libargon2-1 libedit2 libicu72 libmagic1 \
    libpcre2-8-0 libsodium23 libssl3 libxml2 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries="$work/root/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH 2> /dev/null ||
    echo "$(uname -m)-linux-gnu")"

cat > compare.php <<'PHP'
<?php
echo "PHP ", PHP_VERSION, "\n";
$recorded = [
    "3.5.0-beta" => -1, "3.5.0-nightly" => -1, "3.5.0-galaxy" => -1,
    "3.5.0-preview1" => 1, "3.5.0-pre" => 1, "3.5.0-pilot.2" => 1, "3.5.0-playstore" => 1,
];
$observed = [];
foreach ($recorded as $version => $_) {
    $observed[$version] = version_compare($version, "3.5.0");
    echo "version_compare(\"$version\", \"3.5.0\") = ", $observed[$version], "\n";
}
if ($observed !== $recorded) {
    fwrite(STDERR, "changed: recorded was " . json_encode($recorded) . "\n");
    exit(1);
}
echo "as recorded: 3.5.0-preview1 is newer than 3.5.0\n";
PHP
LD_LIBRARY_PATH="$libraries" root/usr/bin/php8.2 -n compare.php
