"""The questions that the page asks, as a browser sends them."""

import http.client
import queue
import threading
import time

# A browser has six connections to a host, and one of them listens to the events.
CONNECTIONS = 5
# The page's questions by the time at which they are asked: behind the rules, and behind the census of a week.
FIRST = ("GET /api/v1/rules", "GET /api/v1/timeline")
IMPACT = "POST /api/v1/impact?since=7d&rule=r1&minimum=2.1.0"


def then(span):
    return (
        "GET /api/v1/findings", "GET /api/v1/feeds", "GET /api/v1/audit?limit=30",
        f"GET /api/v1/traffic?since={span}", "GET /api/v1/census?since=1h", "GET /metrics",
        "GET /api/v1/census?since=7d",
    )


class Browser:
    def __init__(self, port):
        self._port = port
        self._idle = queue.SimpleQueue()
        for _ in range(CONNECTIONS):
            self._idle.put(http.client.HTTPConnection("127.0.0.1", port, timeout=60))

    def ask(self, question):
        """Asks until it is answered: the gate works out one impact at a time."""
        method, path = question.split()
        while True:
            connection = self._idle.get()
            connection.request(method, path)
            answer = connection.getresponse()
            body = answer.read()
            self._idle.put(connection)
            if answer.status == 200:
                return len(body)
            if answer.status != 503:
                raise SystemExit(f"{question}: {answer.status} {body[:200]}")
            time.sleep(0.05)

    def seconds(self, question):
        begun = time.perf_counter()
        self.ask(question)
        return time.perf_counter() - begun

    def load(self, span="24h"):
        """The page's first load: the seconds from its beginning until each answer is there."""
        begun = time.perf_counter()
        there = {}

        def show(*questions):
            for question in questions:
                self.ask(question)
                there[question] = time.perf_counter() - begun

        def together(*steps):
            threads = [threading.Thread(target=show, args=step) for step in steps]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        together(*((question,) for question in FIRST))
        *others, week = then(span)
        together(*((question,) for question in others), (week, IMPACT))
        return there


class Window(threading.Thread):
    """Somebody at the page who asks for 90 days again and again."""

    QUESTIONS = (
        "GET /api/v1/traffic?since=90d", "GET /api/v1/census?since=90d",
        "POST /api/v1/impact?since=90d&rule=r1&minimum=2.1.0",
    )

    def __init__(self, port, pause):
        super().__init__(daemon=True)
        self._browser = Browser(port)
        self._pause = pause
        self._is_over = threading.Event()
        self.answers = 0

    def run(self):
        while not self._is_over.is_set():
            for question in self.QUESTIONS:
                self._browser.ask(question)
                self.answers += 1
                if self._is_over.wait(self._pause):
                    return

    def end(self):
        self._is_over.set()
        self.join()
