import re
import sys
import unittest

from support import FOLDER

sys.path.insert(0, str(FOLDER))

from feeds import PROTOCOLS  # noqa: E402
from feeds.faults import KINDS  # noqa: E402

README = (FOLDER / "README.md").read_text()


class ReadmeTests(unittest.TestCase):
    def test_every_switch_and_action_is_in_the_section_of_its_server(self):
        for name, protocol in PROTOCOLS.items():
            section = README.split(f"## `{name}`")[1].split("\n## ")[0]
            if "oauth" in protocol.defaults:
                section += README.split("## Service accounts")[1].split("\n## ")[0]
            words = set(re.findall(r"[\w-]+", section))
            for switch in [*paths(protocol.defaults), *protocol.actions]:
                self.assertIn(switch.split(".")[-1], words, f"{name}: {switch}")
            for switch, choices in protocol.choices.items():
                for choice in choices:
                    self.assertIn(f"`{choice}`".lower(), section.lower(), f"{name}: {switch}")

    def test_every_fault_and_parameter_is_in_the_readme(self):
        section = README.split("## Faults")[1].split("\n## ")[0]
        for kind, parameters in KINDS.items():
            for word in [kind, *parameters]:
                self.assertIn(f"`{word}", section, kind)


def paths(defaults, where=""):
    for name, value in defaults.items():
        yield where + name
        if isinstance(value, dict):
            yield from paths(value, f"{where}{name}.")


if __name__ == "__main__":
    unittest.main()
