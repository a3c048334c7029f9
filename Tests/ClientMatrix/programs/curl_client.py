"""The curl command line tool, as a script uses it."""

import json
import subprocess
import tempfile
from pathlib import Path

import adapter


class Client:
    def __init__(self, case):
        self.version, self.ca, self.timeout = "--http2" if case["http"] == "2" else "--http1.1", case["ca"], case["timeout"]
        self.following = case.get("next")

    def options(self, case, folder, name):
        options = [self.version, "--silent", "--show-error", "--cacert", self.ca, "--max-time", str(self.timeout),
                   "--dump-header", f"{folder}/{name}.head", "--output", f"{folder}/{name}.body", "--no-buffer",
                   "--write-out", "%{json}\\n"]
        for field, value in case["fields"].items():
            options += ["--header", f"{field}: {value}"]
        upload = case.get("upload")
        if upload:
            Path(folder, "upload").write_bytes(adapter.content(upload))
            options += ["--data-binary", f"@{folder}/upload"]
            options += ["--header", "Expect: 100-continue" if upload["expect"] else "Expect:"]
            if upload["chunked"]:
                options += ["--header", "Transfer-Encoding: chunked"]
        elif case["method"] == "HEAD":
            options.append("--head")
        return [*options, case["url"]]

    def ask(self, case):
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        if not self.following and "next_answer" in self.__dict__:
            return self.next_answer
        with tempfile.TemporaryDirectory() as folder:
            command = ["curl", *self.options(case, folder, "first")]
            if self.following:
                # One process, so that the second request can reuse the connection of the first.
                command += ["--next", *self.options(self.following, folder, "next")]
            if case["kind"] == "events":
                return self.events(command, folder)
            done = subprocess.run(command, capture_output=True, text=True)
            lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
            if self.following:
                self.next_answer, self.following = self.seen(lines[1], folder, "next", done), None
            return self.seen(lines[0], folder, "first", done)

    def seen(self, told, folder, name, done):
        more = {}
        if told["exitcode"]:
            more = {"error": f"exit {told['exitcode']}", "message": told["errormsg"] or done.stderr.strip()}
        if not told["response_code"]:
            return more
        lines = Path(folder, f"{name}.head").read_text("latin-1").splitlines()
        fields = [line.split(": ", 1) for line in lines if ": " in line]
        body = Path(folder, f"{name}.body")
        return adapter.answer(told["response_code"], fields, body.read_bytes() if body.exists() else b"", **more)

    def events(self, command, folder):
        unwanted = ("--output", f"{folder}/first.body", "--write-out", "%{json}\\n")
        command = [part for part in command if part not in unwanted]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
            try:
                event = adapter.first_event(running.stdout)
            finally:
                running.terminate()
        return adapter.answer(200, [], event)


if __name__ == "__main__":
    words = subprocess.run(["curl", "--version"], capture_output=True, text=True).stdout.split()
    nghttp2 = next(word for word in words if word.startswith("nghttp2")).replace("/", " ")
    adapter.serve(f"curl {words[1]}, {nghttp2}", Client)
