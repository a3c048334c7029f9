#!/usr/bin/env bash
#
# Java: ModuleDescriptor.Version reads a build number as a pre-release: 3.5.0+94 is older than 3.5.0.
#
# Expected:  according to the documentation, a version consists of a version number, an optional pre-release version
#            (after "-") and an optional build version (after "+"), and only a pre-release version makes a version
#            older. 3.5.0+94 is at or above 3.5.0.
# Observed:  3.5.0+94 is older than 3.5.0, and equal to 3.5.0-94. If a version has a build but no pre-release, the
#            parser reads the build as the pre-release (JDK-8250677). With both, as in 3.5.0-beta+94, it is right.
# Impact:    this class is the only general comparison of versions in the JDK, and is often recommended for that.
#            Flutter apps have versions such as 3.5.0+94, so a backend with a floor of 3.5.0 denies every client of
#            exactly this version, the version users were told to install.
# Guess:     3.5.0+94 is newer than 3.5.0.
#
# Software:  openjdk-17-jre-headless 17.0.21.1+2-1~deb12u1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 openjdk-17-jre-headless=17.0.21.1+2-1~deb12u1 2> download.log ||
    { cat download.log >&2; exit 1; }
dpkg-deb -x openjdk-17-jre-headless*.deb root
home=$(echo root/usr/lib/jvm/java-17-openjdk-*)
# The package's settings are in /etc.
find "$home" -type l -lname '/etc/java-17-openjdk/*' | while read -r link; do
    file=root$(readlink "$link")
    rm "$link"
    cp -r "$file" "$link"
done

cat > Compare.java <<'JAVA'
import java.lang.module.ModuleDescriptor.Version;
import java.util.LinkedHashMap;
import java.util.Map;

class Compare {
    static String compare(String left, String right) {
        int result = Version.parse(left).compareTo(Version.parse(right));
        return result < 0 ? "older than" : result > 0 ? "newer than" : "equal to";
    }

    public static void main(String[] arguments) {
        System.out.println("OpenJDK " + System.getProperty("java.version"));
        Map<String, String> recorded = new LinkedHashMap<>();
        recorded.put("3.4.9 3.5.0", "older than");
        recorded.put("3.5.0-beta+94 3.5.0", "older than");
        recorded.put("3.5.0-beta+94 3.5.0-beta", "newer than");
        recorded.put("3.5.1+95 3.5.0", "newer than");
        recorded.put("3.10.0 3.5.0", "newer than");
        recorded.put("3.5.0+94 3.5.0", "older than");
        recorded.put("3.5.0+94 3.5.0-94", "equal to");
        boolean same = true;
        for (Map.Entry<String, String> each : recorded.entrySet()) {
            String[] versions = each.getKey().split(" ");
            String observed = compare(versions[0], versions[1]);
            System.out.println(versions[0] + " is " + observed + " " + versions[1]);
            same &= observed.equals(each.getValue());
        }
        if (!same) {
            System.err.println("changed: recorded was " + recorded);
            System.exit(1);
        }
        System.out.println("as recorded: 3.5.0+94 is older than 3.5.0");
    }
}
JAVA
"$home/bin/java" Compare.java
