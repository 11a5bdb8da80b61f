"""`python -m upstreams.crm`: serve in the foreground and print the URL in the first line."""

from __future__ import annotations

import argparse
import asyncio
import socket

from upstreams.crm.server import TOKEN, build
from upstreams.serving import server_of


def main() -> None:
    """Serve until a signal comes."""
    parser = argparse.ArgumentParser(prog="python -m upstreams.crm", description=__doc__)
    parser.add_argument("--port", type=int, default=8040, help="0 is any free one")
    parser.add_argument("--database", default=":memory:", help="an SQLite file")
    parser.add_argument("--token", default=TOKEN)
    options = parser.parse_args()
    _, app = build(options.database, options.token)
    listening = socket.create_server(("127.0.0.1", options.port))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    asyncio.run(server_of(app).serve(sockets=[listening]))


if __name__ == "__main__":
    main()
