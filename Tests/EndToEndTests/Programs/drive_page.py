"""Operates the admin page in a headless Chromium as a person would, and prints the problems."""

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from browser import Browser

problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def text(name):
    return f"document.getElementById('{name}').textContent"


def value(name):
    return f"document.getElementById('{name}').value"


def answer_of(gate, version):
    """Returns the status and the header fields of the gate's response to a client with a version."""
    fields = {"X-App-Platform": "ios", "X-App-Version": version}
    try:
        with urllib.request.urlopen(urllib.request.Request(gate, headers=fields)) as answer:
            return answer.status, answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.headers


def axe_core():
    """Returns the script of axe-core, which dev/install-python.sh installs."""
    package = importlib.util.find_spec("axe_core_python")
    if package is None:
        raise SystemExit(f"{sys.executable} has no axe-core-python: run dev/install-python.sh")
    return Path(package.origin).with_name("axe.min.js").read_text("utf-8")


class Operator:
    """A person at a gate's admin page who can also edit its rules file."""

    def __init__(self, browser, given):
        self.browser, self.address, self.gate = browser, given.address, given.gate
        self.rules, self.program, self.state = given.rules, given.versiongate, given.state

    def status_of(self, version):
        return answer_of(self.gate, version)[0]

    def open(self):
        self.browser.go(f"{self.address}/")
        expect(self.browser.until("document.documentElement.dataset.shown === 'yes'"), "the page shows nothing")
        expect(self.browser.until("document.documentElement.dataset.live === 'yes'"), "the page has no event stream")

    def check(self, what):
        """Records the violations that axe-core finds in light mode, and the color contrast violations in dark mode."""
        browser = self.browser
        if not browser.evaluate("Boolean(window.axe)"):
            browser.evaluate(axe_core())
        for scheme, options in (("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")):
            browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            result = browser.evaluate(
                f"axe.run({options}).then(({{ violations, passes }}) => ({{ violations, passes: passes.length }}))"
            )
            expect(result["passes"] > 0, f"axe, {what}, {scheme}: no rule was checked")
            for violation in result["violations"]:
                nodes = [node["html"][:120] for node in violation["nodes"][:3]]
                problems.append(f"axe, {what}, {scheme}: {violation['impact']}: {violation['id']}: {nodes}")
        browser.ask("Emulation.setEmulatedMedia", features=[])

    def move_to(self, wanted):
        """Moves the focused slider with the keyboard, and returns the resulting text of the page."""
        browser = self.browser
        browser.key("Home", 36)
        for _ in range(1000):
            if browser.evaluate(value("floor-text")) == wanted:
                break
            browser.key("ArrowRight", 39)
        told = f"{text('cost')}.startsWith('Based on the last 7 days, a minimum of {wanted} ')"
        expect(browser.until(told), f"the slider does not reach {wanted}")
        return browser.evaluate(text("cost"))

    def paste(self, old, new):
        """Replaces a text in the rules file, and returns the previous content."""
        before = self.rules.read_text("utf-8")
        expect(before.count(old) == 1, f"'{old}' is not in the rules file exactly once")
        self.write(before.replace(old, new))
        return before

    def write(self, content):
        next_file = self.rules.with_suffix(".new")
        next_file.write_text(content, "utf-8")
        next_file.rename(self.rules)

    def impact(self, old, new, *more):
        """Returns the report of `versiongate impact` for the rules file with one text replaced."""
        with tempfile.TemporaryDirectory() as folder:
            files = []
            before = self.rules.read_text("utf-8")
            for name, content in (("old.yaml", before), ("new.yaml", before.replace(old, new, 1))):
                files.append(Path(folder, name))
                files[-1].write_text(content, "utf-8")
            command = [self.program, "impact", "--current", files[0], "--rules", files[1], "--state", self.state]
            return json.loads(subprocess.run([*command, "--json", *more], stdout=subprocess.PIPE, check=True).stdout)

    def expect_cost(self, cost, impact):
        """Expects the page to state the same cost of a floor as the command."""
        amount, total = impact["denied"]["amount"], impact["total"]
        expect(amount["requests"] > 0, f"no request would be denied: {impact}")
        for kind in ("requests", "devices"):
            share = 100 * amount[kind] / total[kind]
            words = f"{round(amount[kind]):,} {kind} ({share:.1f}%)"
            expect(words in cost, f"'{cost}' differs from impact: {words}")


def raise_floor(operator):
    """Pastes the line that the page shows for 3.0 into the rules file, and checks the result."""
    browser = operator.browser
    cost = operator.move_to("3.0")
    line = browser.evaluate(value("line"))
    expect(line.strip() == 'minimum: "3.0"', f"the line to paste is '{line}'")
    operator.expect_cost(cost, operator.impact('    minimum: "2.0"', line))
    expect(operator.status_of("2.0") == 200, "2.0 is denied before the floor is raised")
    operator.paste('    minimum: "2.0"', line)
    records = "document.querySelectorAll('#records tbody tr').length"
    expect(browser.until(f"{records} === 2"), "the page does not show the changed file without a reload")
    expect(browser.until(f"{text('rule-list')}.includes('minimum 3.0')"), "the list of rules does not change")
    expect(operator.status_of("2.0") == 426, "the floor from the page has no effect")
    expect(browser.until(f"{text('live')}.includes(': 6 denied')"), "the page does not show the denial without a reload")


def undo(operator):
    """Opens the same undo as two people. The first one uses only the keyboard, and confirms it."""
    browser = operator.browser
    first = browser.session
    is_button = "Boolean(document.activeElement?.dataset.revision)"
    second = browser.window()
    browser.go(f"{operator.address}/")
    expect(browser.until("Boolean(document.querySelector('#records button'))"), "there is no change to undo")
    browser.evaluate("document.querySelector('#records button').click()")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "the second person sees no confirmation")
    told = browser.evaluate(text("undo-what"))
    expect(browser.until(f"{text('undo-predicted')}.startsWith('Based on the last 24 hours')"), "there is no prediction")
    predicted = browser.evaluate(text("undo-predicted"))
    target = browser.evaluate("document.querySelector('#records button').dataset.revision")
    question = urllib.request.Request(f"{operator.address}/api/v1/impact?since=24h&undo={target}", method="POST")
    with urllib.request.urlopen(question) as answer:
        passed = json.load(answer)["passed"]["amount"]
    for kind in ("requests", "devices"):
        words = f"{round(passed[kind]):,} {kind}"
        expect(passed[kind] >= 20 and words in predicted, f"'{predicted}' differs from impact: {words}")
    operator.check("the undo")
    browser.session = first
    # The first person gets no prediction, because the undo must work without one.
    browser.evaluate(
        "(() => { const ask = window.fetch; window.fetch = (path, ...more) =>"
        " String(path).includes('/impact') ? new Promise(() => {}) : ask(path, ...more); })()"
    )
    expect(browser.tab_to(is_button), "the keyboard does not reach the undo")
    browser.key("Enter", 13, "\r")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "Enter does not open the undo")
    for words in ('minimum: "3.0" -> "2.0"', "The rules files are not changed"):
        expect(words in told and words in browser.evaluate(text("undo-what")), f"the undo does not contain '{words}'")
    expect(operator.status_of("2.0") == 426, "the undo takes effect before it is confirmed")
    browser.key("Enter", 13, "\r")
    expect(browser.until("!document.getElementById('undo').open"), "the undo does not complete")
    expect(operator.status_of("2.0") == 200, "the undo has no effect")
    expect(browser.until(f"{text('state')}.includes('by an undo')"), "the first person does not see the undo")
    browser.session = second
    expect(browser.until(f"{text('undo-told')}.endsWith('are active.')"), "the second person does not see the new revision")
    expect(browser.evaluate(text("undo-told")).startswith("The rules have changed"), "the second person does not see the change by others")
    expect(browser.until("document.getElementById('undo-confirm').disabled"), "the second person can repeat the undo")
    expect(browser.until(f"{text('state')}.includes('by an undo')"), "the second person does not see the undo")
    expect(browser.evaluate(text("undo-predicted")) == "", "the prediction of another undo is still shown")
    operator.check("an undo by others")
    browser.key("Escape", 27)
    expect(browser.until("!document.getElementById('undo').open"), "Escape does not close the undo")
    rows = "[...document.querySelectorAll('#records tbody tr')].map((row) => row.textContent)"
    expect(browser.until(f"{rows}[0].includes('undo')"), "the list of changes lacks the undo")


def plan(operator, original):
    """Pastes the block that the page shows for 3.1 into the rules file, and checks the result."""
    browser = operator.browser
    expect(browser.tab_to("document.activeElement.id === 'floor'"), "the keyboard does not reach the slider")
    operator.move_to("2.0")
    expect(browser.evaluate("document.getElementById('plan').hidden"), "the active floor is offered as a plan")
    cost = operator.move_to("3.1")
    expect(not browser.evaluate("document.getElementById('plan').hidden"), "no plan is offered for 3.1")
    block = browser.evaluate(value("block"))
    expect(block.splitlines()[0] == "    next:", f"the block to paste is '{block}'")
    link = "    storeUrl: https://apps.apple.com/app/id1234567890\n  - id: counted"
    planned = link.replace("\n", f"\n{block}\n")
    operator.write(original)
    expect(browser.until(f"!{text('state')}.includes('by an undo')"), "a changed file does not end the undo")
    day = block.rsplit("enforceFrom: ")[1]
    operator.expect_cost(cost, operator.impact(link, planned, "--at", day))
    status, fields = answer_of(operator.gate, "3.0")
    expect(status == 200 and "Sunset" not in fields, f"3.0 gets a Sunset before there is a plan: {status} {fields}")
    operator.paste(link, planned)
    dates = "document.querySelector('#timeline tbody')?.textContent"
    expect(browser.until(f"{dates}?.includes('{day[:10]}')"), "the timeline lacks the date of the plan")
    expect(browser.until(f"{text('rule-list')}.includes('minimum 2.0; 1 scheduled')"), "the list of rules lacks the plan")
    status, fields = answer_of(operator.gate, "3.0")
    expect(status == 200 and "Sunset" in fields, f"3.0 gets no Sunset: {status} {fields}")
    expect(browser.until(f"{text('live')}.includes(' 1 with a recommendation')"), "the page does not show the warning without a reload")
    # A second plan for the same rule belongs under the same `next:`.
    expect(browser.until(f"{value('block')}.startsWith('      - minimum:')"), "a second 'next:' is offered")


def drive(operator, listed, pictures):
    browser = operator.browser
    original = operator.rules.read_text("utf-8")
    operator.open()
    shown = browser.evaluate("document.body.innerText")
    for words in (*listed.split("|"), "Rules revision"):
        expect(words in shown, f"the page does not contain '{words}'")
    expect(browser.until("document.querySelectorAll('#charts svg rect').length > 0"), "there is no chart")
    expect(browser.evaluate("document.querySelectorAll('#records tbody tr').length") > 0, "there are no changes")

    # With the keyboard alone, every control must get the focus, and the slider must move.
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

    raise_floor(operator)
    undo(operator)
    plan(operator, original)
    browser.evaluate("for (const item of document.querySelectorAll('details')) item.open = true")
    operator.check("the page")
    backs = []
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        backs.append(browser.evaluate("getComputedStyle(document.body).backgroundColor"))
        if pictures:
            browser.ask(
                "Emulation.setDeviceMetricsOverride", width=1100, height=800, deviceScaleFactor=1, mobile=False
            )
            browser.picture(pictures / f"admin-{scheme}.png")
    expect(backs[0] != backs[1], "dark mode has the background of light mode")
    browser.ask("Emulation.setDeviceMetricsOverride", width=390, height=844, deviceScaleFactor=1, mobile=True)
    wide = browser.evaluate("document.documentElement.scrollWidth")
    expect(wide <= 390, f"on a phone the page is {wide} pixels wide")
    if pictures:
        browser.picture(pictures / "admin-phone.png")
    operator.check("a phone")


def look(operator, listed):
    """Opens the page, and checks that it contains the expected texts."""
    operator.open()
    for words in listed.split("|"):
        expect(operator.browser.until(f"document.body.innerText.includes('{words}')"), f"the page does not contain '{words}'")
    operator.check("the page")


def put_back(operator):
    """Undoes the last change with the browser's credentials."""
    browser = operator.browser
    browser.evaluate("document.querySelector('#records button').click()")
    expect(browser.until("document.activeElement?.id === 'undo-confirm'"), "there is no undo to confirm")
    browser.evaluate("document.activeElement.click()")
    expect(browser.until("!document.getElementById('undo').open"), "the undo does not complete")
    expect(browser.evaluate("document.getElementById('undo-secret').hidden"), "the token is requested again")
    expect(browser.until(f"{text('state')}.includes('by an undo')"), "the page does not show that the rules are an undo")


def foresee(operator, words):
    """Opens an undo of the last change, and checks its prediction."""
    browser = operator.browser
    browser.evaluate("document.querySelector('#records button').click()")
    told = browser.until(f"{text('undo-predicted')}.includes('{words}')")
    expect(told, f"'{browser.evaluate(text('undo-predicted'))}' does not contain '{words}'")
    browser.key("Escape", 27)


def review(browser, address):
    """Records the browser's errors, and requests to other servers."""
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
            expect(url.startswith(f"{address}/") or url == "about:blank", f"request to another server: {url}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="the URL of the admin listener")
    parser.add_argument("listed", help="the texts that the page must contain, separated by |")
    parser.add_argument("--rules", type=Path, help="the rules file; without it, the page is only checked")
    parser.add_argument("--gate", help="the URL for clients")
    parser.add_argument("--versiongate", help="the executable")
    parser.add_argument("--state", help="the state folder")
    parser.add_argument("--token", help="the password for the browser; with it, the last change is undone")
    parser.add_argument("--predicted", help="the text that the undo of the last change must contain")
    parser.add_argument("--pictures", type=Path, help="the folder for screenshots")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            operator = Operator(browser, given)
            if given.token:
                browser.sign_in(given.token)
            if given.rules:
                drive(operator, given.listed, given.pictures)
            else:
                look(operator, given.listed)
            if given.predicted:
                foresee(operator, given.predicted)
            if given.token:
                put_back(operator)
            review(browser, given.address)
        finally:
            browser.process.kill()
            browser.process.wait()
    print("\n".join(problems), end="")
    sys.exit(1 if problems else 0)


main()
