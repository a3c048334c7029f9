"""A person at the admin page: helpers for drive_page.py."""

import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

TURNS = 60
# axe-core does not decide the contrast of text in charts, and of text that a dialog covers in part.
LEGIBLE = """({ target }) => {
    const text = document.querySelector(target.at(-1));
    // A chart may have been drawn again in the meantime.
    if (!text) return true;
    const luminance = (color) => {
        const [red, green, blue] = color.match(/[\\d.]+/g).map((part) => part / 255)
            .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    };
    const backOf = (element) => {
        const color = getComputedStyle(element).backgroundColor;
        return color === 'rgba(0, 0, 0, 0)' ? backOf(element.parentElement ?? document.body) : color;
    };
    const style = getComputedStyle(text);
    const two = [text instanceof SVGElement ? style.fill : style.color, backOf(text)].map(luminance);
    return Math.max(...two) / Math.min(...two) >= 4.5;
}"""
# The findings of axe-core, including those that it does not decide, except for legible text.
AXE = """axe.run(%s).then(({ violations, incomplete, passes }) => {
    const isLegible = %s;
    // Behind a modal dialog, axe-core does not decide the order of headings.
    const isFine = { 'color-contrast': isLegible, 'heading-order': () => document.querySelector('dialog:modal') !== null };
    const undecided = incomplete.map((finding) => ({
        ...finding, nodes: finding.nodes.filter((node) => !isFine[finding.id]?.(node)),
    }));
    return { findings: [...violations, ...undecided], passes: passes.length };
})"""

problems = []


def expect(holds, words):
    if not holds:
        problems.append(words)


def text(name):
    return f"document.getElementById('{name}').textContent"


def value(name):
    return f"document.getElementById('{name}').value"


def json_of(request):
    """Returns the response of the admin API; a request that must wait for its turn (503) is sent again."""
    for _ in range(TURNS):
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(1)
    raise TimeoutError("the admin API is busy")


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

    def open(self, query=""):
        self.browser.go(f"{self.address}/{query}")
        expect(self.browser.until("document.documentElement.dataset.shown === 'yes'"), "the page shows nothing")
        expect(self.browser.until("document.documentElement.dataset.live === 'yes'"), "the page has no event stream")

    def check(self, what):
        """Records what axe-core finds in light mode, and in colors in dark mode; closed tables are opened first."""
        self.browser.evaluate("for (const item of document.querySelectorAll('details:not(#demo)')) item.open = true")
        for scheme, options in (("light", "{}"), ("dark", "{ runOnly: ['color-contrast'] }")):
            self.browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
            self.axe(f"{what}, {scheme}", options)
        self.browser.ask("Emulation.setEmulatedMedia", features=[])

    def axe(self, what, options):
        browser = self.browser
        if not browser.evaluate("Boolean(window.axe)"):
            browser.evaluate(axe_core())
        result = browser.evaluate(AXE % (options, LEGIBLE))
        expect(result["passes"] > 0, f"axe, {what}: no rule was checked")
        for finding in result["findings"]:
            nodes = [node["html"][:120] for node in finding["nodes"][:3]]
            if nodes:
                problems.append(f"axe, {what}: {finding['impact']}: {finding['id']}: {nodes}")

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
