import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHIVE = ROOT / ".build/debug/libversiongate_envoy.a"
HOOK = "envoy_dynamic_module_on_"


@unittest.skipUnless(sys.platform == "linux", "the module is linked for Linux")
class EnvoyModuleTests(unittest.TestCase):
    """The debug build is linked, because the object files that the hooks need are the same as in a release build."""

    def test_the_module_links_without_the_code_that_fetches_and_exports_only_hooks(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(ARCHIVE, folder)
            linking = subprocess.run(
                [ROOT / "deploy/envoy/link.sh", folder], capture_output=True, text=True,
                env={**os.environ, "SWIFTC": os.environ.get("SWIFT", "swift") + "c"},
            )
            self.assertEqual(linking.returncode, 0, linking.stdout + linking.stderr)
            symbols = subprocess.run(
                ["nm", "-D", "--defined-only", f"{folder}/libversiongate_envoy.so"],
                check=True, capture_output=True, text=True,
            ).stdout.split("\n")
        names = [line.split()[-1].split("@")[0] for line in symbols if line]
        self.assertTrue(any(name.startswith(HOOK) for name in names))
        self.assertEqual([name for name in names if not name.startswith(HOOK)], [])


if __name__ == "__main__":
    unittest.main()
