#!/usr/bin/env bash
# Fuzzes every target, or those that are named, for FUZZ_SECONDS each on one core, and prints what
# that came to. An input that something does not hold of is kept in Fuzzing/FailCases.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
swift=${SWIFT:-swift}
scratch=.build-fuzz
# Address sanitizer watches what libyaml and llhttp, which are C, do with the same input.
# SwiftPM passes the two in the order of a set, and swiftc instruments nothing for coverage where address
# comes last: fuzzer is said once more.
flags=(-c release --scratch-path "$scratch" --sanitize fuzzer --sanitize address)
flags+=(-Xswiftc -sanitize=fuzzer)

# Everything is compiled again if the order differs from the last build's.
SWIFT_DETERMINISTIC_HASHING=1 GATE_FUZZING=1 "$swift" build "${flags[@]}" --product gatefuzz
binary=$scratch/release/gatefuzz

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=($(ls Fuzzing/Corpus))
# One core, whatever else the machine is doing.
pin=()
command -v taskset >/dev/null && pin=(taskset --cpu-list "${FUZZ_CORE:-0}")

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
printf '%-20s %12s %8s %9s %9s  %s\n' target executions exec/s coverage features result
for target in "${targets[@]}"; do
    # Inputs that are found stay outside the repository: they grow, and are found again.
    found=Fuzzing/.corpus/$target
    mkdir -p "$found" "Fuzzing/FailCases/$target"
    result=ok
    # Leaks are off: the sanitizer takes caches of the Swift runtime for them.
    # Swift's own report of a crash reads memory that the sanitizer takes for a crash of its own.
    # A slow input is a finding: nothing that a client or a file says may take seconds.
    FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "${pin[@]}" "$binary" \
        -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="Fuzzing/FailCases/$target/" \
        "$found" "Fuzzing/Corpus/$target" >"$log" 2>&1 || result=FAILED
    read -r coverage features < <(sed -nE \
        's/.* cov: ([0-9]+) ft: ([0-9]+) .*/\1 \2/p' "$log" | tail -n 1) || true
    # Without coverage it is not fuzzing, however often it is run.
    [ -n "${coverage:-}" ] || result=FAILED
    printf '%-20s %12s %8s %9s %9s  %s\n' "$target" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
        "${coverage:--}" "${features:--}" "$result"
    rmdir --ignore-fail-on-non-empty "Fuzzing/FailCases/$target"
    if [ "$result" != ok ]; then
        failed=1
        grep -E 'Fatal error|WARNING: no interesting|Test unit written' "$log" | head -n 5 || true
        # The report of a sanitizer tells where, which its input alone may not tell again.
        sed -n '/ERROR: /,/^SUMMARY: /p' "$log" | head -n 60
    fi
done
exit "$failed"
