"""The page's requests, sent as a browser does."""

import http.client
import queue
import socket
import threading
import time

# A browser opens six connections to a host, and one of them is used for the events.
CONNECTIONS = 5
# The page requests each path once: the rules first, then the parts of a load together, and the advice last. Within a part, each
# request waits for the response to the one before.
FIRST = ("GET /api/v1/rules", "GET /api/v1/timeline")
STATE = (("GET /api/v1/findings",), ("GET /api/v1/feeds",), ("GET /api/v1/audit?limit=30",))
# The slider starts at the minimum of the first rule, for which the page requests nothing; this is for another position.
IMPACT = "POST /api/v1/impact?since=7d&rule=r0&minimum=2.5.0"
# The effect of the next minimum of the first rules.
CANDIDATES = tuple(f"POST /api/v1/impact?since=7d&rule=r{number}&minimum=3.0" for number in range(3))
IMPACTS = (("GET /api/v1/census?since=7d", *CANDIDATES),)
ADOPTION = (("GET /api/v1/adoption?since=30d",),)
LAST = ("GET /api/v1/advice/floor?atMost=1%25",)
# The page repeats these once a minute, and the counts every ten seconds while there is traffic.
MINUTE = 60
# The page selects the period by the traffic of longer and shorter ones.
CHOICES = {"90d": ("90d",), "24h": ("90d", "24h", "1h")}


def traffic(*spans):
    return tuple(f"GET /api/v1/traffic?since={span}" for span in spans)


OVERVIEW = (("GET /api/v1/overview",),)


def counts(*spans):
    """Returns the requests for the traffic and the decisions."""
    return traffic(*spans), ("GET /api/v1/census?since=1h",), ("GET /metrics",)


class Browser:
    def __init__(self, port):
        self._full = 0
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
        self._ask_together(begun, there, *STATE, *OVERVIEW, *IMPACTS, *counts(*CHOICES[span]), *ADOPTION)
        self._ask_together(begun, there, LAST)
        self._full = begun
        return there

    def look(self, span):
        """Sends the requests that the page repeats every ten seconds while there is traffic, and those of every minute."""
        begun = time.perf_counter()
        is_full = begun - self._full >= MINUTE
        minutely = (IMPACTS, ADOPTION) if is_full else ((), ())
        self._ask_together(begun, {}, *OVERVIEW, *minutely[0], *counts(span), *minutely[1])
        if is_full:
            self._ask_together(begun, {}, LAST)
            self._full = begun

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
