#!/usr/bin/env bash
#
# Maven: ComparableVersion treats 3.5.0-beta+93 as newer than 3.5.0, and 3.5.0-beta as older.
#
# Expected:  a build number after a pre-release does not turn it into something newer than the release.
# Observed:  3.5.0-beta+93, 3.5.0-alpha+93 and 3.5.0-SNAPSHOT+93 are newer than 3.5.0, and the version range
#            [3.5.0,) contains them. Without the build, they are older. The plus sign is not a separator, so the
#            qualifier is "beta+", and unknown qualifiers are newer than the release. A digit before the plus sign
#            ends the qualifier: 3.5.0-beta.1+93 and 3.5.0-rc1+93 are older.
# Impact:    backends in Java and Kotlin compare app versions with this class. Flutter apps have versions such as
#            3.5.0-beta+93: these betas pass a floor of 3.5.0 that was set to exclude them, and they are "up to date"
#            when 3.5.0 is released.
# Guess:     3.5.0-beta+93 is older than 3.5.0, and newer than 3.5.0-beta.
#
# Software:  libmaven3-core-java 3.8.7-1, libcommons-lang3-java 3.12.0-2+deb12u1, openjdk-17-jre-headless
#            17.0.21.1+2-1~deb12u1 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 libmaven3-core-java=3.8.7-1 libcommons-lang3-java=3.12.0-2+deb12u1 \
    openjdk-17-jre-headless=17.0.21.1+2-1~deb12u1 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
home=$(echo root/usr/lib/jvm/java-17-openjdk-*)
# The package's settings are in /etc.
find "$home" -type l -lname '/etc/java-17-openjdk/*' | while read -r link; do
    file=root$(readlink "$link")
    rm "$link"
    cp -r "$file" "$link"
done

cat > Compare.java <<'JAVA'
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.maven.artifact.versioning.ComparableVersion;
import org.apache.maven.artifact.versioning.DefaultArtifactVersion;
import org.apache.maven.artifact.versioning.VersionRange;

class Compare {
    static String compare(String version) throws Exception {
        int result = new ComparableVersion(version).compareTo(new ComparableVersion("3.5.0"));
        VersionRange range = VersionRange.createFromVersionSpec("[3.5.0,)");
        return (result < 0 ? "older than" : result > 0 ? "newer than" : "equal to") + " 3.5.0, "
            + (range.containsVersion(new DefaultArtifactVersion(version)) ? "in" : "not in") + " [3.5.0,)";
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("OpenJDK " + System.getProperty("java.version"));
        String older = "older than 3.5.0, not in [3.5.0,)";
        String newer = "newer than 3.5.0, in [3.5.0,)";
        Map<String, String> recorded = new LinkedHashMap<>();
        recorded.put("3.4.9+92", older);
        recorded.put("3.5.0-alpha", older);
        recorded.put("3.5.0-beta", older);
        recorded.put("3.5.0-SNAPSHOT", older);
        recorded.put("3.5.0-beta.1+93", older);
        recorded.put("3.5.0-rc1+93", older);
        recorded.put("3.5.0-alpha+93", newer);
        recorded.put("3.5.0-beta+93", newer);
        recorded.put("3.5.0-SNAPSHOT+93", newer);
        recorded.put("3.5.0+94", newer);
        boolean same = true;
        for (Map.Entry<String, String> each : recorded.entrySet()) {
            String observed = compare(each.getKey());
            System.out.println(each.getKey() + ": " + observed);
            same &= observed.equals(each.getValue());
        }
        if (!same) {
            System.err.println("changed: recorded was " + recorded);
            System.exit(1);
        }
        System.out.println("as recorded: 3.5.0-beta is older than 3.5.0, and 3.5.0-beta+93 is newer");
    }
}
JAVA
jars=$(find root/usr/share/java -name 'maven3-artifact-3.8.7.jar' -o -name 'commons-lang3.jar' | tr '\n' ':')
echo "maven-artifact from libmaven3-core-java $(dpkg-deb --field libmaven3-core-java*.deb Version)"
"$home/bin/java" -classpath "$jars" Compare.java
