"""Tests that the load generator sends the given requests, and detects every wrong response."""

import collections
import shutil
import socket
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from sidebyside import appcall, certificate, load, traffic  # noqa: E402
from sidebyside.packages import find_program  # noqa: E402
from sidebyside.run import LoadFailed  # noqa: E402
from sidebyside.server import Server, free_port  # noqa: E402

SMALL_CROWD = traffic.Traffic(
    "small-crowd", "", lambda denied: traffic.CROWD.make(denied)[:1_000], by_zipf=True
)


def answer(status=200, body=appcall.BACKEND_BODY, more=""):
    return f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{more}\r\n{body}".encode()


def value(request, name):
    return request.partition(name + b": ")[2].partition(b"\r\n")[0]


class Recorder:
    """A server that records every request, and sends given responses."""

    def __init__(self, answers=answer):
        self.requests = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._connections = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        # This wakes accept(), which closing the socket does not.
        self._listener.shutdown(socket.SHUT_RDWR)
        for each in (self._listener, *self._connections):
            each.close()

    def _accept(self):
        try:
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()
        except OSError:
            return

    def _serve(self, connection):
        data = b""
        try:
            while more := connection.recv(65536):
                data += more
                while b"\r\n\r\n" in data:
                    head, _, rest = data.partition(b"\r\n\r\n")
                    field = b"\r\nContent-Length: "
                    length = int(head.partition(field)[2].partition(b"\r\n")[0] or 0)
                    if len(rest) < length:
                        break
                    data = rest[length:]
                    self.requests.append(head + b"\r\n\r\n" + rest[:length])
                    reply = self._answers()
                    connection.sendall(reply)
        except OSError:
            return


class LoadTests(unittest.TestCase):
    protocol = "http1"

    @classmethod
    def setUpClass(cls):
        reason = load.missing(cls.protocol)
        if reason:
            raise unittest.SkipTest(reason)
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # nginx's workers run as another user.
        cls.folder.chmod(0o755)
        cls.program = load.build_load(cls.folder, cls.protocol)

    def start(self, port, kind, denied=False, **more):
        requests = kind.write(self.folder, denied)
        more = {"status": 426 if denied else 200, "connections": 4} | more
        generator = load.Load(self.program, port, requests, by_zipf=kind.by_zipf, **more)
        self.addCleanup(generator.__exit__)
        return generator


class Http1(LoadTests):
    def record(self, kind, *counts, rounds=None, answers=answer, **more):
        recorder = Recorder(answers)
        self.addCleanup(recorder.close)
        generator = self.start(recorder.port, kind, **more)
        phases = [{"requests": count} for count in counts] or [{"rounds": rounds}]
        return recorder.requests, [generator.run(**phase) for phase in phases]

    def test_mixed_requests_come_as_they_are_and_all_of_them(self):
        requests, _ = self.record(traffic.MIXED, traffic.HEADS)
        expected = collections.Counter(traffic.MIXED.make(False))
        self.assertEqual(collections.Counter(requests), expected)

    def test_no_version_that_was_never_seen_comes_twice_also_in_the_next_phase(self):
        requests, phases = self.record(traffic.NEVER_SEEN, 5_000, 5_000)
        versions = {value(each, b"X-App-Version") for each in requests}
        self.assertEqual(len(requests), 10_000)
        self.assertEqual(len(versions), 10_000)
        self.assertEqual(phases[1]["next"], load.FIRST_NUMBER + 10_000)
        self.assertFalse(any(b"#" in each for each in requests))

    def test_a_run_goes_on_with_the_numbers_after_those_of_the_last(self):
        first, phases = self.record(traffic.NEVER_SEEN, 500)
        second, _ = self.record(traffic.NEVER_SEEN, 500, number=phases[0]["next"])
        self.assertEqual(len(set(first) | set(second)), 1_000)

    def test_the_crowd_comes_by_zipfs_law(self):
        requests, _ = self.record(SMALL_CROWD, 20_000)
        tokens = collections.Counter(value(each, b"Authorization") for each in requests)
        counts = [tokens[value(each, b"Authorization")] for each in SMALL_CROWD.make(False)]
        # Of 1,000 clients, the first has 1 in log2(1001) of the requests, the second log2(1.5) of
        # that.
        self.assertAlmostEqual(counts[0] / 20_000, 0.1003, delta=0.01)
        self.assertAlmostEqual(counts[1] / counts[0], 0.585, delta=0.06)
        self.assertAlmostEqual(sum(counts[500:]) / 20_000, 0.1, delta=0.01)
        self.assertGreater(len(tokens), 950)
        self.assertEqual(len({each.split(b" ")[1] for each in requests}), 20_000)

    def test_another_seed_draws_other_clients(self):
        first, _ = self.record(SMALL_CROWD, 200, seed=1, connections=1)
        second, _ = self.record(SMALL_CROWD, 200, seed=2, connections=1)
        self.assertNotEqual(first, second)

    def test_bodies_come_with_their_heads(self):
        requests, _ = self.record(traffic.POST, traffic.HEADS)
        self.assertEqual(set(requests), set(traffic.POST.make(False)))

    def test_right_answers_are_no_faults(self):
        _, (figures,) = self.record(traffic.ONE_CLIENT, 300)
        self.assertEqual(figures["requests"], 300)
        self.assertEqual(load.faults_in(figures), ())
        self.assertGreater(figures["nanoseconds"], 0)

    def test_the_next_round_begins_when_the_last_is_answered_to_its_end(self):
        asked = threading.Barrier(4)

        def all_at_once():
            # No response is sent before all four requests have arrived.
            asked.wait(10)
            return answer()

        requests, (figures,) = self.record(traffic.MIXED, rounds=5, answers=all_at_once)
        self.assertEqual((figures["requests"], figures["socketErrors"]), (20, 0))
        self.assertEqual(len(set(requests)), 20)

    def test_a_phase_ends_by_time(self):
        recorder = Recorder()
        self.addCleanup(recorder.close)
        figures = self.start(recorder.port, traffic.ONE_CLIENT).run(seconds=0.2)
        self.assertGreater(figures["requests"], 0)
        self.assertLess(figures["nanoseconds"], 5e9)
        self.assertEqual(len(recorder.requests), figures["requests"])

    def test_a_rate_is_kept_whether_or_not_there_are_answers(self):
        recorder = Recorder()
        self.addCleanup(recorder.close)
        figures = self.start(recorder.port, traffic.ONE_CLIENT, rate=500).run(seconds=2)
        self.assertEqual(load.faults_in(figures), ())
        # At random times: the standard deviation is the square root of the number.
        self.assertAlmostEqual(figures["requests"], 1_000, delta=5 * 1_000**0.5)
        self.assertEqual(len(recorder.requests), figures["requests"])

    def test_at_a_rate_the_wait_for_a_free_connection_counts(self):
        first = []

        def late():
            first.append(time.monotonic())
            time.sleep(max(0, first[0] + 1 - time.monotonic()))
            return answer()

        recorder = Recorder(late)
        self.addCleanup(recorder.close)
        figures = self.start(recorder.port, traffic.ONE_CLIENT, rate=200, connections=2).run(seconds=1)
        # Two requests were sent within the first second; the others were due, and waited half of it on average.
        self.assertGreater(figures["requests"], 100)
        self.assertGreater(figures["p50"], 250_000)

    def test_every_wrong_answer_is_a_fault(self):
        for name, reply in {
            "a refusal": answer(403, "no"),
            "a denial of a client that is to pass": answer(426, "{}"),
            "an error of the proxy": answer(503, "{}"),
            "another body": answer(200, "welcome"),
        }.items():
            with self.subTest(name):
                _, phases = self.record(traffic.ONE_CLIENT, 100, answers=lambda reply=reply: reply)
                self.assertEqual(phases[0]["wrong"], 100)
                run = load.run_from(phases[0], phases[0], 1)
                self.assertFalse(run.is_clean)

    def test_a_pass_is_a_fault_where_a_denial_is_due(self):
        _, (figures,) = self.record(traffic.ONE_CLIENT, 50, denied=True)
        self.assertEqual(figures["wrong"], 50)

    def test_one_wrong_answer_among_many_is_found(self):
        replies = iter([*[answer()] * 70, answer(502, "{}"), *[answer()] * 100])
        _, (figures,) = self.record(
            traffic.ONE_CLIENT, 100, answers=lambda: next(replies), connections=1
        )
        self.assertEqual(figures["wrong"], 1)

    def test_an_answer_that_ends_elsewhere_is_a_fault(self):
        for name, reply in {
            "no length": b"HTTP/1.1 200 OK\r\n\r\n",
            "more than its length": answer() + b"x",
            "two for one": answer() * 2,
            "no HTTP/1.1": answer().replace(b"HTTP/1.1", b"HTTP/1.0"),
        }.items():
            with self.subTest(name):
                _, (figures,) = self.record(
                    traffic.ONE_CLIENT, 10, answers=lambda reply=reply: reply, connections=1
                )
                self.assertEqual(figures["socketErrors"], 1)
                self.assertEqual(figures["requests"], 0)
                self.assertFalse(load.run_from(figures, figures, 1).is_clean)

    def test_a_long_answer_is_counted_when_its_last_byte_has_come(self):
        long = answer(body="x" * traffic.DOWNLOAD.answer_bytes)
        recorder, (figures,) = self.record(
            traffic.DOWNLOAD, 20, answers=lambda: long, body_bytes=traffic.DOWNLOAD.answer_bytes
        )
        self.assertEqual((figures["requests"], len(recorder)), (20, 20))
        self.assertEqual(load.faults_in(figures), ())

    def test_a_long_answer_that_is_wrong_is_a_fault(self):
        length = traffic.DOWNLOAD.answer_bytes
        for name, reply, figure in (
            ("shorter than the backend's", answer(body="x" * (length - 1)), "wrong"),
            ("a refusal", answer(502, body="x" * length), "wrong"),
            ("more than its length", answer(body="x" * length) + b"x", "socketErrors"),
        ):
            with self.subTest(name):
                _, (figures,) = self.record(
                    traffic.DOWNLOAD, 10, answers=lambda reply=reply: reply, connections=1,
                    body_bytes=length,
                )
                self.assertGreater(figures[figure], 0)

    def test_a_long_answer_that_stops_short_is_no_answer(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def stop_short():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer(body="x" * 200_000)[:-1])

        threading.Thread(target=stop_short, daemon=True).start()
        generator = self.start(
            listener.getsockname()[1], traffic.DOWNLOAD, connections=1, body_bytes=200_000
        )
        figures = generator.run(requests=1)
        self.assertEqual((figures["requests"], figures["socketErrors"]), (0, 1))

    def test_a_proxy_that_closes_every_connection_gives_no_row(self):
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)
        generator = self.start(listener.getsockname()[1], traffic.ONE_CLIENT, connections=1)
        accepted, _ = listener.accept()
        accepted.close()
        figures = generator.run(requests=10)
        self.assertEqual((figures["requests"], figures["socketErrors"]), (0, 1))
        with self.assertRaises(LoadFailed):
            generator.run(requests=10)

    def test_a_port_that_refuses_is_an_error(self):
        with self.assertRaises(LoadFailed):
            self.start(free_port(), traffic.ONE_CLIENT).run(requests=1)


NGINX = """
daemon off; master_process off; pid nginx.pid; error_log stderr warn;
events {}
http {
    log_format all escape=none "$server_protocol $request_method $request_uri $http_host|\
$http_user_agent|$http_x_app_id|$http_x_app_platform|$http_x_app_version|$http_x_os_version|\
$http_accept|$http_accept_language|$http_accept_encoding|$http_authorization|$http_traceparent|\
$http_cache_control";
    access_log requests.log all;
    keepalive_requests 1000000;
    client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;
    uwsgi_temp_path t4; scgi_temp_path t5;
    server {
        listen 127.0.0.1:@PORT@ ssl http2;
        ssl_certificate pair.pem; ssl_certificate_key pair.pem;
        location / { return 200 '@BODY@'; }
        location /v2 { return @STATUS@; }
    }
}
"""


class Http2(LoadTests):
    """nginx receives the requests and logs them."""

    protocol = "http2"

    @classmethod
    def setUpClass(cls):
        if find_program("nginx") is None:
            raise unittest.SkipTest("there is no nginx")
        super().setUpClass()

    def serve(self, status=None):
        folder = Path(tempfile.mkdtemp(dir=self.folder))
        certificate.write_pair(folder)
        port = free_port()
        text = NGINX.replace("@PORT@", str(port)).replace("@BODY@", appcall.BACKEND_BODY)
        text = text.replace("@STATUS@", status or f"200 '{appcall.BACKEND_BODY}'")
        (folder / "nginx.conf").write_text(text)
        command = [
            find_program("nginx"), "-p", f"{folder}/", "-e", "stderr", "-c", f"{folder}/nginx.conf",
        ]
        server = Server("nginx", command, port, [0], str(folder))
        self.addCleanup(server.stop)
        server.wait_until_listening()
        return server, folder / "requests.log"

    def record(self, kind, *counts, **more):
        server, log = self.serve()
        generator = self.start(server.port, kind, **({"streams": 10} | more))
        phases = [generator.run(requests=count) for count in counts]
        server.stop()
        return log.read_text().splitlines(), phases

    def test_every_field_of_mixed_requests_comes(self):
        lines, (figures,) = self.record(traffic.MIXED, traffic.HEADS)
        self.assertEqual(load.faults_in(figures), ())
        expected = [request.decode() for request in traffic.MIXED.make(False)]
        self.assertEqual(collections.Counter(lines), collections.Counter(
            f"HTTP/2.0 GET {each.split(' ')[1]} "
            + "|".join(line.split(": ", 1)[1] for line in each.split("\r\n")[1:13])
            for each in expected
        ))

    def test_no_version_that_was_never_seen_comes_twice(self):
        lines, phases = self.record(traffic.NEVER_SEEN, 2_000, 2_000)
        self.assertEqual(load.faults_in(*phases), ())
        self.assertEqual(len({line.split("|")[4] for line in lines}), 4_000)

    def test_paths_and_traces_of_the_crowd_differ(self):
        lines, phases = self.record(SMALL_CROWD, 3_000)
        self.assertEqual(load.faults_in(*phases), ())
        self.assertEqual(len({line.split(" ")[2] for line in lines}), 3_000)
        self.assertEqual(len({line.split("|")[10] for line in lines}), 3_000)
        self.assertGreater(len({line.split("|")[9] for line in lines}), 500)

    def test_every_wrong_answer_is_a_fault(self):
        for status in ("403", "426 no", "503", "200 welcome", "301 /v2/items"):
            with self.subTest(status):
                server, _ = self.serve(status)
                figures = self.start(server.port, traffic.MIXED, streams=10).run(requests=100)
                self.assertEqual(figures["wrong"], 100)

    def test_a_denial_that_is_due_is_right(self):
        server, _ = self.serve("426 no")
        figures = self.start(server.port, traffic.MIXED, denied=True, streams=10).run(requests=100)
        self.assertEqual(figures["requests"], 100)
        self.assertEqual(load.faults_in(figures), ())

    def test_a_proxy_that_ends_is_a_fault(self):
        server, _ = self.serve()
        generator = self.start(server.port, traffic.MIXED, streams=10)
        generator.run(requests=100)
        server.stop()
        self.assertNotEqual(load.faults_in(generator.run(requests=100)), ())


if __name__ == "__main__":
    unittest.main()
