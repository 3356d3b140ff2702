"""Drives an MCP server as a client of the SDK does, version 1 or 2, and prints what it saw as one JSON object.

    mcp_client.py auto|legacy stdio COMMAND ARGUMENT...
    mcp_client.py auto|legacy http URL TOKEN_FILE
"""

import asyncio
import contextlib
import json
import os
import sys
import time

import mcp.types as types

try:
    from mcp import Client, MCPError, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client
    import httpx2 as httpx

    SDK = 2
except ImportError:
    from mcp import ClientSession, StdioServerParameters, stdio_client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.exceptions import McpError as MCPError
    import httpx

    SDK = 1


def plain(value):
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


asked = []


async def elicit(context, params):
    """Allows every call that a person is asked about."""
    asked.append(params.message)
    return types.ElicitResult(action="accept", content={"approve": True})


async def decline(context, params):
    asked.append(params.message)
    return types.ElicitResult(action="decline")


@contextlib.asynccontextmanager
async def transport(kind, arguments):
    """The streams to the server."""
    if kind == "stdio":
        server = StdioServerParameters(command=arguments[0], args=arguments[1:], env=dict(os.environ))
        async with stdio_client(server) as streams:
            yield streams
    else:
        token = open(arguments[1]).read()
        headers = {"Authorization": f"Bearer {token}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as client:
            async with streamable_http_client(arguments[0], http_client=client) as streams:
                yield streams[:2]


@contextlib.asynccontextmanager
async def connect(mode, kind, arguments, elicitation):
    """The client, and the version that it negotiated."""
    if SDK == 2:
        async with Client(transport(kind, arguments), mode=mode, elicitation_callback=elicitation) as client:
            yield client, client.protocol_version
    else:
        async with transport(kind, arguments) as (reader, writer):
            async with ClientSession(reader, writer, elicitation_callback=elicitation) as client:
                answer = await client.initialize()
                yield client, answer.protocolVersion


async def code(awaitable):
    """The code of the error with which a request fails."""
    try:
        await awaitable
    except MCPError as error:
        return error.error.code
    return None


async def ask(client, prompt, tool="ask_clerk", **more):
    return plain(await client.call_tool(tool, {"prompt": prompt, **more}))


async def talk(client, seen):
    """What a client without forms does."""
    seen["tools"] = plain(await client.list_tools())["tools"]
    seen["prompts"] = plain(await client.list_prompts())["prompts"]
    seen["prompt"] = plain(await client.get_prompt("clerk", {"task": "count"}))["messages"]

    progress = []

    async def note(value, total, message):
        progress.append([value, message])

    seen["baton"] = plain(await client.call_tool("ask_clerk", {"prompt": "cook"}, progress_callback=note))
    seen["progress"] = progress
    session = seen["baton"]["structuredContent"]["session"]
    seen["again"] = await ask(client, "more", session=session)

    resources = plain(await client.list_resources())["resources"]
    seen["resource"] = [resource for resource in resources if resource["name"] == session]
    seen["text"] = plain(await client.read_resource(f"orchestrator://session/{session}"))["contents"]

    seen["cap"] = await ask(client, "sleep", caps={"seconds": 1})
    seen["bad"] = await ask(client, "hello", caps={"round": 1})
    seen["codes"] = [
        await code(client.call_tool("ask_absent", {"prompt": "hello"})),
        await code(client.get_prompt("absent", {})),
        await code(client.read_resource("orchestrator://session/none")),
        await code(client.list_tools(cursor="7") if SDK == 2 else client.list_tools("7")),
    ]
    seen["several"] = await asyncio.gather(*(ask(client, f"number {number}") for number in range(4)))

    seen["changes"] = await changes(client, session) if seen["version"] == "2026-07-28" else None

    cancelled = asyncio.create_task(ask(client, "sleep", session=f"cancelled {seen['name']}"))
    await asyncio.sleep(0.5)
    cancelled.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await cancelled
    seen["after"] = await ask(client, "still there")


async def changes(client, session):
    """What a client hears that listens: of a new session, and of a turn in one that it knows."""
    uri = f"orchestrator://session/{session}"
    heard = []
    async with client.listen(resources_list_changed=True, resource_subscriptions=[uri]) as subscription:
        await ask(client, "new")
        await ask(client, "known", session=session)
        async for event in subscription:
            heard.append(type(event).__name__)
            if "ResourceUpdated" in heard and "ResourcesListChanged" in heard:
                return heard


async def main():
    mode, kind, *arguments = sys.argv[1:]
    seen = {"sdk": SDK, "name": f"{SDK} {mode} {kind}"}
    start = time.monotonic()
    async with connect(mode, kind, arguments, None) as (client, seen["version"]):
        seen["connected"] = time.monotonic() - start
        await talk(client, seen)
    async with connect(mode, kind, arguments, elicit) as (client, _):
        seen["approved"] = await ask(client, "open", tool="ask_guard")
    async with connect(mode, kind, arguments, decline) as (client, _):
        seen["denied"] = await ask(client, "open", tool="ask_guard")
    seen["asked"] = asked
    seen["seconds"] = time.monotonic() - start
    print(json.dumps(seen))


asyncio.run(main())
