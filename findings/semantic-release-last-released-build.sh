#!/usr/bin/env bash
#
# python-semantic-release: of several builds of one version, the last released one is the first in the alphabet.
#
# Expected:  "semantic-release version --print-last-released" prints the version that was released last: after
#            the builds 3.5.0+98 and 3.5.0+99, it prints 3.5.0+99.
# Observed:  it prints 3.5.0+98, and after the builds 100 and 101 it prints 3.5.0+100. The builds of a version
#            count as equal, and among equal versions, the tag that is first in alphabetical order wins, not the
#            newest one. If all build numbers have the same number of digits, this is always the oldest build.
#            After 3.5.1+102, the output is right.
# Impact:    with the option --build-metadata, each build gets a tag of its own, even if the version stays the same.
#            A pipeline that takes the latest or the minimum build from --print-last-released gets an older build,
#            so builds that have been replaced stay admitted.
#
# Software:  python-semantic-release 10.7.0 (PyPI); git 2.39.5-0+deb12u3 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check python-semantic-release==10.7.0

cd "$work"
apt-get download --quiet=2 git=1:2.39.5-0+deb12u3 libpcre2-8-0 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
export PATH="$work/root/usr/bin:$PATH" GIT_EXEC_PATH="$work/root/usr/lib/git-core"
export GIT_TEMPLATE_DIR="$work/root/usr/share/git-core/templates" GIT_CONFIG_NOSYSTEM=1 HOME="$work"
export LD_LIBRARY_PATH="$work/root/usr/lib/$(uname -m)-linux-gnu"

"$work/venv/bin/python" - "$work" <<'PYTHON'
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

work = Path(sys.argv[1])
repository = work / "app"
repository.mkdir()


def run(*command):
    done = subprocess.run(command, cwd=repository, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def release(message, build):
    """Commits with this message, releases it with this build number, and returns the last released version."""
    run("git", "commit", "--quiet", "--allow-empty", f"--message={message}")
    semantic_release = work / "venv/bin/semantic-release"
    run(semantic_release, "version", f"--build-metadata={build}", "--no-push", "--no-changelog", "--skip-build")
    # The tag of the current commit shows which version was released.
    return run("git", "describe", "--exact-match"), run(semantic_release, "version", "--print-last-released-tag")


print("python-semantic-release", version("python-semantic-release"), "with", run("git", "--version"))
run("git", "init", "--quiet", "--initial-branch=main")
run("git", "config", "user.name", "Example")
run("git", "config", "user.email", "dev@example.com")
run("git", "remote", "add", "origin", "https://github.com/example/app.git")
(repository / "pyproject.toml").write_text("[tool.semantic_release]\n")
run("git", "add", "pyproject.toml")
run("git", "commit", "--quiet", "--message=chore: start")
run("git", "tag", "--annotate", "--message=3.4.9", "v3.4.9+97")

recorded = {
    "v3.5.0+98": "v3.5.0+98",
    "v3.5.0+99": "v3.5.0+98",
    "v3.5.0+100": "v3.5.0+100",
    "v3.5.0+101": "v3.5.0+100",
    "v3.5.1+102": "v3.5.1+102",
}
observed = {}
commits = {"feat: pay by card": 98, "ci: other runner": 99, "build: other signature": 100, "ci: cache": 101,
           "fix: rounding": 102}
for message, build in commits.items():
    released, last = release(message, build)
    observed[released] = last
    print(f"{released} ({message}): the last released tag is {last}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: after v3.5.0+99, the last released tag is v3.5.0+98")
PYTHON
