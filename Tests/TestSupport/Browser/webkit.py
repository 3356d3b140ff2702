"""WebKit, by Debian's driver, with as much of Playwright's interface as the checks of the inspector page use."""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.request

KEYS = {
    "ArrowDown": "\ue015", "ArrowUp": "\ue013", "Control": "\ue009", "End": "\ue010", "Enter": "\ue007",
    "Escape": "\ue00c", "Home": "\ue011", "Tab": "\ue004",
}
NEEDED = ["WebKitWebDriver", "Xvfb"]


def missing():
    """The programs that are needed and not there."""
    return [name for name in NEEDED if not shutil.which(name)]


class Keyboard:
    def __init__(self, page):
        self.page = page

    def press(self, name):
        *held, key = name.split("+")
        held = [KEYS[one] for one in held]
        down = [{"type": "keyDown", "value": one} for one in [*held, KEYS.get(key, key)]]
        up = [{"type": "keyUp", "value": one} for one in [KEYS.get(key, key), *reversed(held)]]
        source = {"type": "key", "id": "keyboard", "actions": down + up}
        self.page.command("POST", "/actions", {"actions": [source]})

    def type(self, text):
        for character in text:
            self.press(character)


class Page:
    def __init__(self, root, scheme):
        self.root, self.scheme = root, scheme
        self.keyboard = Keyboard(self)
        options = {"webkitgtk:browserOptions": {"args": ["--automation", "--private"]}}
        begun = self.call("POST", root, "/session", {"capabilities": {"alwaysMatch": options}})
        self.session = f"/session/{begun['sessionId']}"

    @staticmethod
    def call(method, root, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(root + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)["value"]

    def command(self, method, path="", body=None):
        return self.call(method, self.root, self.session + path, body)

    def goto(self, address):
        self.command("POST", "/url", {"url": address})

    def evaluate(self, code, argument=None):
        """Evaluates an expression, calls a function with an argument, or runs a whole script."""
        if len(code) > 100_000:
            return self.command("POST", "/execute/sync", {"script": code, "args": []})
        script = f"""
          const [argument, done] = arguments;
          const value = ({code.strip().rstrip(";")});
          Promise.resolve(typeof value === "function" ? value(argument) : value).then(
            (value) => done({{ value: value === undefined ? null : value }}), (error) => done({{ error: String(error) }}));"""
        found = self.command("POST", "/execute/async", {"script": script, "args": [argument]})
        if "error" in found:
            raise RuntimeError(found["error"])
        return found["value"]

    def inner_text(self, selector):
        return self.evaluate("(selector) => document.querySelector(selector).innerText", selector)

    def emulate_media(self, color_scheme):
        if color_scheme != self.scheme:
            raise ValueError("The theme is chosen when the browser starts.")

    def screenshot(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.command("GET", "/screenshot")))

    def close(self):
        self.command("DELETE")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def page(scheme):
    """Opens a page in the theme for the length of a block."""
    theme = {"GTK_THEME": "Adwaita:dark" if scheme == "dark" else "Adwaita"}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        inner, outer = os.pipe()
        screen = ["Xvfb", "-displayfd", str(outer), "-screen", "0", "1440x900x24", "-nolisten", "tcp"]
        start(stack, screen, pass_fds=[outer])
        os.close(outer)
        with os.fdopen(inner) as number:
            display = f":{number.readline().strip()}"
        port = free_port()
        # What a browser writes belongs to the test alone.
        own = {"DISPLAY": display, "HOME": folder, "XDG_RUNTIME_DIR": folder, "XDG_CACHE_HOME": folder}
        rest = {"WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1"}
        start(stack, ["WebKitWebDriver", f"--port={port}"], env={**os.environ, **own, **rest, **theme})
        root = f"http://127.0.0.1:{port}"
        wait_for(root)
        opened = Page(root, scheme)
        try:
            yield opened
        finally:
            opened.close()


def start(stack, command, **options):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    stack.callback(process.wait)
    stack.callback(process.terminate)


def wait_for(root, limit=20):
    end = time.monotonic() + limit
    while True:
        try:
            return Page.call("GET", root, "/status")
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
