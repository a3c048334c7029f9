#!/usr/bin/env bash
# Runs all tests with ThreadSanitizer and then with AddressSanitizer, each built into a separate
# folder. The executable that the end-to-end tests start is sanitized as well.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=${SWIFT:-swift}
clang=$(dirname "$(readlink -f "$(command -v "$swift")")")/clang
failed=0
# Package.swift disables optimization for code that is shared by threads of the tests.
export VERSIONGATE_SANITIZED=1
build() {
    "$swift" build --build-tests --sanitize "$1" --scratch-path "$2"
    echo "== $1 sanitizer"
}
run() {
    local kind=$1 scratch=$2
    shift 2
    "$swift" test --skip-build --sanitize "$kind" --scratch-path "$scratch" "$@" || failed=1
}

# Each end-to-end test runs several processes at a tenth of the usual speed. With all tests in parallel,
# tests would exceed their time limits while they wait for a processor.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4
for name in ${*:-tsan asan}; do
    scratch=.build-$name
    case $name in
    tsan)
        build thread "$scratch"
        annotations=$PWD/$scratch/libMutexAnnotations.so
        "$clang" -Wall -Wextra -Werror -O1 -shared -fPIC Fuzzing/MutexAnnotations.c -o "$annotations"
        TSAN_OPTIONS="halt_on_error=1" LD_PRELOAD=$annotations run thread "$scratch"
        ;;
    asan)
        build address "$scratch"
        # Swift does not free memory at exit, which the leak check would report.
        ASAN_OPTIONS="detect_leaks=0" run address "$scratch"
        ;;
    *)
        echo "usage: $0 [tsan] [asan]" >&2
        exit 64
        ;;
    esac
done
exit "$failed"
