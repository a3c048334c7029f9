"""The Swift package, as a dependency of an empty package at a tag of a repository, and its documentation."""

import os
import re
import shutil
import textwrap
import unittest

from scenes import ROOT, PackageTest, report_size, run

SWIFT = os.environ.get("SWIFT", "swift")
EXAMPLES = ROOT / "clients/swift/examples"
CATALOG = ROOT / "Sources/VersionGateClient/VersionGateClient.docc"
# Its code is for views, which need SwiftUI.
NOT_COMPILED = "GettingStarted.md"

MANIFEST = """// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "app",
    platforms: [.macOS(.v12)],
    dependencies: [.package(url: "{repository}", from: "0.1.0")],
    targets: [{names}].map {{
        .executableTarget(
            name: $0,
            dependencies: [.product(name: "VersionGateClient", package: "versiongate")]
        )
    }}
)
"""
AUTHOR = ["-c", "user.name=test", "-c", "user.email=test@example.com"]


def blocks(text):
    """Returns the blocks of Swift code on a page."""
    return re.findall(r"^```swift\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


@unittest.skipUnless(shutil.which(SWIFT.split()[0]) and shutil.which("docc"), "Swift or docc is missing")
class SwiftPackageTests(PackageTest, unittest.TestCase):
    @classmethod
    def install(cls):
        # The files that the library consists of on a Mac, where the package has no other targets.
        repository = cls.out / "versiongate"
        for name in ["Sources/VersionGateClient", "Tests/VersionGateClientTests"]:
            shutil.copytree(ROOT / name, repository / name)
        shutil.copy(ROOT / "Package.swift", repository)
        run("git", "init", "--quiet", repository)
        run("git", "add", ".", folder=repository)
        run("git", *AUTHOR, "commit", "--quiet", "--message", "The library", folder=repository)
        run("git", "tag", "v0.1.0", folder=repository)
        archive = cls.out / "versiongate-v0.1.0.tar.gz"
        run("git", "archive", "--output", archive, "v0.1.0", folder=repository)
        report_size(archive)

        names = [file.stem for file in EXAMPLES.iterdir()]
        for name in names:
            folder = cls.project / "Sources" / name
            folder.mkdir(parents=True)
            shutil.copy(EXAMPLES / f"{name}.swift", folder / "main.swift")
        (cls.project / "Package.swift").write_text(MANIFEST.format(
            repository=repository.as_uri(), names=", ".join(f'"{name}"' for name in names),
        ))
        cls.symbols = cls.out / "symbols"
        cls.symbols.mkdir()
        # One job, because other tests run at the same time.
        run(
            *SWIFT.split(), "build", "--jobs", "1", "--cache-path", cls.out / "cache",
            "-Xswiftc", "-emit-symbol-graph", "-Xswiftc", "-emit-symbol-graph-dir", "-Xswiftc", cls.symbols,
            folder=cls.project, GATE_CLIENT_ALONE="1",
        )
        cls.built = cls.project / ".build/debug"
        cls.environment = {"HOME": str(cls.out / "home"), "XDG_DATA_HOME": str(cls.out / "home")}

    def command(self, name):
        return [self.built / name.title().replace("-", "")]

    def test_the_documentation_has_no_broken_links(self):
        symbols = self.out / "of-the-library"
        symbols.mkdir()
        shutil.copy(self.symbols / "VersionGateClient.symbols.json", symbols)
        archive = self.out / "VersionGateClient.doccarchive"
        run(
            "docc", "convert", CATALOG, "--additional-symbol-graph-dir", symbols, "--output-path", archive,
            "--fallback-display-name", "VersionGateClient", "--fallback-bundle-identifier", "VersionGateClient",
            "--warnings-as-errors",
        )
        pages = archive / "data/documentation/versiongateclient"
        for article in CATALOG.glob("*.md"):
            if article.stem != "VersionGateClient":
                self.assertTrue((pages / f"{article.stem.lower()}.json").exists(), article.name)

    def test_the_code_in_the_articles_is_that_of_the_examples(self):
        examples = [textwrap.dedent(file.read_text()) for file in EXAMPLES.iterdir()]
        articles = [file for file in CATALOG.glob("*.md") if file.name != NOT_COMPILED]
        found = [(article.name, block) for article in articles for block in blocks(article.read_text())]
        self.assertGreaterEqual(len(found), 5)
        for name, block in found:
            self.assertTrue(any(block in example for example in examples), f"{name}:\n{block}")


if __name__ == "__main__":
    unittest.main()
