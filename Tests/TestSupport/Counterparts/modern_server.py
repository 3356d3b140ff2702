"""A server of version 2 of the SDK, with a tool for each thing that tests look at."""

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


server.run()
