"""A server of version 2 of the SDK, on its pipes, or over HTTP on the port that is its argument."""

import base64
import sys
from typing import Annotated

from mcp.server import MCPServer
from mcp.server.mcpserver import Context, Elicit, Image, Resolve
from mcp_types import ToolAnnotations
from pydantic import BaseModel

server = MCPServer("modern")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


class Branch(BaseModel):
    branch: str


def ask() -> Elicit[Branch]:
    return Elicit("Which branch?", Branch)


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
async def choose(ctx: Context, choice: Annotated[Branch, Resolve(ask)]) -> str:
    """Has a person choose a branch."""
    await ctx.report_progress(1, 2, "checking out")
    return "chosen: " + choice.branch


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def picture() -> Image:
    """Draws a pixel."""
    pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    return Image(data=base64.b64decode(pixel), format="png")


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def span(ctx: Context) -> str:
    """Tells the span in which it is called."""
    header = (ctx.headers or {}).get("traceparent", "no header")
    return f"{(ctx.request_context.meta or {}).get('traceparent')} {header}"


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def fail() -> str:
    """Fails."""
    raise ValueError("it is broken")


if len(sys.argv) > 1:
    server.run("streamable-http", port=int(sys.argv[1]))
else:
    server.run()
