"""A server of version 1 of the SDK, on its pipes, or over HTTP on the port that is its argument."""

import sys

from mcp.server.fastmcp import Context, FastMCP
from mcp.types import ToolAnnotations
from pydantic import BaseModel

port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
server = FastMCP("older", port=port)


class Branch(BaseModel):
    branch: str


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
async def choose(ctx: Context) -> str:
    """Has a person choose a branch."""
    await ctx.report_progress(1, 2, "asking")
    answer = await ctx.elicit("Which branch?", Branch)
    return answer.action + ": " + (answer.data.branch if answer.action == "accept" else "none")


if port:
    server.run("streamable-http")
else:
    server.run()
