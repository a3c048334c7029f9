#!/usr/bin/env bash
# Runs all tests under ThreadSanitizer and then under AddressSanitizer, each built into a folder of
# its own; the executable that the end-to-end tests start is sanitized as well.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
failed=0
run() {
    local kind=$2 scratch=.build-$1
    shift 2
    "$swift" build --build-tests --sanitize "$kind" --scratch-path "$scratch"
    echo "== $kind sanitizer"
    "$swift" test --skip-build --sanitize "$kind" --scratch-path "$scratch" "$@" || failed=1
}

# Each test of the executable is a few processes, a tenth as fast as usual. All at once they starve each
# other, and the time limit of a test runs while it waits for a processor.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Fuzzing/tsan.supp"
# Swift frees nothing at exit, which the leak check would report.
export ASAN_OPTIONS="detect_leaks=0"
for name in ${*:-tsan asan}; do
    case $name in
    # LoadTests ask for answers within the two seconds of wrk, which a gate at a tenth of its speed
    # has not always.
    tsan) run tsan thread --skip LoadTests ;;
    asan) run asan address ;;
    *)
        echo "usage: $0 [tsan] [asan]" >&2
        exit 64
        ;;
    esac
done
exit "$failed"
