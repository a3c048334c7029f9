"""fetch and WebSocket on a page in a headless Chromium, with a new context for each case."""

import sys
import tempfile
from pathlib import Path

import adapter
from page_script import script, seen

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "EndToEndTests" / "Programs"))

from browser import Browser  # noqa: E402

BROWSER = Browser(tempfile.mkdtemp(prefix="client-matrix-"), "--ignore-certificate-errors")


class Client:
    """A context has its own sockets, like a separate profile."""

    def __init__(self, case):
        BROWSER.session = None
        self.context = BROWSER.ask("Target.createBrowserContext")["browserContextId"]
        target = BROWSER.ask("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        BROWSER.session = BROWSER.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            BROWSER.ask(f"{domain}.enable")
        BROWSER.events.clear()
        BROWSER.go(script.origin(case) + "/orders/blank")

    def ask(self, case):
        return seen(BROWSER.evaluate(script.text(case)), case)

    def close(self):
        BROWSER.session = None
        BROWSER.ask("Target.disposeBrowserContext", browserContextId=self.context)


if __name__ == "__main__":
    product = BROWSER.ask("Browser.getVersion")["product"]
    adapter.serve(f"Chromium {product.split('/')[1]}", Client)
