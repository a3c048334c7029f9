"""The Maven artifact for Kotlin, in an empty Maven project, with Debian's Maven repository instead of Maven Central."""

import os
import shutil
import unittest
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

from scenes import ROOT, PackageTest, report_size, run

CLIENT = ROOT / "clients/kotlin"
DEBIAN = Path("/usr/share/maven-repo")
# The Kotlin plugin, and what Debian's packages of Maven and Kotlin only recommend.
NEEDED = [
    "org/jetbrains/kotlin/kotlin-maven-plugin", "org/jetbrains/kotlinx/kotlinx-coroutines-core",
    "com/squareup/okhttp3/okhttp",
]
POM = ElementTree.parse(CLIENT / "pom.xml")
COORDINATES = [POM.findtext(f"{{*}}{name}") for name in ["groupId", "artifactId", "version"]]

SETTINGS = """<settings>
  <localRepository>{local}</localRepository>
  <mirrors><mirror><id>debian</id><mirrorOf>central</mirrorOf><url>{debian}</url></mirror></mirrors>
</settings>
"""
# The library brings kotlin-stdlib. OkHttp is the choice of the app.
PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>app</groupId><artifactId>app</artifactId><version>1</version>
  <repositories>
    <repository>
      <id>built</id><url>{repository}</url>
      <releases><checksumPolicy>fail</checksumPolicy></releases>
    </repository>
  </repositories>
  <dependencies>
    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>
    <dependency><groupId>com.squareup.okhttp3</groupId><artifactId>okhttp</artifactId><version>3.13.1</version></dependency>
  </dependencies>
  <build>
    <sourceDirectory>{examples}</sourceDirectory>
    <plugins>
      <plugin>
        <groupId>org.jetbrains.kotlin</groupId><artifactId>kotlin-maven-plugin</artifactId><version>1.3.31</version>
      </plugin>
    </plugins>
  </build>
</project>
"""
JAVA = ["java", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]


@unittest.skipUnless(
    shutil.which("mvn") and shutil.which("kotlinc") and all((DEBIAN / name).exists() for name in NEEDED),
    "Debian's maven, kotlin, junit5, libkotlinx-coroutines-java or libokhttp-java is missing",
)
class KotlinPackageTests(PackageTest, unittest.TestCase):
    @classmethod
    def install(cls):
        run(CLIENT / "package.sh", cls.out)
        group, artifact, version = COORDINATES
        cls.name = f"{artifact}-{version}"
        cls.package = cls.out / group.replace(".", "/") / artifact / version
        report_size(*sorted(cls.package.glob("*.jar")), cls.package / f"{cls.name}.pom")
        local = cls.out.parent / "local"
        (cls.project / "settings.xml").write_text(SETTINGS.format(local=local, debian=DEBIAN.as_uri()))
        (cls.project / "pom.xml").write_text(PROJECT.format(
            repository=cls.out.as_uri(), group=group, artifact=artifact, version=version,
            examples=CLIENT / "examples",
        ))
        run(
            "mvn", "--batch-mode", "--settings", "settings.xml", "kotlin:compile",
            folder=cls.project, MAVEN_OPTS="-Xmx512M -XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        )
        # What Maven has downloaded; without OkHttp, which only the interceptor needs.
        jars = [*local.glob(f"{group.replace('.', '/')}/**/*.jar"), *local.glob("org/jetbrains/kotlin/kotlin-stdlib/*/*.jar")]
        cls.jars = [cls.project / "target/classes", *jars]
        cls.okhttp = [*local.glob("com/squareup/**/*.jar")]

    def command(self, name):
        main = name.title().replace("-", "") + "Kt"
        jars = self.jars + (self.okhttp if name == "interceptor" else [])
        return [*JAVA, "-classpath", os.pathsep.join(map(str, jars)), main]

    def names(self, classifier=""):
        with zipfile.ZipFile(self.package / f"{self.name}{classifier}.jar") as archive:
            return {name for name in archive.namelist() if not name.endswith("/")}

    def test_the_readme_names_the_coordinates(self):
        self.assertIn(f"`{':'.join(COORDINATES)}`", (CLIENT / "README.md").read_text())

    def test_the_library_has_no_common_names(self):
        self.assertEqual({name for name in self.names() if not name.startswith("versiongate/")}, {
            "META-INF/LICENSE", "META-INF/MANIFEST.MF", "META-INF/proguard/versiongate-client.pro",
            "META-INF/versiongate-client.kotlin_module",
        })

    def test_the_sources_and_the_documentation_have_all_files(self):
        sources = {f"versiongate/{file.name}" for file in (CLIENT / "src/versiongate").iterdir()}
        self.assertEqual(self.names("-sources") - sources, {"META-INF/LICENSE", "META-INF/MANIFEST.MF"})
        self.assertLessEqual(sources, self.names("-sources"))
        self.assertLessEqual({"README.md", "CHANGELOG.md"}, self.names("-javadoc"))


if __name__ == "__main__":
    unittest.main()
