"""A server of version 2 of the SDK, on its pipes, or over HTTP on the port that is its argument."""

import sys

from mcp.server import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("modern")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def fail() -> str:
    """Fails."""
    raise ValueError("it is broken")


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
