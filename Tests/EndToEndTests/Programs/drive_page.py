"""Drives the page for operators in a headless Chromium, as a person would, and prints what is wrong.

Arguments: the address of the admin listener, the version to move the slider to, what the rules' list must say, the rules
file, the address of the gate, and optionally a folder for pictures and a file with axe-core.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import urllib.error
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
        self.session = self.window()

    def window(self):
        """Another window, as of another person."""
        self.session = None
        target = self.ask("Target.createTarget", url="about:blank", newWindow=True)["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")
        return self.session

    def go(self, address):
        seen = len(self.events)
        self.ask("Page.navigate", url=address)
        self.event("Page.loadEventFired", seen)

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

    def key(self, name, code=0, text=None):
        more = {"text": text} if text else {}
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=name, code=name, windowsVirtualKeyCode=code, **more)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=name, code=name, windowsVirtualKeyCode=code)

    def tab_to(self, condition):
        """Moves the focus by the keyboard alone, until the element that has it is the one that is meant."""
        for _ in range(100):
            if self.evaluate(condition):
                return True
            self.key("Tab", 9)
        return False

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", captureBeyondViewport=True)["data"]
        path.write_bytes(base64.b64decode(data))


problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def text(name):
    return f"document.getElementById('{name}').textContent"


def status_of(gate, version):
    """What a client of a version gets at the gate."""
    fields = {"X-App-Platform": "ios", "X-App-Version": version}
    try:
        with urllib.request.urlopen(urllib.request.Request(gate, headers=fields)) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code


def raise_floor(browser, rules, gate, old, line):
    """Pastes the line into the rules file, in place of the one that is there, and waits for the page to show it."""
    before = rules.read_text("utf-8")
    expect(status_of(gate, "2.0") == 200, "2.0 is refused before the floor is raised")
    next_file = rules.with_suffix(".new")
    next_file.write_text(before.replace(f'    minimum: "{old}"', line.rstrip("\n"), 1), "utf-8")
    next_file.rename(rules)
    records = "document.querySelectorAll('#records tbody tr').length"
    expect(browser.until(f"{records} === 2"), "the page does not show the change of the file by itself")
    expect(browser.until(f"{text('rule-list')}.includes('minimum 3.0;')"), "the rules' list stays as it was")
    expect(status_of(gate, "2.0") == 426, "the floor that the page gave does not hold")
    expect(browser.until(f"{text('live')}.includes(': 6 refused')"), "the page does not tell the refusal by itself")


def undo(browser, address, gate, axe):
    """Two people look at the same undo, one of them by the keyboard alone, and that one confirms it."""
    first = browser.session
    is_button = "Boolean(document.activeElement?.dataset.revision)"
    second = browser.window()
    browser.go(f"{address}/")
    expect(browser.until("Boolean(document.querySelector('#records button'))"), "there is nothing to put back")
    browser.evaluate("document.querySelector('#records button').click()")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "the second person is not asked")
    told = browser.evaluate(text("undo-what"))
    browser.session = first
    expect(browser.tab_to(is_button), "the keyboard does not reach the undo")
    browser.key("Enter", 13, "\r")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "Enter does not open the undo")
    for words in ('minimum: "3.0" -> "2.0"', "The rules files are not written"):
        expect(words in told and words in browser.evaluate(text("undo-what")), f"the undo does not say '{words}'")
    check(browser, axe, "the undo")
    expect(status_of(gate, "2.0") == 426, "the undo holds before it is confirmed")
    browser.key("Enter", 13, "\r")
    expect(browser.until("!document.getElementById('undo').open"), "the undo does not come to its end")
    expect(status_of(gate, "2.0") == 200, "the undo does not hold")
    expect(browser.until(f"{text('state')}.includes('by an undo')"), "the first person does not see that it is an undo")
    browser.session = second
    expect(browser.until(f"{text('undo-told')}.startsWith('Others have changed')"), "the second person is not told")
    expect(browser.until("document.getElementById('undo-confirm').disabled"), "the second person can undo the same again")
    expect(browser.until(f"{text('state')}.includes('by an undo')"), "the second person does not see the undo")
    browser.key("Escape", 27)
    expect(browser.until("!document.getElementById('undo').open"), "Escape does not close the undo")
    rows = "[...document.querySelectorAll('#records tbody tr')].map((row) => row.textContent)"
    expect(browser.until(f"{rows}[0].includes('undo')"), "the undo is not among the changes")
    browser.session = first


def check(browser, axe, what):
    """What axe-core finds, in the light and in the dark."""
    if not axe:
        return
    browser.evaluate(axe.read_text("utf-8"))
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        for violation in browser.evaluate("axe.run().then((result) => result.violations)"):
            nodes = [node["html"][:120] for node in violation["nodes"][:3]]
            problems.append(f"axe, {what}, {scheme}: {violation['impact']}: {violation['id']}: {nodes}")
    browser.ask("Emulation.setEmulatedMedia", features=[])


def drive(browser, address, wanted, listed, rules, gate, pictures, axe):
    browser.go(f"{address}/")
    expect(browser.until("document.documentElement.dataset.shown === 'yes'"), "the page shows nothing")
    expect(browser.until("document.documentElement.dataset.live === 'yes'"), "the page does not listen")
    shown = browser.evaluate("document.body.innerText")
    for words in (*listed.split("|"), "Judging by revision"):
        expect(words in shown, f"the page does not say '{words}'")
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

    raise_floor(browser, rules, gate, "2.0", line)
    undo(browser, address, gate, axe)
    check(browser, axe, "the page")
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
        pictures = Path(sys.argv[6]) if len(sys.argv) > 6 and sys.argv[6] else None
        axe = Path(sys.argv[7]) if len(sys.argv) > 7 else None
        drive(chromium, *sys.argv[1:4], Path(sys.argv[4]), sys.argv[5], pictures, axe)
    finally:
        chromium.process.kill()
        chromium.process.wait()
print("\n".join(problems), end="")
sys.exit(1 if problems else 0)
