"""An MCP server of the handshake era that misbehaves as its argument says; for tests."""

import json
import os
import signal
import subprocess
import sys
import time

kind = sys.argv[1]
lists = 0


def send(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    send({"jsonrpc": "2.0", "id": request["id"], "result": result})


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def tool(name, description="", **annotations):
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    return {"name": name, "description": description, "inputSchema": schema, "annotations": annotations}


def tools():
    global lists
    lists += 1
    changed = kind == "changing" and (lists > 1 or os.path.exists("changed"))
    return [
        tool("echo", "Says it " + ("otherwise." if changed else "again."), readOnlyHint=True),
        tool("write", "Writes it down."),
        tool("pid", readOnlyHint=True),
    ]


def call(request):
    name, arguments = request["params"]["name"], request["params"].get("arguments", {})
    if kind == "mortal":
        sys.stderr.write("these are my last words\n")
        sys.stderr.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "flood":
        sys.stdout.write('{"jsonrpc":"2.0","id":1,"result":"')
        while True:
            sys.stdout.write("x" * 65536)
    if kind == "sleepy":
        return
    if kind == "changing" and name == "write":
        answer(request, text("changing"))
        send({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
        return
    if kind == "refusing":
        error = {"code": -32000, "message": "e" + "\u0301" * 100_000}
        return send({"jsonrpc": "2.0", "id": request["id"], "error": error})
    if name == "pid":
        return answer(request, text(str(os.getpid())))
    if name == "write":
        with open("written", "a") as file:
            file.write(arguments.get("text", "") + "\n")
        return answer(request, text("written"))
    if kind == "failing":
        return answer(request, text("it is broken", isError=True))
    answer(request, text(arguments.get("text", "") * (20000 if kind == "long" else 1)))


if kind == "deaf":
    # It ignores what should end it, and so does a program that it starts.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen([sys.executable, "-c", "import time\nwhile True: time.sleep(1)"])
    sys.stderr.write(f"child {child.pid}\n")
    sys.stderr.flush()
if kind == "babbling":
    print("Welcome to the server!\n[1, 2, 3]\n{\"not\": \"a message\"}\nnull\n", flush=True)
    sys.stderr.write("x" * 1_000_000 + "\n")
if kind == "dying":
    sys.exit("AttributeError: module 'mcp' has no attribute 'old'")

for line in sys.stdin:
    request = json.loads(line)
    method = request.get("method")
    if kind == "silent":
        continue
    if method == "server/discover":
        # Real servers of this era are of two kinds: they answer with an error, or not at all.
        if kind != "quiet":
            error = {"code": -32602, "message": "Invalid request parameters"}
            send({"jsonrpc": "2.0", "id": request["id"], "error": error})
    elif method == "initialize":
        info = {"name": kind, "version": "1"}
        result = {"protocolVersion": "2025-06-18", "serverInfo": info}
        answer(request, {**result, "capabilities": {"tools": {"listChanged": True}}})
    elif method == "tools/list":
        answer(request, {"tools": tools()})
    elif method == "tools/call":
        call(request)
if kind == "deaf":
    while True:
        time.sleep(1)
