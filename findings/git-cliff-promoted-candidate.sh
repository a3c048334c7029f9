#!/usr/bin/env bash
#
# git-cliff: after the release of a candidate, the next version is older than the release.
#
# Expected:  if v3.7.0-rc.1 and v3.7.0 are on one commit, because the tested candidate was released, 3.7.0 is the
#            last release: after a fix, "git-cliff --bumped-version" prints v3.7.1, and the changelog lists 3.7.0.
# Observed:  it prints v3.7.0-rc.2, and the changelog lists 3.7.0-rc.1 instead of 3.7.0. Of several tags on one
#            commit, only the last one in alphabetical order counts, and v3.7.0-rc.1 is after v3.7.0. This does not
#            depend on the dates of the tags. If the release has a commit of its own, the result is v3.7.1.
# Impact:    the fix is released as 3.7.0-rc.2, a version that is older than 3.7.0. A floor of 3.7.0 denies the
#            users who installed the fix, and an in-app check offers them the update to the broken 3.7.0.
# Guess:     v3.7.1, as "git describe" finds v3.7.0.
#
# Software:  git-cliff 2.14.2 (PyPI); git 2.39.5-0+deb12u3 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check git-cliff==2.14.2

cd "$work"
apt-get download --quiet=2 git=1:2.39.5-0+deb12u3 libpcre2-8-0 2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
export PATH="$work/root/usr/bin:$PATH" GIT_EXEC_PATH="$work/root/usr/lib/git-core"
export GIT_TEMPLATE_DIR="$work/root/usr/share/git-core/templates" GIT_CONFIG_NOSYSTEM=1 HOME="$work"
export LD_LIBRARY_PATH="$work/root/usr/lib/$(uname -m)-linux-gnu"

"$work/venv/bin/python" - "$work" <<'PYTHON'
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

work = Path(sys.argv[1])
# The date of the release is two days after the date of the candidate.
DATES = {"v3.6.0": "2026-11-02", "v3.7.0-rc.1": "2026-11-09", "v3.7.0": "2026-11-11"}


def run(repository, *command, date="2026-11-12"):
    environment = {"GIT_AUTHOR_DATE": f"{date}T10:00:00Z", "GIT_COMMITTER_DATE": f"{date}T10:00:00Z"}
    done = subprocess.run(("env", *(f"{name}={value}" for name, value in environment.items()), *command),
                          cwd=repository, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def bump(name, annotated, own_commit):
    """Releases 3.6.0, the candidate and 3.7.0, adds a fix, and returns what git and git-cliff make of it."""
    repository = work / name
    repository.mkdir()
    run(repository, "git", "init", "--quiet", "--initial-branch=main")
    run(repository, "git", "config", "user.name", "Example")
    run(repository, "git", "config", "user.email", "dev@example.com")

    def commit(message, date):
        run(repository, "git", "commit", "--quiet", "--allow-empty", f"--message={message}", date=date)

    def tag(tag_name):
        message = (f"--message={tag_name}",) if annotated else ()
        run(repository, "git", "tag", *message, tag_name, date=DATES[tag_name])

    commit("feat: search", "2026-11-02")
    tag("v3.6.0")
    commit("feat: pay by card", "2026-11-09")
    tag("v3.7.0-rc.1")
    if own_commit:
        commit("chore: release", "2026-11-11")
    tag("v3.7.0")
    commit("fix: rounding", "2026-11-12")
    git_cliff = work / "venv/bin/git-cliff"
    changelog = run(repository, git_cliff)
    return (run(repository, "git", "describe", "--tags", "--abbrev=0"), run(repository, git_cliff, "--bumped-version"),
            " ".join(re.findall(r"^## \[(.+?)\]", changelog, re.MULTILINE)))


print("git-cliff", version("git-cliff"), "with", run(work, "git", "--version"))
recorded = {
    "release with its own commit": ("v3.7.0", "v3.7.1", "unreleased 3.7.0 3.7.0-rc.1 3.6.0"),
    "release on the candidate's commit": ("v3.7.0", "v3.7.0-rc.2", "unreleased 3.7.0-rc.1 3.6.0"),
    "the same with annotated tags": ("v3.7.0", "v3.7.0-rc.2", "unreleased 3.7.0-rc.1 3.6.0"),
}
observed = {
    "release with its own commit": bump("own", False, True),
    "release on the candidate's commit": bump("promoted", False, False),
    "the same with annotated tags": bump("annotated", True, False),
}
for case, (described, bumped, changelog) in observed.items():
    print(f"{case}, then a fix: git describe finds {described}; the next version is {bumped}; changelog: {changelog}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the version after v3.7.0 is v3.7.0-rc.2")
PYTHON
