"""Checkpoint files: how far a chain had come, signed by the desk, kept where the store's administrator cannot reach (S7)."""

from __future__ import annotations

import base64
import binascii
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from toolcharter_runtime.desk.faults import DeskError, usage
from toolcharter_runtime.jsonvalue import is_object
from toolcharter_runtime.records import AuditVerdict, Checkpoint, instant_text, parse_instant
from toolcharter_runtime.signing import DeskKey, DeskKeys

__all__ = ["read_checkpoint", "write_checkpoint"]


def write_checkpoint(path: Path, verdict: AuditVerdict, key: DeskKey) -> None:
    """Sign where a verified chain ends and write it; an existing file is left alone."""
    signed = key.sign_checkpoint(
        Checkpoint(
            tenant=verdict.tenant,
            rows=verdict.rows,
            head=verdict.head,
            at=datetime.now(UTC),
            key_id=key.key_id,
            signature=b"",
        )
    )
    value = {
        "checkpoint": 1,
        "tenant": signed.tenant,
        "rows": signed.rows,
        "head": signed.head,
        "at": instant_text(signed.at),
        "key_id": signed.key_id,
        "signature": base64.b64encode(signed.signature).decode("ascii"),
    }
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(json.dumps(value, indent=2, sort_keys=True) + "\n")
    except FileExistsError:
        raise usage("CHECKPOINT_EXISTS", f"{path} is there already") from None
    except OSError as error:
        raise usage("CHECKPOINT_FILE", f"{path} cannot be written: {error.strerror}") from None


def read_checkpoint(path: Path, tenant: str, public: Path) -> Checkpoint:
    """Return the checkpoint of this tenant, if the key signed exactly it."""
    try:
        value = json.loads(path.read_text("utf-8"))
        found = _checkpoint(value)
    except OSError as error:
        raise usage("CHECKPOINT_FILE", f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, RecursionError, binascii.Error):
        raise usage("CHECKPOINT_FILE", f"{path} is not a checkpoint") from None
    if found.tenant != tenant:
        raise usage("CHECKPOINT_FILE", f"{path} is of another tenant")
    if not DeskKeys.load([public]).holds(found):
        raise DeskError("CHECKPOINT_UNSIGNED", f"{path} was not signed by {public}")
    return found


def _checkpoint(value: Any) -> Checkpoint:
    if not is_object(value) or value["checkpoint"] != 1 or type(value["rows"]) is not int:
        raise ValueError("not a checkpoint")
    return Checkpoint(
        tenant=str(value["tenant"]),
        rows=value["rows"],
        head=str(value["head"]),
        at=parse_instant(value["at"]),
        key_id=str(value["key_id"]),
        signature=base64.b64decode(value["signature"], validate=True),
    )
