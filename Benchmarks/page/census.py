"""A gate with fifty rules, and a census for 90 days and 500 versions."""

import http.client
import random
import sqlite3
import time
from pathlib import Path

from updates.gate import Gate

RULES = 50
VERSIONS = [f"{1 + n // 100}.{n // 10 % 10}.{n % 10}" for n in range(250)]
# The platforms with their store URLs.
PLATFORMS = {
    "ios": "https://apps.apple.com/app/id1234567890",
    "android": "https://play.google.com/store/apps/details?id=com.example.shop",
}
# The number of devices of most versions, and of the few popular ones.
FEW, MANY, POPULAR = 14, 600, (200, 220, 240, 249)
MINUTE, HOUR, DAY = 60, 3600, 86_400


def rules():
    lines = ["guard: off", "rules:"]
    for number in range(RULES):
        platform, link = list(PLATFORMS.items())[number % 2]
        terms = f"match: {{ platform: {platform} }}, minimum: '2.0.0', recommended: '4.0.0'"
        if number >= 2:
            path = f"/p{number}/**"
            terms = f"match: {{ platform: {platform}, path: {path} }}, minimum: '1.5.{number}'"
        lines.append(f"  - {{ id: r{number}, {terms}, storeUrl: '{link}' }}")
    return "\n".join(lines) + "\n"


def start(binary, folder, backend_port):
    """Starts a gate, and returns it once it is ready."""
    gate = Gate(binary, folder, rules(), backend_port, 1)
    if not gate.wait_until(gate.is_listening):
        raise SystemExit(f"the gate does not start: {gate.complaints()}")
    return gate


def visit(port):
    """Sends one request per device, most of them to the same paths."""
    visits = [
        (platform, version, device)
        for platform in PLATFORMS
        for number, version in enumerate(VERSIONS)
        for device in range(MANY if number in POPULAR else FEW)
    ]
    random.Random(1).shuffle(visits)
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for platform, version, device in visits:
        path = "/" if device % 3 else f"/p{3 if platform == 'ios' else 4}/x"
        connection.request("GET", path, headers={
            "X-App-Platform": platform, "X-App-Version": version, "X-Device-Id": f"{platform}{version}-{device}",
        })
        connection.getresponse().read()
    connection.close()


def spread(state: Path):
    """Repeats the counts in every minute of the last hour, hour of eight days, and day of 90 days."""
    database = sqlite3.connect(state / "census.sqlite")
    largest = {}
    for cell, requests, identified, devices in database.execute(
        "SELECT cell, requests, identified, devices FROM figures"
    ):
        if cell not in largest or len(devices) > len(largest[cell][2]):
            largest[cell] = (requests, identified, devices)
    shapes = database.execute(
        "SELECT cell, shape, sum(requests) FROM shape_figures GROUP BY cell, shape"
    ).fetchall()
    database.execute("DELETE FROM figures")
    database.execute("DELETE FROM shape_figures")
    now = int(time.time())
    times = [(MINUTE, now // MINUTE * MINUTE - n * MINUTE, 1) for n in range(1, 60)]
    times += [(HOUR, now // HOUR * HOUR - n * HOUR, 1) for n in range(2, 8 * 24)]
    times += [(DAY, now // DAY * DAY - n * DAY, 20) for n in range(9, 90)]
    for span, start, factor in times:
        database.executemany("INSERT INTO figures VALUES (?, ?, ?, ?, ?, ?, ?, 0)", (
            (span, start, cell, requests * factor, identified * factor, devices, requests * factor)
            for cell, (requests, identified, devices) in largest.items()
        ))
        database.executemany("INSERT INTO shape_figures VALUES (?, ?, ?, ?, ?)", (
            (span, start, cell, shape, requests * factor) for cell, shape, requests in shapes
        ))
    database.commit()
    rows = database.execute("SELECT count(*) FROM figures").fetchone()[0]
    shape_rows = database.execute("SELECT count(*) FROM shape_figures").fetchone()[0]
    database.close()
    return f"{len(largest)} kinds of clients, {rows} rows of them, {shape_rows} of shapes"
