"""wget, as a script uses it."""

import re
import subprocess
import tempfile
from pathlib import Path

import adapter


class Client:
    def __init__(self, case):
        if case["http"] == "2":
            raise adapter.Unsupported("HTTP/1.1 only")
        self.ca = case["ca"]

    def ask(self, case):
        upload = case["upload"]
        if case["kind"] == "websocket":
            raise adapter.Unsupported("no WebSocket")
        if case.get("next"):
            raise adapter.Unsupported("a program for each request")
        if upload and (upload["chunked"] or upload["expect"]):
            raise adapter.Unsupported("no body without a length, and no Expect")
        with tempfile.TemporaryDirectory() as folder:
            command = ["wget", "--no-config", "--no-proxy", "--ca-certificate", self.ca, "--timeout", str(case["timeout"]),
                       "--server-response", "--content-on-error", "--output-document", "-"]
            command += [f"--header={name}: {value}" for name, value in case["fields"].items()]
            if upload:
                Path(folder, "upload").write_bytes(adapter.content(upload))
                command.append(f"--post-file={folder}/upload")
            elif case["method"] == "HEAD":
                command += ["--method=HEAD"]
            command.append(case["url"])
            if case["kind"] == "events":
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as running:
                    try:
                        return adapter.answer(200, [], adapter.first_event(running.stdout))
                    finally:
                        running.terminate()
            try:
                done = subprocess.run(command, capture_output=True, timeout=case["timeout"])
            except subprocess.TimeoutExpired:
                return {"error": "still trying", "message": "wget retries 20 times by default, regardless of its timeout"}
        lines = done.stderr.decode("latin-1").splitlines()
        statuses = [int(found[1]) for line in lines if (found := re.match(r"\s+HTTP/\S+ (\d{3})", line))]
        fields = [line.strip().split(": ", 1) for line in lines if line.startswith("  ") and ": " in line]
        said = [line for line in lines if line and not line.startswith(" ")]
        if not statuses:
            return {"error": f"exit {done.returncode}", "message": " ".join(said[-3:])[:300]}
        return adapter.answer(statuses[-1], fields, done.stdout)


if __name__ == "__main__":
    version = subprocess.run(["wget", "--version"], capture_output=True, text=True).stdout.split()
    adapter.serve(f"wget {version[2]}", Client)
