"""What a write repeats of its views, as it came: in the evidence, in the sentence of effect, beside the change."""

from __future__ import annotations

from collections.abc import Iterator

from toolcharter.resolve import ResolvedApi, ResolvedTool
from toolcharter_runtime.frozen import ViewField, WriteTerms
from toolcharter_runtime.language import references

__all__ = ["secrets_quoted"]


def secrets_quoted(tool: ResolvedTool, api: ResolvedApi) -> Iterator[tuple[str, str]]:
    """Yield (key of the tool, name of the field) where a secret or masked field is told to the model, or a secret to anybody."""
    terms = tool.contract.write
    if terms is None:
        return
    views = _views(tool, terms, api)
    for key, root, name in _quotes(terms):
        field = views.get(root, {}).get(name)
        if field is not None and (field.secret or (field.redact is not None and key != "target")):
            yield key, name
    for key, reader, names in _shown(terms):
        fields = _fields_of(reader, api)
        yield from ((key, name) for name in names if name in fields and fields[name].secret)


def _views(
    tool: ResolvedTool, terms: WriteTerms, api: ResolvedApi
) -> dict[str, dict[str, ViewField]]:
    """Return the fields behind `$answer`, `$before`, `$after` and `$via`."""
    read, via = terms.target.read, terms.target.via
    target = _fields_of(read.tool, api) if read is not None else {}
    return {
        "answer": {field.name: field for field in tool.contract.view.fields},
        "before": target,
        "after": target,
        "via": _fields_of(via.tool, api) if via is not None else {},
    }


def _fields_of(key: str, api: ResolvedApi) -> dict[str, ViewField]:
    found = next((one.contract for one in api.tools if one.contract.id == key), None)
    return {} if found is None else {field.name: field for field in found.view.fields}


def _quotes(terms: WriteTerms) -> Iterator[tuple[str, str, str]]:
    """Yield (key of the tool, root, name of the field)."""
    evidence = terms.evidence
    stated = (evidence.operation_id, evidence.new_version, evidence.state)
    for source in (*stated, *evidence.facts.values()):
        root, _, name = (source or "").removeprefix("$").rpartition(".")
        yield "evidence", root or "answer", name
    for key, template in (("summary", terms.summary), ("target", terms.target.id)):
        for reference in references(template):
            if reference.root is not None and reference.path:
                yield key, reference.root, reference.path[0]


def _shown(terms: WriteTerms) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield (key of the tool, the read whose fields are shown to the approver, their names)."""
    if terms.target.read is not None:
        yield "target", terms.target.read.tool, terms.target.show
    for check in terms.checks:
        yield "checks", check.read.tool, check.show
    if terms.preview is not None and terms.preview.read is not None:
        yield "preview", terms.preview.read.tool, terms.preview.show
