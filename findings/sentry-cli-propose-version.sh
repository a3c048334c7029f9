#!/usr/bin/env bash
#
# sentry-cli: in a repository with an Android app, every folder gets the app's version as its release name.
#
# Expected:  "sentry-cli releases propose-version" prints the hash of the current commit. The documentation
#            recommends this hash as the name of a release, and this command to find it.
# Observed:  if the current folder or a folder above it contains build.gradle and app/build.gradle, the output
#            is "applicationId@versionName", without the version code. The folders backend and ios get this
#            name too, and it stays the same after new commits. A regular expression reads the first
#            versionName, even in a comment, and only the first text of an expression. With
#            'versionName = "3.4.9"', the output is the hash.
# Impact:    with VERSION=$(sentry-cli releases propose-version), as in the documentation, deployments of the
#            backend and builds of both apps become one release. Sentry's SDK for Android reports
#            com.example.app@3.4.9+41200, so the registered release seems to have no users. A team that asks
#            Sentry which versions are still in use cuts off a version that is in use.
# Guess:     the first versionName in build.gradle, even from a comment, without the version code.
#
# Software:  sentry-cli 3.8.2 (PyPI); the repositories are made with dulwich 1.2.21 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check sentry-cli==3.8.2 dulwich==1.2.21

"$work/venv/bin/python" - "$work" <<'PYTHON'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from dulwich import porcelain

work = Path(sys.argv[1])
author = b"Example <dev@example.com>"


def commit(repository, message):
    porcelain.add(str(repository))
    identity = porcelain.commit(str(repository), message=message, author=author, committer=author)
    return identity.decode()


def make(name, version_name=None):
    """Creates a repository with the folders backend and ios and, with a version_name, an Android app."""
    repository = work / name
    files = {"backend/main.py": "", "ios/App.swift": ""}
    if version_name is not None:
        files["build.gradle"] = "// common settings\n"
        files["app/build.gradle"] = f"""\
android {{
    defaultConfig {{
        applicationId "com.example.app"
        versionCode 41200
        {version_name}
    }}
}}
"""
    for path, text in files.items():
        (repository / path).parent.mkdir(parents=True, exist_ok=True)
        (repository / path).write_text(text)
    porcelain.init(str(repository))
    return repository, commit(repository, "first")


def propose(folder, head):
    """Returns the proposed name, or "commit" for the hash of the current commit."""
    command = [work / "venv/bin/sentry-cli", "releases", "propose-version"]
    # Without the variables of a CI service, which have priority over build.gradle.
    done = subprocess.run(command, cwd=folder, env={"HOME": str(work)}, check=True, capture_output=True, text=True)
    return "commit" if done.stdout.strip() == head else done.stdout.strip()


print("sentry-cli", version("sentry-cli"))
name = "com.example.app@3.4.9"
recorded = {
    "no Android app, backend": "commit",
    "Android app": name, "app": name, "backend": name, "ios": name, "backend after a commit": name,
    '// versionName "3.5.0", then 3.4.9': "com.example.app@3.5.0",
    'versionName "3." + minor': "com.example.app@3.",
    'versionName = "3.4.9"': "commit",
}
observed = {}
plain, head = make("plain")
observed["no Android app, backend"] = propose(plain / "backend", head)

android, head = make("android", 'versionName "3.4.9"')
observed["Android app"] = propose(android, head)
for folder in ("app", "backend", "ios"):
    observed[folder] = propose(android / folder, head)
(android / "backend/main.py").write_text("print('new')\n")
head = commit(android, "second")
observed["backend after a commit"] = propose(android / "backend", head)

repository, head = make("comment", '// versionName "3.5.0"\n        versionName "3.4.9"')
observed['// versionName "3.5.0", then 3.4.9'] = propose(repository, head)
for number, line in enumerate(('versionName "3." + minor', 'versionName = "3.4.9"')):
    repository, head = make(f"line{number}", line)
    observed[line] = propose(repository, head)

for case, result in observed.items():
    print(f"{case}: {result}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the release name of the backend is the version of the Android app")
PYTHON
