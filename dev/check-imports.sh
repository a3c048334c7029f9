#!/usr/bin/env bash
# Checks the layering of the targets: which of our modules may import which. SwiftPM does not report
# an undeclared import of a sibling.
set -euo pipefail
cd "$(dirname "$0")/.."

ours='CAdminFiles|CCrypto|CCurl|CHiredis|CLinux|CRelease|CSchemas|CSQLite|CYAML|GateAdmin|GateCensus|GateControl|GateCrypto|GateFeeds|GateFuzzing|GatePolicy|GateProxy|GateRecords|GateRules|GateSystem|GateWire|VersionGateClient|versiongate'
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
allow GateCrypto CCrypto
allow GateSystem GatePolicy CCurl CLinux
allow GateRules GateCensus GateCrypto GatePolicy GateSystem CYAML
allow GateFeeds GateCrypto GatePolicy GateRules GateSystem
allow GateRecords GateCensus GateCrypto GatePolicy GateRules GateSystem CCurl CHiredis CSQLite
allow GateControl GateCensus GateCrypto GateFeeds GatePolicy GateRecords GateRules GateSystem
allow GateAdmin CAdminFiles GateCensus GateControl GateFeeds GatePolicy GateProxy GateRecords GateRules GateSystem
allow VersionGateClient
allow versiongate CRelease CSchemas GateAdmin GateCensus GateControl GateFeeds GatePolicy GateProxy GateRecords GateRules \
    GateSystem GateWire

# Rules are read and judged without the network and at a time that is passed in. A source takes the fetcher that it asks
# with as an argument, which is the one place that names it.
if grep -rnwE 'SystemClock|Fetcher|EasyHandle|TransferLoop' --include='*.swift' Sources/GateRules | grep -v '/Feeds/FeedSource.swift:'; then
    echo "GateRules fetches nothing and has no clock" >&2
    failed=1
fi

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
