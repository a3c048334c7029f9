#!/usr/bin/env bash
# Unpacks an image and runs it as a container runtime would: with an unprivileged user, a read-only root and its own
# namespaces. Needs root and umoci.
#
# Usage: test.sh LAYOUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
tag=$(umoci list --layout "$1")
umoci unpack --image "$1:$tag" "$work/bundle"
packed=$(du --bytes --summarize "$1" | cut -f1)
[ "$packed" -le $((60 * 1000 * 1000)) ] || { echo "$packed bytes packed, more than 60 MB" >&2 && exit 1; }
echo "$packed bytes packed, $(du --bytes --summarize "$work/bundle/rootfs" | cut -f1) unpacked"
exec unshare --net --mount --ipc --uts --pid --fork -- python3 -B "$here/play.py" "$work/bundle"
