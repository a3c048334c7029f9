#!/usr/bin/env bash
# Checks the layering of the targets: which of our modules may import which. SwiftPM does not report
# an undeclared import of a sibling.
set -euo pipefail
cd "$(dirname "$0")/.."

# GateFuzzing is in Fuzzing.
ours=GateFuzzing$(printf '|%s' $(ls Sources))
failed=0
imports=()

# allow TARGET MODULE...: of our modules, the target may import these and no others.
allow() {
    local target=$1
    shift
    local permitted=" $* "
    imports+=("$target $*")
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
allow GateEnvoy CEnvoyModule GatePolicy GateRules GateSystem
allow GateFeeds GateCrypto GatePolicy GateRules GateSystem
allow GateRecords GateCensus GateCrypto GatePolicy GateRules GateSystem CCurl CHiredis CSQLite
allow GateControl GateCensus GateCrypto GateFeeds GatePolicy GateRecords GateRules GateSystem
allow GateAdmin CAdminFiles GateCensus GateControl GateFeeds GatePolicy GateProxy GateRecords GateRules GateSystem
allow VersionGateClient
allow versiongate CGatewayPages CRelease CSchemas GateAdmin GateCensus GateControl GateFeeds GatePolicy GateProxy GateRecords GateRules \
    GateSystem GateWire

# Rules are parsed and evaluated without the network, at a time that is passed in. A source gets its fetcher as an
# argument, which is the only mention of a fetcher.
if grep -rnwE 'SystemClock|Fetcher|EasyHandle|TransferLoop' --include='*.swift' Sources/GateRules | grep -v '/Feeds/FeedContext.swift:'; then
    echo "GateRules must not fetch anything or use a clock" >&2
    failed=1
fi

# GateWire parses and writes buffers, and does not know their transport.
if grep -rnwE 'Channel|ChannelHandler|ChannelHandlerContext|EventLoop|EventLoopFuture' --include='*.swift' Sources/GateWire; then
    echo "GateWire must not name a channel or an event loop" >&2
    failed=1
fi

# GatePolicy has no side effects and uses only the standard library.
if grep -rnE '^ *((package|public) )?import ' --include='*.swift' Sources/GatePolicy; then
    echo "GatePolicy must not import anything" >&2
    failed=1
fi

# The client library is part of apps, which would have to build every other import.
if grep -rnE '^ *(public )?import ' --include='*.swift' Sources/VersionGateClient \
    | grep -vE 'import (Foundation|FoundationNetworking|Observation)$'; then
    echo "VersionGateClient must import only Foundation" >&2
    failed=1
fi
# In the drawing of the targets, each target must be above those that it imports.
drawing=$(awk '/^```/ { inside = !inside } inside' docs/architecture.md)
line_of() { grep -nw -m1 "$1" <<<"$drawing" | cut -d: -f1; }
for entry in "${imports[@]}"; do
    read -r target modules <<<"$entry"
    [[ $target == VersionGateClient ]] && continue
    above=$(line_of "$target" || true)
    if [[ -z $above ]]; then
        echo "docs/architecture.md: the drawing lacks $target" >&2
        failed=1
    fi
    for module in $modules; do
        below=$(line_of "$module" || true)
        [[ $module == C[A-Z]* ]] || ((below > above)) || {
            echo "docs/architecture.md: $target imports $module, so $module must be below it in the drawing" >&2
            failed=1
        }
    done
done
exit "$failed"
