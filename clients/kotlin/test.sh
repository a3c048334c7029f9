#!/usr/bin/env bash
# Builds the client for Kotlin, and tries it against a gate that is built (VERSIONGATE_BINARY, or the debug build).
# Needs Debian's kotlin, default-jdk-headless, libokhttp-java and junit4.
set -euo pipefail
cd "$(dirname "$0")/../.."

# The tests are friends of the library only by its whole path.
out=$PWD/.build/kotlin
jars=/usr/share/java
libraries=$jars/okhttp.jar:$jars/okio.jar
testing=$libraries:$jars/junit4.jar:$jars/hamcrest.jar

# A compiler that runs once gains nothing by compiling itself well.
export JAVA_OPTS="-Xmx512M -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
# Java says that Debian's script for the compiler has an option which has grown old.
compile() {
    kotlinc -Werror -jvm-target 1.8 "$@" 2> >(grep -v -e '-noverify were deprecated' >&2)
}

build() {
    rm -rf "$out"
    mkdir -p "$out"/{library,tests}
    # What is changed while it is compiled is newer.
    touch "$out/begun"
    # The library without OkHttp first: nothing but the interceptor knows it.
    compile clients/kotlin/src/versiongate/*.kt -d "$out/library"
    javac --release 8 -Xlint:-options -Werror -cp "$out/library:$libraries:$jars/kotlin-stdlib.jar" \
        -d "$out/library" clients/kotlin/src/versiongate/GateInterceptor.java
    # What the README shows.
    sed -n '/^```kotlin$/,/^```$/{/^```/!p}' clients/kotlin/README.md >"$out/Readme.kt"
    compile -Xfriend-paths="$out/library" -cp "$out/library:$testing" -d "$out/tests" \
        "$out/Readme.kt" clients/kotlin/tests/versiongate/*.kt
    mv "$out/begun" "$out/built"
}

# The compiler needs half a minute: what is built already stays as long as nothing of the client is newer.
if [ ! -e "$out/built" ] || [ -n "$(find clients/kotlin -newer "$out/built")" ]; then build; fi

tests=(clients/kotlin/tests/versiongate/*Test.kt)
tests=("${tests[@]##*/}")
tests=("${tests[@]%.kt}")
java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dversiongate.root="$PWD" \
    -cp "$out/library:$out/tests:$testing:$jars/kotlin-stdlib.jar" \
    versiongate.RunTests "${tests[@]/#/versiongate.}"
