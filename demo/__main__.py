"""Play the story; the exit code is 1 if anything was other than it should be."""

from __future__ import annotations

import asyncio
import sys

from demo.page import Page
from demo.stage import ROOT, CatalogsError, generate_catalogs, set_up


def main() -> int:
    """Generate the catalogs, set the stage, play the story and say what was proved."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")  # a mask is no letter of every terminal
    page = Page()
    print("Toolcharter: a model reasons, a person approves, the boundary keeps count.")
    page.step("Three catalogs are generated from their charters")
    try:
        page.table(("package", "reads", "writes", "roles"), generate_catalogs())
    except CatalogsError as error:
        print(error)
        return 1
    sys.path.insert(0, str(ROOT / "generated" / "crm_tools"))
    from demo.story import play

    with set_up() as stage:
        return asyncio.run(play(stage, page))


if __name__ == "__main__":
    sys.exit(main())
