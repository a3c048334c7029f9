"""A headless Chromium for tests."""

import json
import os
import subprocess

PATIENCE = 20_000  # The time limit for changes to the page, in milliseconds.


class Browser:
    """Controls Chromium with its debugging protocol, whose JSON messages end with a zero byte, over two pipes."""

    def __init__(self, profile, *more):
        theirs_in, self.output = os.pipe()
        self.input, theirs_out = os.pipe()

        def prepare():
            # The descriptors first get high numbers, so that neither is overwritten before it is copied.
            os.dup2(theirs_in, 103)
            os.dup2(theirs_out, 104)
            os.dup2(103, 3)
            os.dup2(104, 4)

        arguments = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
        arguments += ["--disable-background-networking", "--no-first-run", f"--user-data-dir={profile}", *more, "about:blank"]
        self.process = subprocess.Popen(
            arguments, preexec_fn=prepare, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.buffer = b""
        self.number = 0
        self.events = []
        self.password = None
        self.window()

    def sign_in(self, password):
        """Makes this window send a password with an arbitrary user name whenever a server requests one."""
        self.password = password
        self.ask("Fetch.enable", handleAuthRequests=True)

    def window(self):
        """Opens another window, like that of another person."""
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
        message = json.loads(text)
        if self.password:
            self.let_pass(message)
        return message

    def let_pass(self, event):
        """With a password set, every request is paused and must be continued explicitly."""
        request = event.get("params", {}).get("requestId")
        if event.get("method") == "Fetch.requestPaused":
            self.send("Fetch.continueRequest", requestId=request)
        if event.get("method") == "Fetch.authRequired":
            answer = {"response": "ProvideCredentials", "username": "operator", "password": self.password}
            self.send("Fetch.continueWithAuth", requestId=request, authChallengeResponse=answer)

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        return self.number

    def ask(self, method, **parameters):
        number = self.send(method, **parameters)
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    raise SystemExit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def event(self, name, seen):
        """Waits for an event after the first `seen` ones."""
        while not any(event.get("method") == name for event in self.events[seen:]):
            self.events.append(self.message())

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise SystemExit(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, condition):
        """Waits until a condition in the page is true, checking it after each change to the document."""
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
        """Moves the focus with the keyboard until the focused element meets the condition."""
        for _ in range(100):
            if self.evaluate(condition):
                return True
            self.key("Tab", 9)
        return False
