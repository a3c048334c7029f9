#!/usr/bin/env bash
# Fuzzes all targets, or those in the arguments, for FUZZ_SECONDS each on one core, and prints a
# summary. Inputs that violate a property are stored in Fuzzing/FailCases.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-60}
swift=${SWIFT:-swift}
scratch=.build-fuzz
# AddressSanitizer checks libyaml and llhttp, which are written in C, with the same input.
# SwiftPM passes the two sanitizers in the order of a set, and swiftc adds no coverage instrumentation if
# address comes last. The second -sanitize=fuzzer ensures the order.
flags=(-c release --scratch-path "$scratch" --sanitize fuzzer --sanitize address)
flags+=(-Xswiftc -sanitize=fuzzer)

# With another order than in the last build, everything would be recompiled.
SWIFT_DETERMINISTIC_HASHING=1 GATE_FUZZING=1 "$swift" build "${flags[@]}" --product gatefuzz
binary=$scratch/release/gatefuzz

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=($(ls Fuzzing/Corpus))
# One core is used, regardless of the machine's load.
pin=()
command -v taskset >/dev/null && pin=(taskset --cpu-list "${FUZZ_CORE:-0}")

log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0
printf '%-20s %12s %8s %9s %9s  %s\n' target executions exec/s coverage features result
for target in "${targets[@]}"; do
    # New corpus inputs stay outside the repository: they are numerous and can be found again.
    found=Fuzzing/.corpus/$target
    mkdir -p "$found" "Fuzzing/FailCases/$target"
    result=ok
    # The leak check is off, because it reports caches of the Swift runtime.
    # The Swift backtrace is off, because the sanitizer reports its memory accesses as another crash.
    # A slow input is a finding: no input from a client or a file may take seconds.
    FUZZ_TARGET=$target SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0 "${pin[@]}" "$binary" \
        -max_total_time="$seconds" -timeout=5 -rss_limit_mb=2048 -max_len=4096 \
        -print_final_stats=1 -artifact_prefix="Fuzzing/FailCases/$target/" \
        "$found" "Fuzzing/Corpus/$target" >"$log" 2>&1 || result=FAILED
    read -r coverage features < <(sed -nE \
        's/.* cov: ([0-9]+) ft: ([0-9]+) .*/\1 \2/p' "$log" | tail -n 1) || true
    # Without coverage, the inputs would merely be random.
    [ -n "${coverage:-}" ] || result=FAILED
    printf '%-20s %12s %8s %9s %9s  %s\n' "$target" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
        "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" \
        "${coverage:--}" "${features:--}" "$result"
    rmdir --ignore-fail-on-non-empty "Fuzzing/FailCases/$target"
    if [ "$result" != ok ]; then
        failed=1
        grep -E 'Fatal error|WARNING: no interesting|Test unit written' "$log" | head -n 5 || true
        # The sanitizer report contains the location, which may not be reproducible from the input.
        sed -n '/ERROR: /,/^SUMMARY: /p' "$log" | head -n 60
    fi
done
exit "$failed"
