#!/usr/bin/env bash
# Builds an OCI image from the Debian packages without a daemon: mmdebstrap creates the root, umoci packs it. The image
# only contains the gate, its libraries, the trusted certificate authorities, and the module for Envoy, to be copied or
# mounted from there: no shell, no package manager.
#
# Usage: build.sh DEB MODULE_DEB FOLDER
# FOLDER: the OCI layout to create, tagged with the version of the package.
set -euo pipefail
export LC_ALL=C.UTF-8

deb=$(realpath "$1")
module=$(realpath "$2")
layout=$3
version=$(dpkg-deb --field "$deb" Version)
tag=${version//[+~]/-}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(date +%s)}
export SOURCE_DATE_EPOCH

release=$(. /etc/os-release && echo "$VERSION_CODENAME")
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sources+=("$file")
done
mmdebstrap --quiet --variant=extract --include=libcurl4,libhiredis0.14,libsqlite3-0,libssl3,libyaml-0-2,libstdc++6,ca-certificates,netbase,base-files \
    "$release" "$work/root" "${sources[@]}"

# Copies the libraries that the gate loads, directly or indirectly; the rest of the root is left out.
image=$work/bundle/rootfs
dpkg-deb --extract "$deb" "$work/root"
dpkg-deb --extract "$module" "$work/root"
mkdir -p "$image"/{etc/ssl/certs,etc/versiongate,usr/bin,usr/share/doc,proc,sys,dev,tmp,var/lib/versiongate}
ln -s usr/lib "$image/lib"
ln -s usr/lib64 "$image/lib64"
mkdir -p "$image"/usr/{lib,lib64}
cp "$work/root/usr/bin/versiongate" "$image/usr/bin/"
cp -r "$work/root/usr/lib/versiongate" "$image/usr/lib/"
python3 -B "$(dirname "$0")/libraries.py" "$work/root" "$image" usr/bin/versiongate
cat "$work"/root/usr/share/ca-certificates/mozilla/*.crt >"$image/etc/ssl/certs/ca-certificates.crt"
cp "$work/root/etc/services" "$work/root/etc/protocols" "$image/etc/"
cp "$work"/root/usr/lib/os-release "$image/etc/os-release"
cp "$work"/root/etc/versiongate/rules.yaml "$image/etc/versiongate/"
echo 'hosts: files dns' >"$image/etc/nsswitch.conf"
echo 'versiongate:x:65532:65532::/var/lib/versiongate:/usr/sbin/nologin' >"$image/etc/passwd"
echo 'versiongate:x:65532:' >"$image/etc/group"
cp -r "$work/root/usr/share/doc/versiongate" "$image/usr/share/doc/"
chmod 1777 "$image/tmp"
chown 65532:65532 "$image/var/lib/versiongate"

umoci init --layout "$layout"
umoci new --image "$layout:$tag"
umoci insert --image "$layout:$tag" "$image" /
umoci config --image "$layout:$tag" --config.user 65532:65532 --config.exposedports 8080/tcp \
    --config.env VERSIONGATE_LISTEN=0.0.0.0:8080 --config.env VERSIONGATE_RULES=/etc/versiongate/rules.yaml \
    --config.entrypoint /usr/bin/versiongate --config.cmd serve --config.stopsignal SIGTERM \
    --config.workingdir / \
    --config.label "org.opencontainers.image.title=VersionGate" \
    --config.label "org.opencontainers.image.version=$version" \
    --config.label "org.opencontainers.image.licenses=Apache-2.0"
umoci gc --layout "$layout"
du --bytes --summarize "$layout" | sed "s|\t.*| bytes packed, tag $tag|"
