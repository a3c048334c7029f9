import importlib.util
import re
import socket
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
SPEC = importlib.util.spec_from_file_location("try_pages", ROOT / "dev" / "try-pages.py")
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)


class Missing(unittest.TestCase):
    def test_the_lines_of_a_block_are_printed_in_order(self):
        for expected, output, line in [
            ("a\nb\n", "a\nb\n", None),
            ("a\nb\n", "a\nlog\nb\n", None),
            ("a\nb\n", "b\na\n", "b"),
            ("a…c\n", "abc\n", None),
            ("a…c\n", "ac\n", None),
            ("a\n", "ab\n", "a"),
            ("a.c\n", "abc\n", "a.c"),
            ("…\nb\n", "a\nb\n", None),
            ("a\n", "", "a"),
            ("a\nb\n", "a2026-11-28T16:11:14+0000 info versiongate: x\nb\n", None),
        ]:
            with self.subTest(expected=expected, output=output):
                self.assertEqual(pages.missing(expected, output), line)


class Ports(unittest.TestCase):
    def test_a_reserved_port_is_the_gates_and_nobody_elses(self):
        with pages.reserved_ports(4) as ports:
            self.assertEqual(len(set(ports)), 4)
            for port in ports:
                with socket.socket() as other, self.assertRaises(OSError):
                    other.bind(("127.0.0.1", int(port)))
                # Nothing listens before the gate does.
                with socket.socket() as client, self.assertRaises(ConnectionRefusedError):
                    client.connect(("127.0.0.1", int(port)))
                with socket.socket() as gate:
                    gate.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                    gate.bind(("0.0.0.0", int(port)))
                    gate.listen()


class Shells(unittest.TestCase):
    def test_the_end_waits_for_jobs_that_are_ending(self):
        with tempfile.TemporaryDirectory() as folder:
            shell = pages.Shell(Path(folder), Path("/usr/bin/true"), ["1"])
            shell.run("(trap 'sleep 0.5; touch late; exit' TERM; while :; do sleep 0.1; done) &\nsleep 0.3\n")
            shell.end()
            self.assertEqual([path.name for path in Path(folder).iterdir()], ["late"])

    def test_a_server_that_does_not_come_up_is_named(self):
        with tempfile.TemporaryDirectory() as folder, pages.reserved_ports(4) as ports:
            shell = pages.Shell(Path(folder), Path("/usr/bin/true"), ports)
            seconds, pages.START_SECONDS = pages.START_SECONDS, 0.1
            try:
                output = shell.run("true serve --listen 127.0.0.1:8080 &\n")
            finally:
                pages.START_SECONDS = seconds
                shell.end()
        self.assertIn("nothing listens on 8080 after", output)


class Follow(unittest.TestCase):
    def test_a_page_that_takes_too_long_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text("# A\n```sh\nsleep 60\n```\n", encoding="utf-8")
            seconds, pages.SECONDS = pages.SECONDS, 1
            try:
                with self.assertRaisesRegex(pages.PageError, "longer than 1 seconds"):
                    pages.follow(page, Path("/usr/bin/true"))
            finally:
                pages.SECONDS = seconds


class Blocks(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(text, encoding="utf-8")
            return pages.blocks(page)

    def test_files_commands_and_what_is_not_run_are_told_apart(self):
        read = self.read(
            "# A\n```yaml rules.yaml\nrules: []\n```\n<!-- not run: no root -->\n```sh\napt\n```\n"
            "```sh\nls\n```\n```text\nrules.yaml\n```\n"
        )
        self.assertEqual(
            [(one.language, one.name, one.is_run, one.line) for one in read],
            [
                ("yaml", "rules.yaml", True, 2), ("sh", None, False, 5), ("sh", None, True, 9),
                ("text", None, True, 12),
            ],
        )

    def test_a_block_that_nobody_would_run_is_an_error(self):
        with self.assertRaises(pages.PageError):
            self.read("```\nls\n```\n")

    def test_ports_are_replaced_and_other_numbers_are_not(self):
        names = {"8080": "1", "9901": "2"}
        text = "127.0.0.1:8080 --admin 9901 18080 8080.5 1.8080 x8080"
        self.assertEqual(
            pages.replaced(text, names), "127.0.0.1:1 --admin 2 18080 1.5 1.8080 x8080"
        )


class Troubleshooting(unittest.TestCase):
    """The messages on the page are the program's."""

    def test_each_message_is_in_the_source(self):
        page = (ROOT / "docs/guides/troubleshooting.md").read_text(encoding="utf-8")
        source = "\n".join(
            path.read_text(encoding="utf-8") for path in sorted((ROOT / "Sources").rglob("*.swift"))
        )
        # A string that continues on the next line of the source is one text.
        source = re.sub(r'"\s*\+\s*"', "", source)
        tables = re.split("^## ", page, flags=re.MULTILINE)
        messages = [
            message
            for table in tables if table.startswith(("At startup", "In the log"))
            for message in re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)
        ]
        self.assertGreater(len(messages), 9)
        for message in messages:
            for piece in (piece.strip(" ,") for piece in message.split("…")):
                with self.subTest(message=message):
                    self.assertIn(piece, source)


if __name__ == "__main__":
    unittest.main()
