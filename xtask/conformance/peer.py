"""Lists and calls every tool of our servers with the Python SDK, an independent client.

usage: peer.py AGENT DIRECTORY CALLS, in a directory of its own that may be written to
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters


async def check(agent, directory, part, mode, calls):
    arguments = ["mcp", "serve", part, "-C", directory]
    server = StdioServerParameters(command=agent, args=arguments)
    async with Client(server, mode=mode) as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        called = {name for _, name, _, _ in calls}
        assert listed == called, f"listed {sorted(listed)}, called {sorted(called)}"
        for _, name, given, succeeds in calls:
            result = await client.call_tool(name, given)
            assert result.is_error != succeeds, f"{name}: {result}"
            assert result.content[0].text, f"{name}: {result}"


async def main():
    agent, directory, calls = sys.argv[1:]
    with open(calls, encoding="utf-8") as file:
        calls = json.load(file)
    for part in ("fs", "exec"):
        for mode in ("legacy", "2026-07-28"):
            own = [call for call in calls if call[0] == part]
            await check(agent, directory, part, mode, own)
            print(f"python sdk  {part:5} {mode:12} {len(own)} calls ok")


asyncio.run(main())
