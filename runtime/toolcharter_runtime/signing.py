"""The desk's signature under each decision (P19): Ed25519 over canonical bytes, and nothing else counts.

The desk holds the private key; the boundary that serves agents holds public keys only.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from toolcharter_runtime.canonical import canonical_bytes
from toolcharter_runtime.records import Checkpoint, DecisionRow, Json, Settlement, instant_text

__all__ = [
    "DeskKey",
    "DeskKeys",
    "KeyFileError",
    "checkpoint_bytes",
    "decision_bytes",
    "key_id_of",
    "settlement_bytes",
]

_TAG: Final = b"toolcharter/1/"


class KeyFileError(Exception):
    """A key file is of no use; `code` is DESK_KEY_UNREADABLE, DESK_KEY_MODE, DESK_KEY_INVALID or DESK_KEY_EXISTS."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def decision_bytes(decision: DecisionRow) -> bytes:
    """Return what is signed of a decision: all that gives it force; the reason as its digest."""
    return _bytes_of(
        "decision",
        {
            "tenant": decision.tenant,
            "proposal_id": decision.proposal_id,
            "proposal_sha256": decision.sha256,
            "decision_id": decision.decision_id,
            "outcome": decision.outcome,
            "principal": decision.principal,
            "subject": decision.subject,
            "method": decision.method,
            "session": decision.session,
            "decided_at": instant_text(decision.decided_at),
            "until": instant_text(decision.until),
            "reason_sha256": _digest_of(decision.reason),
            "final": decision.final,
            "key_id": decision.key_id,
        },
    )


def settlement_bytes(settlement: Settlement) -> bytes:
    """Return what is signed of an operator's settlement (I7)."""
    return _bytes_of(
        "settlement",
        {
            "tenant": settlement.tenant,
            "execution_id": settlement.execution_id,
            "proposal_id": settlement.proposal_id,
            "proposal_sha256": settlement.sha256,
            "outcome": settlement.outcome,
            "principal": settlement.principal,
            "method": settlement.method,
            "session": settlement.session,
            "settled_at": instant_text(settlement.settled_at),
            "reason_sha256": _digest_of(settlement.reason),
            "key_id": settlement.key_id,
        },
    )


def checkpoint_bytes(checkpoint: Checkpoint) -> bytes:
    """Return what is signed of a checkpoint of a tenant's audit chain (S7)."""
    return _bytes_of(
        "checkpoint",
        {
            "tenant": checkpoint.tenant,
            "rows": checkpoint.rows,
            "head": checkpoint.head,
            "at": instant_text(checkpoint.at),
            "key_id": checkpoint.key_id,
        },
    )


def key_id_of(key: Ed25519PublicKey) -> str:
    """Return the first 16 hex digits of the SHA-256 of the raw public key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class DeskKey:
    """The desk's private key."""

    private: Ed25519PrivateKey
    key_id: str

    @classmethod
    def create(cls, private_path: Path, public_path: Path) -> DeskKey:
        """Make a key pair: the private file with mode 0600, never over an existing one."""
        private = Ed25519PrivateKey.generate()
        secret = private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        shown = private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for path, content, mode in ((private_path, secret, 0o600), (public_path, shown, 0o644)):
            _write_new(path, content, mode)
        return cls(private, key_id_of(private.public_key()))

    @classmethod
    def load(cls, path: Path) -> DeskKey:
        """Read the private key; refuse a file that others may read."""
        content = _read(path)
        if path.stat().st_mode & 0o077:
            raise KeyFileError(
                "DESK_KEY_MODE", f"{path} may be read by others: run `chmod 600 {path}`"
            )
        try:
            private = serialization.load_pem_private_key(content, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm):
            raise _not_a_key(path, "private") from None
        if not isinstance(private, Ed25519PrivateKey):
            raise _not_a_key(path, "private")
        return cls(private, key_id_of(private.public_key()))

    def sign_decision(self, decision: DecisionRow) -> DecisionRow:
        """Return the decision with this key's id and signature."""
        named = replace(decision, key_id=self.key_id)
        return replace(named, signature=self.private.sign(decision_bytes(named)))

    def sign_settlement(self, settlement: Settlement) -> Settlement:
        """Return the settlement with this key's id and signature."""
        named = replace(settlement, key_id=self.key_id)
        return replace(named, signature=self.private.sign(settlement_bytes(named)))

    def sign_checkpoint(self, checkpoint: Checkpoint) -> Checkpoint:
        """Return the checkpoint with this key's id and signature."""
        named = replace(checkpoint, key_id=self.key_id)
        return replace(named, signature=self.private.sign(checkpoint_bytes(named)))


@dataclass(frozen=True, slots=True)
class DeskKeys:
    """The public keys whose signatures count."""

    by_id: Mapping[str, Ed25519PublicKey]

    @classmethod
    def load(cls, paths: Iterable[str | Path]) -> DeskKeys:
        """Read public key files (`desk.pub`)."""
        keys: dict[str, Ed25519PublicKey] = {}
        for path in map(Path, paths):
            try:
                key = serialization.load_pem_public_key(_read(path))
            except (ValueError, UnsupportedAlgorithm):
                raise _not_a_key(path, "public") from None
            if not isinstance(key, Ed25519PublicKey):
                raise _not_a_key(path, "public")
            keys[key_id_of(key)] = key
        return cls(keys)

    def holds(self, record: DecisionRow | Settlement | Checkpoint) -> bool:
        """Return whether a configured key signed exactly this record."""
        key = self.by_id.get(record.key_id or "")
        if key is None or record.signature is None:
            return False
        try:
            key.verify(record.signature, _signed_bytes(record))
        except InvalidSignature:
            return False
        return True


def _signed_bytes(record: DecisionRow | Settlement | Checkpoint) -> bytes:
    if isinstance(record, DecisionRow):
        return decision_bytes(record)
    if isinstance(record, Settlement):
        return settlement_bytes(record)
    return checkpoint_bytes(record)


def _bytes_of(domain: str, value: Json) -> bytes:
    return _TAG + domain.encode("ascii") + b"\x00" + canonical_bytes(value)


def _digest_of(text: str | None) -> str | None:
    return None if text is None else "sha256:" + hashlib.sha256(text.encode("utf-8")).hexdigest()


def _not_a_key(path: Path, kind: str) -> KeyFileError:
    return KeyFileError(
        "DESK_KEY_INVALID",
        f"{path} is not an Ed25519 {kind} key in PEM: `toolcharter-desk init` makes the pair",
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise KeyFileError(
            "DESK_KEY_UNREADABLE", f"{path} cannot be read: {error.strerror}"
        ) from None


def _write_new(path: Path, content: bytes, mode: int) -> None:
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123 - Path.open takes no mode
            file.write(content)
    except FileExistsError:
        raise KeyFileError("DESK_KEY_EXISTS", f"{path} is there already") from None
    except OSError as error:
        raise KeyFileError(
            "DESK_KEY_UNREADABLE", f"{path} cannot be written: {error.strerror}"
        ) from None
