#!/usr/bin/env bash
# Builds the library, its sources and its documentation into a folder with the layout of a Maven repository.
# Needs Debian's kotlin, default-jdk-headless and libokhttp-java.
set -euo pipefail
mkdir -p "$1"
out=$(realpath "$1")
cd "$(dirname "$0")"

# The first group, artifact and version in the POM are those of the library itself.
of_pom() { sed -n "s|^  <$1>\(.*\)</$1>\$|\1|p" pom.xml; }
name=$(of_pom artifactId)
version=$(of_pom version)
group=$(of_pom groupId)
folder=$out/${group//./\/}/$name/$version

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{classes,sources}/META-INF "$work/classes/META-INF/proguard" "$work/javadoc"

# For a single run of the compiler, the optimizing JIT does not pay off.
export JAVA_OPTS="-Xmx512M -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
# Java warns about a deprecated option in Debian's compiler script. The default module name, `main`, would be the same as
# that of other libraries.
kotlinc -Werror -jvm-target 1.8 -module-name "$name" src/versiongate/*.kt -d "$work/classes" \
    2> >(grep -v -e '-noverify were deprecated' >&2)
jars=/usr/share/java
javac --release 8 -Xlint:-options -Werror -d "$work/classes" \
    -cp "$work/classes:$jars/okhttp.jar:$jars/okio.jar:$jars/kotlin-stdlib.jar" src/versiongate/GateInterceptor.java

cp ../../LICENSE "$work/classes/META-INF"
cp ../../LICENSE "$work/sources/META-INF"
# R8 and ProGuard read the rules in this folder of a library.
cp consumer-rules.pro "$work/classes/META-INF/proguard/$name.pro"
cp -r src/versiongate "$work/sources"
cp README.md CHANGELOG.md "$work/javadoc"
printf 'Automatic-Module-Name: versiongate\nImplementation-Version: %s\n' "$version" >"$work/manifest"

rm -rf "$folder"
mkdir -p "$folder"
cp pom.xml "$folder/$name-$version.pom"
pack() { jar --create --file "$folder/$name-$version$1.jar" --date 2020-01-01T00:00:00Z "${@:2}" .; }
pack "" --manifest "$work/manifest" -C "$work/classes"
pack -sources -C "$work/sources"
pack -javadoc -C "$work/javadoc"
cd "$folder"
for file in *; do
    md5sum "$file" | cut -d ' ' -f 1 >"$file.md5"
    sha1sum "$file" | cut -d ' ' -f 1 >"$file.sha1"
done
