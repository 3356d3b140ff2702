"""An MCP server of the handshake era whose one tool has a person fill in a form, and returns the answer as JSON."""

import json
import sys

FIELDS = {
    "branch": {"type": "string", "title": "Branch", "description": "Which \u202eone?", "pattern": "^[a-z]+$"},
    "count": {"type": "integer", "minimum": 1},
    "sheets": {"type": "integer", "default": 9007199254740995},
    "ratio": {"type": "number", "default": 0.5},
    "note": {"type": "string", "default": "left \u202eright"},
    "force": {"type": "boolean"},
    "color": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}, {"const": "g", "title": "Green"}]},
    "parts": {"type": "array", "items": {"type": "string", "enum": ["wing", "tail"]}, "default": "wingtail"},
}
FORM = {"message": "How is it folded?", "requestedSchema": {"type": "object", "properties": FIELDS, "required": ["branch"]}}
TOOL = {"name": "form", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


call = None
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "server/discover":
            send({"id": message["id"], "error": {"code": -32601, "message": "Unknown method"}})
        case "initialize":
            info = {"protocolVersion": "2025-06-18", "serverInfo": {"name": "asking", "version": "1"}}
            send({"id": message["id"], "result": {**info, "capabilities": {"tools": {}}}})
        case "tools/list":
            send({"id": message["id"], "result": {"tools": [TOOL]}})
        case "tools/call":
            call = message["id"]
            send({"id": "form", "method": "elicitation/create", "params": FORM})
        case None if message.get("id") == "form":
            text = json.dumps(message["result"])
            send({"id": call, "result": {"content": [{"type": "text", "text": text}]}})
