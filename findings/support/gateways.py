"""What the findings about gateways have in common: servers, a client, and the gateway's process.

A script copies this file into its temporary directory, and imports it there with that directory as
the current one. The script itself has the configuration, the inputs and the recorded results.
"""

import contextlib
import http.client
import http.server
import socket
import subprocess
import sys
import threading
import time


def serve(answer):
    """Starts a server, and returns its port.

    `answer` gets each request, and returns a status, fields and a body, or None to close the
    connection without a response.
    """
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            result = answer(self)
            if result is None:
                self.close_connection = True
                return
            status, fields, body = result
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def free_port():
    """Returns a port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def running(command, configuration, port, **values):
    """Starts a gateway, waits until it listens on `port`, and ends it after the block.

    The gateway's configuration, in the file of that name, is the file "template" with each @name@
    replaced by the value of that name. The gateway's output goes to the file "gateway.log".
    """
    with open("template") as file:
        text = file.read()
    for name, value in {"port": port, **values}.items():
        text = text.replace(f"@{name}@", str(value))
    with open(configuration, "w") as file:
        file.write(text)
    with open("gateway.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        wait_until_listening(process, port)
        yield
    finally:
        process.terminate()
        process.wait()


def wait_until_listening(process, port):
    """Waits 15 seconds until something listens on `port`, or exits with the end of the log."""
    for _ in range(150):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.1)
    process.kill()
    with open("gateway.log") as log:
        sys.exit("the gateway does not listen: " + log.read()[-2000:])


def request(port, path, fields={}, method="GET"):
    """Sends a request on a connection of its own, and returns the status, fields and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request(method, path, b"{}" if method == "POST" else None, fields)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, response.headers, body
