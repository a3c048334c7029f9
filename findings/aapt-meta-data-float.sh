#!/usr/bin/env bash
#
# aapt: a build number above 2147483647 in <meta-data> is rounded, so that builds of two hours become equal.
#
# Expected:  a build number is stored as it is written: 41200 as an integer, and 2611300713 (the build of
#            26-11-30 at 07:13), which is too large for an integer of 32 bits, as a text.
# Observed:  larger numbers are stored as floating-point numbers with 24 significant bits. The builds from
#            05:00 to 07:35 of this day are all 2611300608. For the same reason, the version 3.10 is stored as
#            the number 3.1, while 3.10.0 is a text. There is no warning. The attribute versionName, whose
#            type is text, and references to string resources keep 3.10.
# Impact:    Google Play accepts no versionCode above 2100000000, so build numbers of this form are put into
#            <meta-data>. What an app sends from there, or a tool reads from the APK, is the same for many
#            builds: a check admits a defective one with its replacement. A minimum version 3.10 becomes 3.1.
#
# Guess:     3.10 becomes 3.1, but the build number is kept.
# Software:  aapt 10.0.0+r36-10 (Debian 12)
# Observed on: 2026-11-30
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
apt-get download --quiet=2 aapt=1:10.0.0+r36-10 android-framework-res=1:10.0.0+r36-10 \
    android-libaapt android-libandroidfw android-libbacktrace android-libbase android-libcutils \
    android-liblog android-libutils android-libziparchive libexpat1 libpng16-16 p7zip-full \
    2> errors.log || { cat errors.log >&2; exit 1; }
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries="$work/root/usr/lib/$(uname -m)-linux-gnu"
export LD_LIBRARY_PATH="$libraries:$libraries/android:$work/root/usr/lib/p7zip"

python3 - <<'PYTHON'
import re
import struct
import subprocess
import sys
from pathlib import Path


def aapt(*arguments):
    command = ["root/usr/bin/aapt", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def stored(values):
    """Compiles a manifest with these values of <meta-data>, and returns the stored ones."""
    elements = "".join(f'<meta-data android:name="v" android:value="{value}"/>' for value in values)
    Path("AndroidManifest.xml").write_text(f"""
        <manifest xmlns:android="http://schemas.android.com/apk/res/android" package="com.example.app"
            android:versionCode="41200" android:versionName="3.10">
          <application>{elements}</application>
        </manifest>""")
    Path("res/values").mkdir(parents=True, exist_ok=True)
    Path("res/values/strings.xml").write_text('<resources><string name="minimum">3.10</string></resources>')
    aapt("package", "-f", "-M", "AndroidManifest.xml", "-S", "res", "-F", "app.apk",
         "-I", "root/usr/share/android-framework-res/framework-res.apk")
    tree = aapt("dump", "xmltree", "app.apk", "AndroidManifest.xml")
    return [decode(value) for value in re.findall(r"android:(?:versionName|value)\(0x\w+\)=(.*)", tree)]


def decode(text):
    """Returns the stored value from the output of aapt: a text, a reference, an integer or a float."""
    typed = re.fullmatch(r"\(type (0x\w+)\)0x(\w+)", text)
    if typed is None:
        return re.sub(r" \(Raw: .*", "", text)
    if typed[1] == "0x4":
        value, = struct.unpack(">f", bytes.fromhex(typed[2].zfill(8)))
        return f"float {value:.10g}" if value >= 1e6 else f"float {value:.6g}"
    return f"integer {int(typed[2], 16)}"


print(aapt("version").strip())
recorded = {
    "versionName 3.10": '"3.10"',
    "41200": "integer 41200", "2100000000": "integer 2100000000", "3.10.0": '"3.10.0"',
    "2611300500": "float 2611300608", "2611300713": "float 2611300608", "2611300735": "float 2611300608",
    "3.10": "float 3.1",
}
names = list(recorded)
observed = dict(zip(names, stored(names[1:])))
for name, value in observed.items():
    print(f"{name}: {value}")
reference = stored(["@string/minimum"])[1]
print(f"@string/minimum: {reference}")
if observed != recorded or not reference.startswith("@0x"):
    sys.exit(f"changed: recorded was {recorded}")
print("as recorded: the builds 2611300500 to 2611300735 are the same number")
PYTHON
