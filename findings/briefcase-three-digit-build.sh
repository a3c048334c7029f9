#!/usr/bin/env bash
#
# Briefcase: from build 100 on, the Android version code has another digit and exceeds that of later versions.
#
# Expected:  the documentation says that the version code must increase with each release, and that Briefcase
#            derives it from the version and the build number. So 3.5.0 has a higher code than any build of
#            3.4.9, or Briefcase asks for a code of our own.
# Observed:  the parts are padded to two digits and joined as text. 3.4.9 with build 99 is 3040999, with build
#            100 it is 30409100, and 3.5.0 with build 1 is 3050001, a tenth of that. There is no warning. A
#            part of the version from 100 on, as in 3.100.0, adds a digit in the same way. Pre-releases get the
#            code of the release: 3.5.0rc1 and 3.5.0 are both 3050000.
# Impact:    if CI counts the builds, each release after build 100 needs a number from 100 on, too. If the count
#            starts again, devices and Google Play refuse 3.5.0 as a downgrade of 3.4.9.
#            A server that checks version codes with a minimum of 3050001 (3.5.0) admits 3.4.9 with build 100.
#
# Guess:     build 100 carries into the patch number, so that 3.4.9 with build 100 and 3.4.10 with build 0
#            have the same code; and a pre-release has a lower code than its release.
# Software:  briefcase 0.4.7 (PyPI)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check briefcase==0.4.7

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from briefcase.config import DraftAppConfig, FinalizedAppConfig
from briefcase.platforms.android.gradle import GradleCreateCommand


def version_code(app_version, build):
    """Returns the code that Briefcase puts into the Gradle project of an app with this version and build."""
    app = FinalizedAppConfig(DraftAppConfig(
        app_name="myapp", formal_name="My App", bundle="com.example", description="An app",
        sources=["src/myapp"], license={"file": "LICENSE"}, version=app_version, build=build,
        build_gradle_dependencies=[]))
    # The method uses the command (self) only for a warning about missing dependencies.
    return int(GradleCreateCommand.output_format_template_context(None, app)["version_code"])


print("briefcase", version("briefcase"))
recorded = {
    ("1.2.37", "42"): 1023742,  # the example in the documentation
    ("3.4.9", "99"): 3040999, ("3.4.9", "100"): 30409100, ("3.4.10", "0"): 3041000,
    ("3.5.0", "1"): 3050001, ("3.5.0", "101"): 30500101, ("3.100.0", "1"): 31000001, ("4.0.0", "1"): 4000001,
    ("3.5.0rc1", "0"): 3050000, ("3.5.0", "0"): 3050000,
}
observed = {}
for app_version, build in recorded:
    observed[app_version, build] = version_code(app_version, build)
    print(f"version {app_version}, build {build}: {observed[app_version, build]}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: 3.4.9 with build 100 has a higher version code than 3.5.0 and 4.0.0 with build 1")
PYTHON
