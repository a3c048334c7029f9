#!/bin/sh
# Installs the Debian packages named as arguments, as root, without starting their services.
set -eu

services="nginx haproxy caddy etcd prometheus"
policy=/usr/sbin/policy-rc.d

if [ -e "$policy" ] || [ -L "$policy" ]; then
    # An existing policy is not ours, so it is kept, but it must forbid the start of services.
    for service in $services; do
        answer=0
        "$policy" "$service" start </dev/null || answer=$?
        if [ "$answer" -ne 101 ]; then
            echo "$policy would let $service start; install manually: $*" >&2
            exit 1
        fi
    done
else
    # With noclobber, a policy that is created at the same moment is not overwritten either.
    (set -C && printf '#!/bin/sh\nexit 101\n' >"$policy")
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM HUP
    chmod 755 "$policy"
fi

export DEBIAN_FRONTEND=noninteractive
apt-get -qq -o DPkg::Lock::Timeout=120 update
apt-get -qq -y -o DPkg::Lock::Timeout=120 --no-install-recommends install "$@"

# The services would still start at the next boot.
for package in "$@"; do
    service=${package%-server}
    case " $services " in
        *" $service "*) update-rc.d "$service" disable >/dev/null 2>&1 || true ;;
    esac
done
