import contextlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path.insert(0, str(ROOT / "dev"))

import stand_ins  # noqa: E402


class Names(unittest.TestCase):
    def test_a_page_has_the_stand_ins_whose_switches_it_sets(self):
        text = "Text about a stand-in microcms x\nstand-in microcms '{}'\n  stand-in app-store \"$(jq)\"\n"
        self.assertEqual(stand_ins.names(text), ["app-store", "microcms"])
        self.assertEqual(stand_ins.names("No page needs a stand-in.\n"), [])


class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.stack = contextlib.ExitStack()
        folder = Path(cls.stack.enter_context(tempfile.TemporaryDirectory()))
        cls.running = stand_ins.StandIns(["app-store", "microcms"], folder, "/usr/bin/echo", cls.stack)

    @classmethod
    def tearDownClass(cls):
        cls.stack.close()

    def shell(self, commands):
        environment = os.environ | self.running.environment
        return subprocess.run(
            ["bash", "-c", self.running.commands + commands], env=environment, timeout=60,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    def test_programs_reach_a_stand_in_at_the_real_address(self):
        state = json.dumps({"keys": ["k"], "endpoints": {"app-version": {"content": {"minAppVersion": "1.0.0"}}}})
        output = self.shell(
            f"stand-in microcms '{state}'\n"
            "curl -sS -H 'X-MICROCMS-API-KEY: k' https://my-shop.microcms.io/api/v1/app-version")
        self.assertEqual(json.loads(output)["minAppVersion"], "1.0.0")
        output = self.shell("curl -sS 'https://itunes.apple.com/lookup?id=1&country=jp'")
        self.assertEqual(json.loads(output)["resultCount"], 0)

    def test_no_request_leaves_the_machine(self):
        for host in ["api.appstoreconnect.apple.com", "www.example.com"]:
            self.assertIn("502", self.shell(f"curl -sS https://{host}/"))

    def test_an_invalid_switch_is_reported(self):
        self.assertIn("error", self.shell("""stand-in microcms '{"endpoint": {}}'"""))

    def test_feed_check_trusts_the_stand_ins(self):
        authorities = self.running.environment["VERSIONGATE_FEED_CA"]
        self.assertEqual(
            self.shell(f"{self.running.gate} feed check rules.yaml"), f"feed check rules.yaml --feed-ca {authorities}\n")
        self.assertEqual(self.shell(f"{self.running.gate} check rules.yaml"), "check rules.yaml\n")


if __name__ == "__main__":
    unittest.main()
