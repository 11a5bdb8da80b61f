"""The package as a whole: what an application sees, the snapshot, the lock, the handbook."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolcharter.emit import emit, frozen_text, refreeze, sha256_text
from toolcharter_runtime.canonical import digest
from toolcharter_runtime.catalog import contract_digest
from toolcharter_runtime.frozen import Contract, NativePreview

sys.path.insert(0, str(Path(__file__).parent))
from contracts_by_hand import address_change, find_operation, get_customer, package

INPUTS = {"charter.yaml": "sha256:00", "openapi.yaml": "sha256:11"}


def files(**changes: Any) -> dict[str, str]:
    return {str(artifact.path): artifact.text for artifact in emit(package(**changes), INPUTS)}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name, text in files().items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def run(folder: Path, code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_layout() -> None:
    assert sorted(files()) == [
        "TOOLS.md",
        "crm_tools/__init__.py",
        "crm_tools/catalog/address_change.v1.json",
        "crm_tools/catalog/catalog.json",
        "crm_tools/catalog/find_operation.v1.json",
        "crm_tools/catalog/get_customer.v1.json",
        "crm_tools/catalog/search_customers.v1.json",
        "crm_tools/catalog/toolcharter.lock",
        "crm_tools/contracts/__init__.py",
        "crm_tools/contracts/address_change_v1.py",
        "crm_tools/contracts/find_operation_v1.py",
        "crm_tools/contracts/get_customer_v1.py",
        "crm_tools/contracts/search_customers_v1.py",
        "crm_tools/errors.py",
        "crm_tools/py.typed",
        "crm_tools/tools/__init__.py",
        "crm_tools/tools/address_change_v1.py",
        "crm_tools/tools/find_operation_v1.py",
        "crm_tools/tools/get_customer_v1.py",
        "crm_tools/tools/search_customers_v1.py",
        "pyproject.toml",
    ]


def test_application_sees_the_catalog(folder: Path) -> None:
    shown = run(
        folder,
        "import crm_tools; c = crm_tools.catalog;"
        "print(crm_tools.__all__, c.get_customer.id, c.address_change.preview.name, c.address_change.commit.name,"
        " hasattr(c, 'find_operation'))",
    )
    assert shown == (
        "['CrmTools', 'Role', 'catalog'] get_customer.v1 preview_address_change commit_address_change False\n"
    )


def test_declarations_agree_with_the_frozen_contracts(folder: Path) -> None:
    run(
        folder,
        "from crm_tools import catalog; from toolcharter_runtime.catalog import snapshot_of; snapshot_of(catalog).check()",
    )


def test_a_changed_declaration_is_found(folder: Path) -> None:
    module = folder / "crm_tools/tools/get_customer_v1.py"
    module.write_text(module.read_text().replace('"email": "/email (mask)"', '"email": "/email"'))
    done = subprocess.run(
        [sys.executable, "-c", "from crm_tools import catalog as c; from toolcharter_runtime.catalog import snapshot_of as s; s(c).check()"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "get_customer.v1: the declaration and the frozen contract disagree" in done.stderr


def test_import_loads_no_database_and_no_http_client(folder: Path) -> None:
    shown = run(
        folder,
        "import crm_tools, sys; print(sorted({n.partition('.')[0] for n in sys.modules} &"
        " {'sqlalchemy', 'httpx2', 'jsonschema_rs', 'toolcharter', 'click', 'cryptography'}))",
    )
    assert shown == "[]\n"


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_types_are_inferred(folder: Path, checker: str) -> None:
    (folder / "application.py").write_text(
        "from typing import assert_type\n"
        "from crm_tools import CrmTools, Role, catalog\n"
        "from crm_tools.contracts.address_change_v1 import (\n"
        "    AddressChangeArguments, AddressChangeDestinationNew, AddressChangeResult)\n"
        "from crm_tools.contracts.get_customer_v1 import GetCustomerArguments, GetCustomerResult\n"
        "from crm_tools.errors import AddressChangeError, GetCustomerError\n"
        "from toolcharter_runtime.declare import Commit, Preview, ReadTool\n"
        "assert_type(catalog, CrmTools)\n"
        "assert_type(catalog.get_customer, ReadTool[GetCustomerArguments, GetCustomerResult, GetCustomerError])\n"
        "assert_type(catalog.address_change.preview, Preview[AddressChangeArguments, AddressChangeError])\n"
        "assert_type(catalog.address_change.commit, Commit[AddressChangeResult, AddressChangeError])\n"
        "role: Role = 'explorer'\n"
        "new = AddressChangeDestinationNew(kind='new', line1='x', city='y')\n"
        "AddressChangeArguments(customer='C-1842', reason='moved', destination=new)\n"
    )
    root = Path(__file__).resolve().parents[2]
    if checker == "mypy":
        command = [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--no-incremental",
            "application.py",
            "crm_tools",
        ]
    else:
        (folder / "pyrightconfig.json").write_text(
            json.dumps(
                {
                    "typeCheckingMode": "strict",
                    "extraPaths": [str(root / "runtime")],
                    "include": ["."],
                }
            )
        )
        command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    run(folder, "import application")


def test_frozen_contract_reads_back_the_same() -> None:
    for contract in (address_change(), get_customer(), find_operation()):
        again = Contract.model_validate_json(frozen_text(contract))
        assert again == contract
        assert contract_digest(again) == contract_digest(contract)


def test_snapshot_pins_names_effects_policies_roles_and_digests() -> None:
    snapshot = json.loads(files()["crm_tools/catalog/catalog.json"])
    stated = snapshot.pop("digest")
    assert stated == digest("catalog", snapshot)
    assert snapshot["roles"]["support_agent"] == {
        "reads": ["get_customer.v1"],
        "writes": ["address_change.v1"],
        "purposes": ["production"],
    }
    assert snapshot["policies"] == {
        "support_lead": {
            "approvers": "support_lead",
            "quorum": 1,
            "expires_in": 1800,
            "self_approval": False,
            "after_transient": "spend",
        }
    }
    entry = snapshot["tools"]["address_change.v1"]
    assert entry["digest"] == contract_digest(address_change())
    assert entry["policies"] == ["support_lead"]
    assert entry["without"] == {"compensation": "A second change needs its own approval"}
    assert snapshot["tools"]["find_operation.v1"]["hidden"] is True


def test_lock_has_inputs_and_every_file_once_one_entry_a_line() -> None:
    made = files()
    text = made.pop("crm_tools/catalog/toolcharter.lock")
    lock = json.loads(text)
    assert lock["inputs"] == INPUTS
    assert {name: entry["sha256"] for name, entry in lock["files"].items()} == {
        name: sha256_text(content) for name, content in made.items()
    }
    assert lock["files"]["crm_tools/tools/get_customer_v1.py"]["owner"] == "get_customer.v1"
    assert lock["generator"]["datamodel-code-generator"] == "0.89.0"
    assert lock["generator"]["ruff"] == "0.17.6"
    assert sum(line.startswith('    "crm_tools/') for line in text.splitlines()) == len(made) - 2


def test_kept_version_is_callable_and_rendered_from_its_frozen_json() -> None:
    """P5: old versions stay while active runs may call them."""
    old = get_customer(1)
    kept = (refreeze(old),)
    made = files(
        current=(address_change(), get_customer(2, description="New.")),
        kept=kept,
        sunsets={"get_customer.v1": "2027-03-01"},
    )
    before = files()
    for name in (
        "contracts/get_customer_v1.py",
        "tools/get_customer_v1.py",
        "catalog/get_customer.v1.json",
    ):
        assert made[f"crm_tools/{name}"] == before[f"crm_tools/{name}"]
    assert (
        "    get_customer_v1 = get_customer_v1\n    get_customer = get_customer_v2\n"
        in made["crm_tools/__init__.py"]
    )
    snapshot = json.loads(made["crm_tools/catalog/catalog.json"])
    assert snapshot["roles"]["explorer"]["reads"] == ["get_customer.v1", "get_customer.v2"]
    assert snapshot["tools"]["get_customer.v1"]["status"] == "kept"
    assert snapshot["tools"]["get_customer.v1"]["sunset"] == "2027-03-01"
    assert made["crm_tools/errors.py"].count("GetCustomerError: TypeAlias") == 1


def test_kept_write_stays_out_of_a_role_that_only_reads() -> None:
    """A read role that gains a commit fails: not even by a version of another effect."""
    old = address_change(1)
    new = get_customer(2, tool="address_change")
    made = files(
        current=(new,),
        kept=(old,),
        roles={"r": {"reads": ("address_change",)}, "w": {"writes": ("address_change",)}},
    )
    roles = json.loads(made["crm_tools/catalog/catalog.json"])["roles"]
    assert roles["r"] == {"reads": ["address_change.v2"], "writes": [], "purposes": []}
    assert roles["w"] == {
        "reads": ["address_change.v2"],
        "writes": ["address_change.v1"],
        "purposes": [],
    }


def test_kept_version_does_not_read_from_itself_in_the_class_body(tmp_path: Path) -> None:
    for name, text in files(current=(get_customer(2),), kept=(get_customer(1),), roles={}).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert run(
        tmp_path,
        "from crm_tools import catalog as c; print(c.get_customer.id, c.get_customer_v1.id)",
    ) == ("get_customer.v2 get_customer.v1\n")


def test_a_tool_named_like_a_keyword_can_be_called(tmp_path: Path) -> None:
    made = files(current=(get_customer(tool="import"), get_customer(tool="catalog")), roles={})
    assert "    import_ = import_v1\n" in made["crm_tools/__init__.py"]
    assert "    catalog = catalog_v1\n" in made["crm_tools/__init__.py"]


def test_generated_imports_are_sorted_and_modules_small(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--select", "I,E,F,UP,B,RUF,SIM,C4,N,ANN",
         "--line-length", "120", "."],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    read, write = (
        folder / f"crm_tools/tools/{name}_v1.py" for name in ("get_customer", "address_change")
    )
    assert len(read.read_text().splitlines()) <= 35
    assert len(write.read_text().splitlines()) <= 60


def test_codes_beyond_those_of_every_write_are_named() -> None:
    contract = address_change()
    assert contract.write is not None
    preview = NativePreview(dry_run={"query.dry_run": True})
    terms = contract.write.model_copy(update={"preview": preview})
    previewed = contract.model_copy(update={"write": terms})
    text = files(current=(previewed, get_customer()))["crm_tools/errors.py"]
    assert text.endswith(
        'AddressChangeError: TypeAlias = Literal[WriteCode, "PREVIEW_UNAVAILABLE"]\n'
        "GetCustomerError: TypeAlias = ReadCode\n"
    )


def test_handbook_as_written() -> None:
    assert files()["TOOLS.md"] == (Path(__file__).parent / "expected" / "TOOLS.md").read_text(
        "utf-8"
    )
