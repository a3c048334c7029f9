"""The npm package, in an empty project."""

import shutil
import tarfile
import unittest

from scenes import ROOT, PackageTest, report_size, run

CLIENT = ROOT / "clients/javascript"
NODE = "node"

# Both modules in one process, with the gate's URL.
BOTH_MODULES = """
const assert = require("node:assert");
const required = require("versiongate");

(async () => {
  const imported = await import("versiongate");
  const forBrowsers = await import("./node_modules/versiongate/versiongate.js");
  assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).sort());
  assert.deepEqual(Object.keys(required).sort(), Object.keys(forBrowsers).sort());
  const gate = new required.VersionGate(process.argv[2], { platform: "android", version: "3.4.9" });
  await assert.rejects(gate.fetch("/orders"), imported.GateDenied);
  assert.equal((await gate.check()).state, "required");
})();
"""
# Code that uses the types, and mistakes that they must report.
TYPES = """
import { GateDenied, VersionGate, inspect, type State } from "versiongate";

export async function main(): Promise<string | undefined> {
  const gate = new VersionGate("http://127.0.0.1", { version: "3.4.9" });
  const state: State = await gate.check("/orders", { method: "POST" });
  for await (const next of gate.states()) if (next.state === "maintenance") return next.window.maintenanceUntil;
  // @ts-expect-error
  new VersionGate("http://127.0.0.1", { verison: "3.4.9" });
  // @ts-expect-error
  if (state.state === "updated") return;
  // @ts-expect-error
  inspect();
  return state.state === "required" ? state.update.storeUrl : undefined;
}

export const isDenied = (error: unknown): boolean => error instanceof GateDenied;
"""


@unittest.skipUnless(shutil.which("npm"), "npm is missing")
class JavaScriptPackageTests(PackageTest, unittest.TestCase):
    @classmethod
    def install(cls):
        run(CLIENT / "package.sh", cls.out)
        cls.package, = cls.out.iterdir()
        report_size(cls.package)
        (cls.project / "package.json").write_text('{"private": true}')
        run(
            "npm", "install", cls.package, "--offline", "--no-audit", "--no-fund",
            folder=cls.project, npm_config_cache=str(cls.out / "cache"),
        )
        for example in (CLIENT / "examples").iterdir():
            shutil.copy(example, cls.project)

    def command(self, name):
        return [NODE, self.project / f"{name}.mjs"]

    def test_require_and_import_are_one_module(self):
        (self.project / "both.cjs").write_text(BOTH_MODULES)
        run(NODE, self.project / "both.cjs", self.gate.url)

    @unittest.skipUnless(shutil.which("tsc"), "tsc is missing")
    def test_both_modules_have_types(self):
        for name in ["types.mts", "types.cts", "types.ts"]:
            (self.project / name).write_text(TYPES)
        for modules in [
            ["--module", "node16", "types.mts", "types.cts"],
            # What TypeScript did before Node had `exports`.
            ["--module", "commonjs", "--moduleResolution", "node", "types.ts"],
        ]:
            run(
                "tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022,dom",
                *modules, folder=self.project,
            )

    def test_the_package_has_all_files(self):
        with tarfile.open(self.package) as archive:
            names = {name.removeprefix("package/") for name in archive.getnames()}
        self.assertEqual(names, {
            "CHANGELOG.md", "LICENSE", "README.md", "package.json", "versiongate.cjs", "versiongate.d.cts",
            "versiongate.d.ts", "versiongate.js", "versiongate.mjs",
        })


if __name__ == "__main__":
    unittest.main()
