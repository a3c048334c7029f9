"""The page's requests, sent as a browser does."""

import http.client
import queue
import socket
import threading
import time

# A browser opens six connections to a host, and one of them is used for the events.
CONNECTIONS = 5
# The page requests the rules first, and then the rest; the impact comes after the census of a week.
FIRST = ("GET /api/v1/rules", "GET /api/v1/timeline")
IMPACT = "POST /api/v1/impact?since=7d&rule=r1&minimum=2.1.0"
STATE = ("GET /api/v1/findings", "GET /api/v1/feeds", "GET /api/v1/audit?limit=30")


def counts(span):
    return (
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
        """Retries until there is a response, because the gate computes one impact at a time."""
        method, path = question.split()
        while True:
            connection = self._idle.get()
            connection.request(method, path)
            answer = connection.getresponse()
            body = answer.read()
            self._idle.put(connection)
            if answer.status == 200:
                return
            if answer.status != 503:
                raise SystemExit(f"{question}: {answer.status} {body[:200]}")
            time.sleep(0.05)

    def seconds(self, question):
        begun = time.perf_counter()
        self.ask(question)
        return time.perf_counter() - begun

    def load(self, span):
        """Loads the page, and returns the seconds from the start until each response."""
        begun, there = time.perf_counter(), {}
        self._ask_together(begun, there, *((question,) for question in FIRST))
        *others, week = STATE + counts(span)
        self._ask_together(begun, there, *((question,) for question in others), (week, IMPACT))
        return there

    def look(self, span):
        """Sends the requests that the page repeats every ten seconds while there is traffic."""
        *others, week = counts(span)
        self._ask_together(time.perf_counter(), {}, *((question,) for question in others), (week, IMPACT))

    def _ask_together(self, begun, there, *steps):
        def show(*questions):
            for question in questions:
                self.ask(question)
                there[question] = time.perf_counter() - begun

        threads = [threading.Thread(target=show, args=step) for step in steps]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


class Window(threading.Thread):
    """An open page that shows 90 days, receives events, and polls at an interval."""

    SPAN = "90d"

    def __init__(self, port, every, delay):
        super().__init__(daemon=True)
        self._browser = Browser(port)
        self._every = every
        self._delay = delay
        self._is_over = threading.Event()
        self._events = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.looks = 0

    def run(self):
        self._events.request("GET", "/api/v1/events")
        listener = threading.Thread(target=self._listen, daemon=True)
        listener.start()
        if not self._is_over.wait(self._delay):
            self._browser.load(self.SPAN)
            self.looks += 1
            while not self._is_over.wait(self._every):
                self._browser.look(self.SPAN)
                self.looks += 1
        self._events.sock.shutdown(socket.SHUT_RDWR)
        listener.join()

    def _listen(self):
        try:
            for _ in self._events.getresponse():
                pass
        except OSError:
            pass

    def end(self):
        self._is_over.set()
        self.join()
