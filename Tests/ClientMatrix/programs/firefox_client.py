"""fetch and WebSocket on a page in a headless Firefox, through its Marionette protocol."""

import json
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import adapter
from page_script import script, seen


class Marionette:
    """A connection with messages `LENGTH:JSON`; a command is `[0, ID, NAME, PARAMETERS]`."""

    def __init__(self):
        profile = Path(tempfile.mkdtemp(prefix="client-matrix-"))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        preferences = {"marionette.port": port, "network.proxy.type": 0, "app.update.enabled": False,
                       "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
                       "datareporting.policy.dataSubmissionEnabled": False, "browser.safebrowsing.update.enabled": False,
                       "services.settings.server": "data:,", "network.dns.disablePrefetch": True,
                       # Firefox's JSON viewer is a page with another origin.
                       "devtools.jsonview.enabled": False}
        lines = [f'user_pref("{name}", {json.dumps(value)});' for name, value in preferences.items()]
        (profile / "user.js").write_text("\n".join(lines) + "\n")
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 35
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 1)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self.socket.settimeout(30)
        self.stream = self.socket.makefile("rb")
        self.read()
        self.number = 0
        given = self.ask("WebDriver:NewSession", acceptInsecureCerts=True)
        self.version = given["capabilities"]["browserVersion"]
        self.ask("WebDriver:SetTimeouts", script=15000, pageLoad=15000)

    def read(self):
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def ask(self, name, **parameters):
        self.number += 1
        message = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%b" % (len(message), message))
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{name}: {error['error']}: {error['message']}")
        return result


FIREFOX = Marionette()


class Client:
    def __init__(self, case):
        FIREFOX.ask("WebDriver:Navigate", url=script.origin(case) + "/orders/blank")

    def ask(self, case):
        wrapped = f"(async () => {{ const done = arguments[arguments.length - 1]; done(await {script.text(case)}); }})()"
        result = FIREFOX.ask("WebDriver:ExecuteAsyncScript", script=wrapped, args=[], newSandbox=True, sandbox=None)
        return seen(result["value"], case)


if __name__ == "__main__":
    adapter.serve(f"Firefox {FIREFOX.version}", Client)
