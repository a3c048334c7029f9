#!/usr/bin/env bash
#
# pyaxmlparser and androguard: a versionName that is a string resource is read as "@7F020001".
#
# Expected:  a versionName of "@string/app_version" is resolved, as the app's label is in both
#            libraries, and as the version name is in aapt with this APK ("3.4.9").
# Observed:  the version name is the resource ID as text, without an error or a warning.
# Impact:    a release job that reads the version of the built APK registers "@7F020001" as the
#            newest release. A lenient parser that looks for digits reads version 7, above every
#            floor.
#
# Software:  pyaxmlparser 0.3.31 and androguard 4.1.4 (PyPI); the APK is built with aapt
#            1:10.0.0+r36-10 (Debian 12)
# Observed on: 2026-11-27
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check \
    pyaxmlparser==0.3.31 androguard==4.1.4

cd "$work"
apt-get download --quiet=2 aapt=1:10.0.0+r36-10 android-framework-res=1:10.0.0+r36-10 \
    android-libaapt android-libandroidfw android-libbacktrace android-libbase android-libcutils \
    android-liblog android-libutils android-libziparchive libexpat1 libpng16-16 p7zip-full \
    2> download.log || { cat download.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done

mkdir -p app/res/values
cat > app/AndroidManifest.xml <<'XML'
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.example.app"
    android:versionCode="41200" android:versionName="@string/app_version">
  <application android:label="@string/app_name"/>
</manifest>
XML
cat > app/res/values/strings.xml <<'XML'
<resources>
  <string name="app_name">My App</string>
  <string name="app_version">3.4.9</string>
</resources>
XML
libraries="$work/root/usr/lib/$(uname -m)-linux-gnu"
aapt() {
    LD_LIBRARY_PATH="$libraries:$libraries/android:$work/root/usr/lib/p7zip" root/usr/bin/aapt "$@"
}
aapt package -M app/AndroidManifest.xml -S app/res \
    -I root/usr/share/android-framework-res/framework-res.apk -F app.apk
aapt dump badging app.apk | grep -o "versionCode='[^']*' versionName='[^']*'" | sed 's/^/aapt: /'

"$work/venv/bin/python" - <<'PYTHON'
import sys
from importlib.metadata import version

from loguru import logger

logger.remove()
import androguard.core.apk
import pyaxmlparser

first, second = pyaxmlparser.APK("app.apk"), androguard.core.apk.APK("app.apk")
recorded = {
    "pyaxmlparser": ("My App", "41200", "@7F020001"),
    "androguard": ("My App", "41200", "@7F020001"),
}
observed = {
    "pyaxmlparser": (first.application, first.version_code, first.version_name),
    "androguard": (
        second.get_app_name(),
        second.get_androidversion_code(),
        second.get_androidversion_name(),
    ),
}
for library, values in observed.items():
    print(f"{library} {version(library)}: {values}")
if observed != recorded:
    sys.exit(f"changed: recorded was {recorded}")
print('as recorded: the version name of both is "@7F020001"')
PYTHON
