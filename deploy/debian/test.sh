#!/usr/bin/env bash
# Tests the Debian packages in a fresh root file system: lintian, exposure, installation, use, upgrade under load,
# removal, purge. Needs root, mmdebstrap, lintian and systemd-analyze; takes two minutes.
#
# Usage: test.sh DEB MODULE_DEB [NEXT_DEB]
# NEXT_DEB: the package to upgrade to; default: the same files with a later version.
set -euo pipefail
export LC_ALL=C.UTF-8

deb=$(realpath "$1")
module=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
root=$work/root
trap 'rm -rf --one-file-system "$work"' EXIT

if [ $# -gt 2 ]; then
    next=$(realpath "$3")
else
    next=$work/next.deb
    dpkg-deb --raw-extract "$deb" "$work/next"
    sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/next" "$next" >/dev/null
fi

# All files in the root except those written by the machine, apt and the user tools (/etc/passwd-).
inventory() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp \
        -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
        -o -path './etc/*-' \) -prune -o -print) |
        sort
}

echo "lintian"
lintian --fail-on error "$deb" "$module"

dpkg-deb --extract "$deb" "$work/unpacked"
echo "links between the pages"
python3 -B "$here/broken-links.py" "$work/unpacked/usr/share/doc/versiongate"

echo "exposure"
unit=$work/unpacked/lib/systemd/system/versiongate.service
systemd-analyze security --offline=true --threshold=20 "$unit" | tail -1
systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1 | grep -v 'Command .* is not executable' || true

echo "a fresh root"
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
depends="libcurl4,libhiredis0.14,libsqlite3-0,libssl3,libyaml-0-2,systemd-standalone-sysusers,init-system-helpers"
sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] && sources+=("$file")
done
mmdebstrap --quiet --variant=minbase --include="$depends" "$release" "$root" "${sources[@]}"
# Remove the image's own policy for starting services, so that only the package decides.
rm -f "$root/usr/sbin/policy-rc.d"
inventory >"$work/before"
cp "$root/etc/passwd" "$root/etc/group" "$work/"

echo "installing"
cp "$deb" "$root/root/first.deb"
chroot "$root" apt-get install --quiet --quiet --yes --no-install-recommends /root/first.deb >"$work/apt" 2>&1 ||
    { cat "$work/apt" >&2 && exit 1; }
rm "$root/root/first.deb"

echo "the module for Envoy"
cp "$module" "$root/root/module.deb"
chroot "$root" apt-get install --quiet --quiet --yes --no-install-recommends /root/module.deb >"$work/apt" 2>&1 ||
    { cat "$work/apt" >&2 && exit 1; }
rm "$root/root/module.deb"
readelf --dyn-syms --wide "$root/usr/lib/versiongate/libversiongate_envoy.so" |
    grep ' envoy_dynamic_module_on_program_init$' >/dev/null
chroot "$root" apt-get purge --quiet --quiet --yes versiongate-envoy >"$work/apt" 2>&1

# The gate reads its arguments from /proc.
unshare --net --mount --pid --fork -- sh -c \
    'ip link set lo up && mount -t proc proc "$2/proc" && exec python3 -B "$@"' - "$here/play.py" "$root" "$next"

echo "purged"
inventory >"$work/after"
diff "$work/before" "$work/after"
diff "$work/passwd" "$root/etc/passwd"
diff "$work/group" "$root/etc/group"
echo "  no files are left"
