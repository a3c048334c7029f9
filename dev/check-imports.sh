#!/usr/bin/env bash
# Checks the layering of the targets: which of our modules may import which. SwiftPM does not report
# an undeclared import of a sibling.
set -euo pipefail
cd "$(dirname "$0")/.."

ours='CAdminFiles|CCrypto|CCurl|CHiredis|CLinux|CRelease|CSchemas|CSQLite|CYAML|GateCensus|GatePolicy|GateProxy|GateWire|GateControl|GateAdmin|GateFuzzing|VersionGateClient|versiongate'
failed=0

# allow TARGET MODULE...: the target may import these modules of ours and no others.
allow() {
    local target=$1
    shift
    local permitted=" $* "
    while IFS=: read -r file line text; do
        local module
        module=$(sed -E 's/.*import +([A-Za-z]+).*/\1/' <<<"$text")
        if [[ "$permitted" != *" $module "* ]]; then
            echo "$file:$line: $target may not import $module" >&2
            failed=1
        fi
    done < <(grep -rnE "^ *(@testable )?((package|public|internal|private|fileprivate) )?import +($ours)\b" \
        --include='*.swift' "Sources/$target")
}

allow GatePolicy
allow GateCensus GatePolicy
allow GateWire GatePolicy CCrypto
allow GateProxy GateCensus GatePolicy GateWire CLinux
allow GateControl GateCensus GatePolicy CCrypto CCurl CHiredis CLinux CSQLite CYAML
allow GateAdmin CAdminFiles GateCensus GatePolicy GateControl GateProxy
allow VersionGateClient
allow versiongate CRelease CSchemas GateCensus GatePolicy GateWire GateProxy GateControl GateAdmin

# GateWire parses and writes buffers, and does not know their transport.
if grep -rnwE 'Channel|ChannelHandler|ChannelHandlerContext|EventLoop|EventLoopFuture' --include='*.swift' Sources/GateWire; then
    echo "GateWire names no channel and no event loop" >&2
    failed=1
fi

# GatePolicy is pure: only the standard library.
if grep -rnE '^ *((package|public) )?import ' --include='*.swift' Sources/GatePolicy; then
    echo "GatePolicy imports nothing" >&2
    failed=1
fi

# The client is part of apps: each app would have to build every other import.
if grep -rnE '^ *(public )?import ' --include='*.swift' Sources/VersionGateClient \
    | grep -vE 'import (Foundation|FoundationNetworking|Observation)$'; then
    echo "VersionGateClient imports only Foundation" >&2
    failed=1
fi
exit "$failed"
