"""What those who look cost a step: pages of the inspector, and a receiver of telemetry.

windows.py ORCHESTRATOR AGENTS MODEL STEPS RUNS: prints a JSON object of samples in milliseconds a step, measured in turn: with
nothing attached, with a page and a receiver, and with 20 pages. Pages read as the real one does: a stream of events and of a
session's facts, and the processes every second.
"""

import http.client
import http.server
import json
import os
import pathlib
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time


class Product:
    """A coordinator of its own home."""

    def __init__(self, orchestrator, agents, model, *options):
        self.home = tempfile.TemporaryDirectory(prefix="orch-", dir="/tmp")
        self.orchestrator = orchestrator
        self.environment = {**os.environ, "ORCHESTRATOR_HOME": self.home.name}
        self.log = open(f"{self.home.name}/start.log", "w")
        self.process = subprocess.Popen(
            [orchestrator, "start", "--no-chat", "--agents", agents, "--model", model, "--listen", "0", "--caps", "rounds=10000,calls=10000,repeats=10000,seconds=3600", *options],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
        )
        end = time.monotonic() + 300
        while (status := self.status()) is None or not status.get("door"):
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit(pathlib.Path(self.log.name).read_text())
            time.sleep(0.2)
        self.door = int(status["door"].rsplit(":", 1)[1])
        self.token = next(pathlib.Path(self.home.name).rglob("token")).read_text().strip()

    def status(self):
        done = subprocess.run([self.orchestrator, "ps", "--json"], env=self.environment, capture_output=True, text=True)
        return json.loads(done.stdout)["coordinator"] if done.returncode == 0 else None

    def turn(self, session, prompt):
        """Returns how long a turn takes, in seconds."""
        connection = http.client.HTTPConnection("127.0.0.1", self.door)
        body = json.dumps({"session": session, "prompt": prompt})
        start = time.perf_counter()
        connection.request("POST", "/v1/prompts", body, {"Authorization": f"Bearer {self.token}"})
        last = connection.getresponse().read().splitlines()[-1]
        took = time.perf_counter() - start
        event = json.loads(last)
        if event.get("event") != "ended" or event.get("exit") != "answered":
            raise SystemExit(last.decode())
        connection.close()
        return took

    def step(self, session, steps):
        """Returns how long a step takes, in milliseconds, without what a turn takes anyway."""
        empty = self.turn(session, "0")
        return (self.turn(session, str(steps)) - empty) / steps * 1000

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.home.cleanup()


class Pages:
    """Pages in a process of their own, as browsers are."""

    def __init__(self, count, product, session):
        self.process = subprocess.Popen([sys.executable, __file__, "--pages", str(count), str(product.door), product.token, session], stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def request(door, token, path):
    opened = socket.create_connection(("127.0.0.1", door))
    opened.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{door}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n".encode())
    return opened


def pages(count, door, token, session):
    """Reads as so many pages do, until it is killed."""
    selector = selectors.DefaultSelector()
    polled = [0.0] * count
    rests = [b""] * count
    for page in range(count):
        selector.register(request(door, token, f"/v1/events?entries=false&facts={session}&after=0"), selectors.EVENT_READ, page)
    print("reading", flush=True)
    while True:
        for key, _ in selector.select(1):
            data = key.fileobj.recv(1 << 20)
            if not data:
                selector.unregister(key.fileobj)
                key.fileobj.close()
            elif key.data is not None:
                *lines, rests[key.data] = (rests[key.data] + data).split(b"\n")
                for line in lines:
                    # Between them stand the lengths of pieces.
                    if line.startswith(b"{"):
                        json.loads(line)
        now = time.monotonic()
        for page in range(count):
            if now - polled[page] >= 1:
                polled[page] = now
                selector.register(request(door, token, "/v1/processes"), selectors.EVENT_READ)


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    received = 0

    def do_POST(self):
        Receiver.received += len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


def main():
    orchestrator, agents, model, steps, runs = sys.argv[1:4] + [int(argument) for argument in sys.argv[4:6]]
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    plain = Product(orchestrator, agents, model)
    told = Product(orchestrator, agents, model, "--telemetry", f"http://127.0.0.1:{receiver.server_port}")
    samples = {"bare": [], "page": [], "pages": []}
    try:
        for run in range(runs + 1):
            session = f"run{run}"
            found = {"bare": plain.step(session, steps)}
            with Pages(1, told, session):
                found["page"] = told.step(session, steps)
            with Pages(20, plain, f"{session}-20"):
                found["pages"] = plain.step(f"{session}-20", steps)
            # What runs first runs slowly.
            if run > 0:
                for name, value in found.items():
                    samples[name].append(value)
        end = time.monotonic() + 30
        while Receiver.received == 0 and time.monotonic() < end:
            time.sleep(0.2)
        if Receiver.received == 0:
            raise SystemExit("The receiver has got nothing.")
    finally:
        plain.stop()
        told.stop()
    print(json.dumps(samples))


if sys.argv[1] == "--pages":
    pages(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], sys.argv[5])
else:
    main()
