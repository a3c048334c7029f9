"""Drives the page for operators in a headless Chromium, as a person would, and prints what is wrong.

Arguments: the address of the admin listener, the version to move the slider to, what the rules' list must say, and
optionally a folder for pictures and a file with axe-core.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

PATIENCE = 20_000  # Milliseconds that the page may take to show something.


class Browser:
    """Chromium by its debugging protocol over two pipes: JSON with a zero byte behind each message."""

    def __init__(self, profile):
        theirs_in, self.output = os.pipe()
        self.input, theirs_out = os.pipe()

        def prepare():
            # High numbers first, so that neither is overwritten before it is copied.
            os.dup2(theirs_in, 103)
            os.dup2(theirs_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        arguments = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        arguments += ["--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(
            arguments, preexec_fn=prepare, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def message(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.input, 1 << 16)
            if not piece:
                raise SystemExit("the browser has ended")
            self.buffer += piece
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def event(self, name, seen):
        """Waits for an event behind the first ones, of which so many were seen."""
        while not any(event.get("method") == name for event in self.events[seen:]):
            self.events.append(self.message())

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, condition):
        """Waits in the page, each time something in it changes, until a condition holds."""
        return self.evaluate(
            f"""new Promise((resolve) => {{
                const look = () => {{ if ({condition}) {{ watch.disconnect(); resolve(true); }} }};
                const watch = new MutationObserver(look);
                watch.observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }});
                setTimeout(() => resolve(Boolean({condition})), {PATIENCE});
                look();
            }})"""
        )

    def key(self, name, code=0):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))


problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def drive(browser, address, wanted, listed, pictures, axe):
    seen = len(browser.events)
    browser.ask("Page.navigate", url=f"{address}/")
    browser.event("Page.loadEventFired", seen)
    expect(browser.until("document.documentElement.dataset.shown === 'yes'"), "the page shows nothing")
    text = browser.evaluate("document.body.innerText")
    for words in (*listed.split("|"), "Judging by revision"):
        expect(words in text, f"the page does not say '{words}'")
    expect(browser.evaluate("document.querySelectorAll('#charts svg rect').length") > 0, "there is no chart")
    expect(browser.evaluate("document.querySelectorAll('#records tbody tr').length") > 0, "there are no changes")

    # With the keyboard alone: everything that can be used has its turn, and the slider moves.
    browser.evaluate("document.activeElement.blur()")
    reached = []
    for _ in range(60):
        browser.key("Tab", 9)
        reached.append(
            browser.evaluate("document.activeElement.id || document.activeElement.getAttribute('href') || ''")
        )
        if reached[-1] == "floor":
            break
    for name in ("#main", "#traffic", "#audit", "span", "rule", "floor"):
        expect(name in reached, f"the keyboard does not reach '{name}': {reached}")
    browser.key("Home", 36)
    for _ in range(1000):
        if browser.evaluate("document.getElementById('floor-text').value") == wanted:
            break
        browser.key("ArrowRight", 39)
    told = f"document.getElementById('cost').textContent.startsWith('With {wanted},')"
    expect(browser.until(told), f"the slider does not come to {wanted}")
    cost = browser.evaluate("document.getElementById('cost').textContent")
    rule = browser.evaluate("document.getElementById('rule').value")
    question = f"{address}/api/v1/impact?since=7d&rule={rule}&minimum={wanted}"
    with urllib.request.urlopen(urllib.request.Request(question, method="POST")) as answer:
        impact = json.load(answer)
    amount = impact["denied"]["amount"]
    expect(f"newly refuse {round(amount['requests']):,} requests" in cost, f"'{cost}', and impact says {amount}")
    line = browser.evaluate("document.getElementById('line').value")
    expect(line.strip() == f'minimum: "{wanted}"', f"to be pasted is '{line}'")

    if axe:
        browser.evaluate(axe.read_text("utf-8"))
        for scheme in ("light", "dark"):
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            found = browser.evaluate("axe.run().then((result) => result.violations)")
            for violation in found:
                nodes = [node["html"][:120] for node in violation["nodes"][:3]]
                problems.append(f"axe, {scheme}: {violation['impact']}: {violation['id']}: {nodes}")
    backs = []
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        backs.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        if pictures:
            browser.ask(
                "Emulation.setDeviceMetricsOverride", width=1100, height=800, deviceScaleFactor=1, mobile=False
            )
            browser.picture(pictures / f"admin-{scheme}.png")
    expect(backs[0] != backs[1], "dark looks like light")
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    expect(wide <= 390, f"on a phone the page is {wide} wide")
    if pictures:
        browser.picture(pictures / "admin-phone.png")

    for event in browser.events:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            problems.append(f"exception: {parameters['exceptionDetails']}")
        if method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            problems.append(f"console: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
        if method == "Runtime.consoleAPICalled" and parameters["type"] == "error":
            problems.append(f"console: {parameters['args']}")
        if method == "Network.requestWillBeSent":
            url = parameters["request"]["url"]
            expect(url.startswith(f"{address}/") or url == "about:blank", f"it asks elsewhere: {url}")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
    chromium = Browser(profile)
    try:
        pictures = Path(sys.argv[4]) if len(sys.argv) > 4 and sys.argv[4] else None
        axe = Path(sys.argv[5]) if len(sys.argv) > 5 else None
        drive(chromium, sys.argv[1], sys.argv[2], sys.argv[3], pictures, axe)
    finally:
        chromium.process.kill()
        chromium.process.wait()
print("\n".join(problems), end="")
sys.exit(1 if problems else 0)
