#!/usr/bin/env bash
# Builds Debian packages of a built gate and of the module for Envoy, and a package with debugging symbols for each.
#
# Usage: package.sh GATE MODULE FOLDER [VERSION]
# VERSION: the version of the package; default: the version of the gate.
set -euo pipefail
export LC_ALL=C.UTF-8

gate=$(realpath "$1")
module=$(realpath "$2")
mkdir -p "$3"
folder=$(realpath "$3")
project=$(cd "$(dirname "$0")/../.." && pwd)
here=$project/deploy/debian

version=${4:-$("$gate" version | sed -n 's/^versiongate //p')}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$project" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/versiongate-$version
stage=$tree/stage
mkdir -p "$tree/debian/source" "$stage"/{etc,share,completions,man,docs,examples}

cp "$here"/{control,rules} "$here"/versiongate.{service,socket,sysusers,install,manpages,docs,examples,links,prerm,postrm} \
    "$here"/versiongate-envoy.{install,lintian-overrides} "$tree/debian/"
echo '3.0 (native)' >"$tree/debian/source/format"
cat >"$tree/debian/changelog" <<EOF
versiongate ($version) unstable; urgency=medium

  * See /usr/share/doc/versiongate/NEWS.md.

 -- The VersionGate authors <versiongate@example.org>  $(date --utc --rfc-email --date "@$SOURCE_DATE_EPOCH")
EOF
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    echo 'Upstream-Name: versiongate'
    echo
    echo 'Files: *'
    echo 'Copyright: 2026 The VersionGate authors'
    echo 'License: Apache-2.0'
    echo ' On Debian systems, the text of the Apache License, Version 2.0, is in'
    echo ' /usr/share/common-licenses/Apache-2.0.'
    echo 'Comment:'
    sed -e 's/^$/./' -e 's/^/ /' "$project/NOTICE"
} >"$tree/debian/copyright"

cp "$gate" "$stage/versiongate"
cp "$module" "$stage/libversiongate_envoy.so"
cp "$here"/{versiongate,rules}.yaml "$stage/etc/"
cp "$project"/rules/*.schema.json "$stage/share/"
# Keep the folder structure, so that relative links between the pages work.
(
    cd "$project"
    cp -r --parents {README,README.ja,README.ko,SECURITY,CONTRIBUTING,Benchmarks/README}.md NOTICE docs findings \
        deploy/{grafana,helm,kubernetes,prometheus} deploy/debian/versiongate.{service,socket,sysusers,yaml} \
        clients/javascript/{README.md,package.json,versiongate.js,versiongate.d.ts,examples} clients/swift/examples \
        clients/dart clients/kotlin/{README.md,src,examples} clients/python/{README.md,pyproject.toml,versiongate,examples} \
        "$stage/docs/"
)
find "$stage/docs" -name __pycache__ -prune -exec rm -r {} +
# Named CHANGELOG.md, debhelper would treat it as the Debian changelog.
cp "$project/CHANGELOG.md" "$stage/docs/NEWS.md"
cp -r "$project"/rules/examples/* "$stage/examples/"
"$gate" --generate-completion-script bash | sed '1{/^#!/d}' >"$stage/completions/versiongate"
"$gate" --generate-completion-script zsh >"$stage/completions/_versiongate"
"$gate" --generate-completion-script fish >"$stage/completions/versiongate.fish"
python3 -B "$here/manpages.py" "$gate" "$stage/man"

(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps >"$work/log" 2>&1) || {
    cat "$work/log" >&2
    exit 1
}
mv "$work"/*.deb "$folder/"
