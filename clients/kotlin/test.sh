#!/usr/bin/env bash
# Builds the Kotlin client, and tests it with a built gate (VERSIONGATE_BINARY, or the debug build).
# Needs Debian's kotlin, default-jdk-headless, libokhttp-java and junit4.
set -euo pipefail
cd "$(dirname "$0")/../.."

# Friend paths must be absolute, so that the tests can access internals of the library.
out=$PWD/.build/kotlin
jars=/usr/share/java
libraries=$jars/okhttp.jar:$jars/okio.jar
testing=$libraries:$jars/junit4.jar:$jars/hamcrest.jar

# For a single run of the compiler, the optimizing JIT does not pay off.
export JAVA_OPTS="-Xmx512M -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
# Java warns about a deprecated option in Debian's compiler script.
compile() {
    kotlinc -Werror -jvm-target 1.8 "$@" 2> >(grep -v -e '-noverify were deprecated' >&2)
}

build() {
    rm -rf "$out"
    mkdir -p "$out"/{library,tests}
    # Files that are changed during the compilation must be newer than this one.
    touch "$out/begun"
    # The library is compiled without OkHttp first: only the interceptor depends on it.
    compile clients/kotlin/src/versiongate/*.kt -d "$out/library"
    javac --release 8 -Xlint:-options -Werror -cp "$out/library:$libraries:$jars/kotlin-stdlib.jar" \
        -d "$out/library" clients/kotlin/src/versiongate/GateInterceptor.java
    # The code in the README.
    sed -n '/^```kotlin$/,/^```$/{/^```/!p}' clients/kotlin/README.md >"$out/Readme.kt"
    compile -Xfriend-paths="$out/library" -cp "$out/library:$testing" -d "$out/tests" \
        "$out/Readme.kt" clients/kotlin/tests/versiongate/*.kt
    mv "$out/begun" "$out/built"
}

# The compiler takes half a minute, so build only if a file of the client is newer than the last build.
if [ ! -e "$out/built" ] || [ -n "$(find clients/kotlin -newer "$out/built")" ]; then build; fi

tests=(clients/kotlin/tests/versiongate/*Test.kt)
tests=("${tests[@]##*/}")
tests=("${tests[@]%.kt}")
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dversiongate.root="$PWD" \
    -cp "$out/library:$out/tests:$testing:$jars/kotlin-stdlib.jar" \
    versiongate.RunTests "${tests[@]/#/versiongate.}"
