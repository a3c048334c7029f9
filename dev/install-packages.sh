#!/usr/bin/env bash
# Installs the missing Debian packages for a purpose: `build`, `test`, `conformance`, `clients`, `gateways`, `soak`,
# `decide-bench`, `package`, `package-test`, `client-packages`, `prometheus` or `helm`. It announces this first, and does
# nothing if all of them are installed.
set -euo pipefail

case "${1:-}" in
build) wanted=(curl libcurl4-openssl-dev libhiredis-dev libsqlite3-dev libssl-dev libyaml-dev) ;;
test)
    wanted=(curl libcurl4-openssl-dev libhiredis-dev libsqlite3-dev libssl-dev libyaml-dev openssl nodejs)
    # dev/install-python.sh installs the packages from PyPI.
    wanted+=(python3 python3-venv ca-certificates tzdata prometheus)
    wanted+=(wrk nghttp2-client etcd-server etcd-client redis-server haproxy)
    # A font for the admin page, so that its layout is the same everywhere.
    wanted+=(chromium fonts-dejavu-core)
    # The client for Kotlin.
    wanted+=(kotlin default-jdk-headless libokhttp-java junit4)
    # The packages of the clients. Maven's plugin for Kotlin needs the last two, but Debian's kotlin does not depend on them.
    wanted+=(npm node-typescript git maven junit5 libkotlinx-coroutines-java)
    # The programs in the guides.
    wanted+=(jq)
    # The benchmark's load generator, and the servers for its tests.
    wanted+=(gcc libnghttp2-dev nginx)
    ;;
soak) wanted=(openssl python3 nghttp2-client faketime) ;;
decide-bench)
    wanted=(gcc nginx libnginx-mod-http-lua nghttp2-client openssl python3 python3-venv)
    # The authorizers in Go, whose messages protoc generates.
    wanted+=(golang-go golang-google-grpc-dev golang-goprotobuf-dev protobuf-compiler)
    ;;
package) wanted=(debhelper dpkg-dev python3) ;;
package-test) wanted=(mmdebstrap lintian umoci systemd iproute2 python3) ;;
conformance) wanted=(nginx haproxy python3 python3-venv) ;;
clients)
    # dev/install-python.sh installs the packages from PyPI.
    wanted=(nginx haproxy openssl python3 python3-venv chromium firefox-esr nodejs curl wget)
    wanted+=(default-jdk-headless libokhttp-java gir1.2-soup-3.0 python3-gi)
    wanted+=(libwww-perl liblwp-protocol-https-perl php-cli php-curl ruby ruby-faraday ruby-httpclient)
    ;;
gateways) wanted=(nginx haproxy apache2-bin curl openssl python3 python3-venv) ;;
client-packages) wanted=(nodejs npm python3 python3-venv kotlin default-jdk-headless libokhttp-java) ;;
prometheus) wanted=(prometheus python3 redis-server) ;;
helm) wanted=(openssl python3 python3-venv) ;;
*)
    purposes='build|test|conformance|clients|gateways|soak|decide-bench|package|package-test|client-packages|prometheus|helm'
    echo "usage: $0 $purposes" >&2
    exit 64
    ;;
esac

# A program that was not installed with apt (Node, Python) also works.
is_there() {
    case "$1" in
    nginx | haproxy) PATH=$PATH:/usr/sbin command -v "$1" >/dev/null ;;
    apache2-bin) PATH=$PATH:/usr/sbin command -v apache2 >/dev/null ;;
    default-jdk-headless) command -v javac >/dev/null ;;
    chromium | curl | git | jq | npm | openssl | python3 | wget | wrk) command -v "$1" >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
    nodejs) command -v node >/dev/null ;;
    node-typescript) command -v tsc >/dev/null ;;
    etcd-server) command -v etcd >/dev/null ;;
    redis-server) command -v redis-server >/dev/null && command -v redis-cli >/dev/null ;;
    prometheus) command -v prometheus >/dev/null && command -v promtool >/dev/null ;;
    etcd-client) command -v etcdctl >/dev/null ;;
    nghttp2-client) command -v h2load >/dev/null ;;
    *) dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed ;;
    esac
}

missing=()
for package in "${wanted[@]}"; do
    is_there "$package" || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
    echo "NOT INSTALLED, as there is no apt-get here: ${missing[*]}" >&2
    # Without the packages, tests are skipped; other purposes need them.
    [ "$1" = test ]
    exit
fi

root=()
[ "$(id -u)" -eq 0 ] || root=(sudo)
echo "installing: ${missing[*]}"
case " ${missing[*]} " in
*" nginx "* | *" haproxy "* | *" etcd-server "* | *" redis-server "* | *" prometheus "*)
    # Daemons, which must not start as services.
    exec "${root[@]}" sh "$(dirname "$0")/../Benchmarks/install.sh" "${missing[@]}"
    ;;
esac
"${root[@]}" apt-get update --quiet --quiet
"${root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --quiet --quiet --yes --no-install-recommends "${missing[@]}"
