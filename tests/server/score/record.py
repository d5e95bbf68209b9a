"""Record what `afdocs` says of each broken site: `python -m tests.server.score.record AFDOCS`, its command.

The tests hold ours against that, without Node.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from aiohttp import web

from server.score.scoring import RULES
from tests.ports import free_port
from tests.server.score.broken_sites import CHANGES, build_it, host, variants

RECORDED = Path(__file__).with_name("afdocs.json")


async def _said(command: str, name: str, does: str) -> dict[str, object]:
    port = free_port()
    files = CHANGES[name](build_it(port))
    runner = web.AppRunner(host(files, does))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    options = ("-q", "--format", "json", "--score", "--request-delay", "0", "--max-concurrency", "8")
    with tempfile.TemporaryFile() as out:
        asked = (command, "check", f"http://127.0.0.1:{port}/", *options)
        process = await asyncio.create_subprocess_exec(*asked, stdout=out)
        try:
            await asyncio.wait_for(process.wait(), 60)
        except TimeoutError:
            process.kill()
            raise
        finally:
            await runner.cleanup()
        out.seek(0)
        told = json.loads(out.read())
    ids = {rule.id for rule in RULES}
    levels = {each["id"]: each["status"] for each in told["results"] if each["id"] in ids}
    return {"score": told["scoring"]["overall"], "levels": levels}


async def main(command: str) -> None:
    """Write the file."""
    process = await asyncio.create_subprocess_exec(command, "--version", stdout=asyncio.subprocess.PIPE)
    version = (await process.communicate())[0].decode().strip()
    together, found = asyncio.Semaphore(3), dict[str, object]()

    async def record(name: str, does: str) -> None:
        async with together:
            try:
                found[f"{name}, {does}".rstrip(", ")] = await _said(command, name, does)
            except TimeoutError:
                print("no answer:", name, does, file=sys.stderr)

    await asyncio.gather(*(record(*each) for each in variants()))
    text = json.dumps({"afdocs": version, "sites": dict(sorted(found.items()))}, indent=1)
    RECORDED.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
