#!/usr/bin/env python3
"""Takes the screenshots of the page of the admin listener (docs/images/admin-*.png) in Debian's chromium.

The gate runs with the demo's history and traffic, the shipped rules with a planned floor and a feed that fails, and a
floor that was just raised.
"""

import argparse
import base64
import contextlib
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Tests/EndToEndTests/Programs"))
from browser import Browser  # noqa: E402

FEED = "feeds:\n  - { id: shared, source: https, url: http://127.0.0.1:9/shop.yaml, every: 60s }\n\nrules:\n"
PLAN = '    next:\n      - { minimum: "4.0.0", warnFrom: 2099-01-01T00:00:00Z, enforceFrom: 2099-02-01T00:00:00Z }\n'
SECONDS = 60
# The views: the section, and what a person does there before the picture.
VIEWS = {
    "overview": "",
    "traffic": """(() => {
        const plot = document.querySelector('#traffic-chart .plot');
        const box = plot.getBoundingClientRect();
        const place = { clientX: box.left + box.width * 0.8, clientY: box.top + 60, pointerType: 'mouse', bubbles: true };
        plot.dispatchEvent(new PointerEvent('pointermove', place));
    })()""",
    "adoption": "",
    "what-if": """(() => {
        const floor = document.getElementById('floor');
        const move = () => floor.dispatchEvent(new Event('input'));
        for (floor.value = 0, move(); document.getElementById('floor-text').value !== '4.0.1'; floor.stepUp(), move());
    })()""",
    "changes": "",
}
SECTIONS = {"changes": "audit"}
VARIANTS = {
    "": ("en", "light", 1280), "-dark": ("en", "dark", 1280), "-ja": ("ja", "light", 1280), "-ko": ("ko", "light", 1280),
    "-phone": ("en", "light", 390),
}


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def until(condition, what):
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            if condition():
                return
        time.sleep(0.2)
    raise SystemExit(f"{what}: not within {SECONDS} seconds")


def read(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read().decode()


@contextlib.contextmanager
def running(gate, folder):
    """Runs the demo, and returns the address of its admin listener."""
    listen, backend, admin = (f"127.0.0.1:{port}" for port in free_ports(3))
    rules = folder / "rules/rules.yaml"
    rules.parent.mkdir()
    text = (ROOT / "rules/rules.yaml").read_text("utf-8")
    rules.write_text(text, "utf-8")
    subprocess.run([gate, "demo-history", "--state-dir", "state"], cwd=folder, check=True)
    text = text.replace("rules:\n", FEED, 1).replace('    recommended: "4.2.0"\n', f'    recommended: "4.2.0"\n{plan()}', 1)
    rules.write_text(text, "utf-8")
    commands = [
        ["demo-backend", "--listen", backend],
        ["serve", "--listen", listen, "--upstream", f"http://{backend}", "--admin-listen", admin, "--census-interval", "2",
         "--rules", "rules/rules.yaml", "--state-dir", "state"],
        ["demo-traffic", "--gate", listen],
    ]
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(open(folder / "log", "w"))
        for command in commands:
            process = subprocess.Popen([gate, *command], cwd=folder, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        address = f"http://{admin}"
        until(lambda: '"failing"' in read(f"{address}/feeds"), "the feed does not fail")
        rules.write_text(text.replace('minimum: "3.5.0"', 'minimum: "3.8.0"', 1), "utf-8")
        until(lambda: '"3.8.0' in read(f"{address}/api/v1/audit?limit=1").replace("\\", ""), "the floor is not raised")
        yield address


def plan():
    """Returns the planned floor, with dates of the coming weeks."""
    days = iter((5, 19))
    return re.sub(r"20\d\d-\d\d-\d\d", lambda _: time.strftime("%Y-%m-%d", time.gmtime(time.time() + next(days) * 86_400)), PLAN)


def take(browser, address, folder, suffix):
    language, scheme, width = VARIANTS[suffix]
    height = 800 if width > 500 else 844
    browser.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)
    browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.go(f"{address}/?lang={language}")
    browser.evaluate("localStorage.setItem('versiongate-tour', 'seen')")
    browser.go(f"{address}/?lang={language}")
    for place in ("#traffic-chart svg rect", "#candidates .effect", "#adoption-charts .advice li"):
        if not browser.until(f"Boolean(document.querySelector('{place}'))"):
            raise SystemExit(f"the page has no {place}")
    # The rate of requests is known after the second event.
    browser.until("document.getElementById('rate').textContent !== '–'")
    for view, act in VIEWS.items():
        browser.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        cost = browser.evaluate("document.getElementById('cost').textContent")
        # On a phone, the tooltip would cover the chart.
        browser.evaluate(act if act and (width > 500 or view != "traffic") else "0")
        if view == "what-if":
            browser.until(f"document.getElementById('cost').textContent !== {cost!r}")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        if view != "overview":
            box = f"document.getElementById('{SECTIONS.get(view, view)}').getBoundingClientRect()"
            top, size = browser.evaluate(f"[{box}.top + scrollY, {box}.height]")
            clip |= {"y": max(top - 16, 0), "height": min(size + 32, height)}
        picture = browser.ask("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        (folder / f"admin-{view}{suffix}.png").write_bytes(base64.b64decode(picture))


def main():
    parser = argparse.ArgumentParser(prog="dev/admin-pictures.py", description=__doc__)
    parser.add_argument("--gate", type=Path, default=ROOT / ".build/release/versiongate", help="the gate's binary")
    parser.add_argument("--pictures", type=Path, default=ROOT / "docs/images", help="the folder for the screenshots")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        with running(given.gate.resolve(), Path(name)) as address:
            browser = Browser(Path(name, "profile"), "--hide-scrollbars")
            try:
                for suffix in VARIANTS:
                    take(browser, address, given.pictures, suffix)
            finally:
                browser.process.kill()
                browser.process.wait()


main()
