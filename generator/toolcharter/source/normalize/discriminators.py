"""Discriminators: the property that tells branches apart, and the definition that each of its values names."""

from __future__ import annotations

from dataclasses import dataclass

from toolcharter.source.definitions import Definitions
from toolcharter.source.operation import Schema
from toolcharter.source.reading import Node, Reading, malformed
from toolcharter.source.refusal import SourceError

__all__ = ["Names", "read_discriminator"]


@dataclass(frozen=True, slots=True)
class Names:
    """Where the values of mappings lead to."""

    definitions: Definitions
    reading: Reading

    def definition(self, node: Node) -> str:
        """Return the definition's name of a mapping's value: a component's name, or else a reference."""
        text = self.reading.text(node, "A mapping's value") or ""
        try:
            target = self.definitions.mapped(text, node.anchor)
        except SourceError as error:
            self.reading.findings.append(error.diagnostic)
            return ""
        return self.definitions.name(target, self.reading)


def read_discriminator(node: Node, names: Names) -> Schema:
    """Return property, mapping, and what 3.2 says for any other value (`defaultMapping`), if it does."""
    if isinstance(node.value, str):  # Swagger 2.0
        return {"propertyName": node.value, "mapping": {}}
    reading = names.reading
    reading.mapping(node, "`discriminator`")
    name = reading.text(node.get("propertyName"), "`propertyName`")
    if name is None:
        malformed(reading, node.anchor, "`discriminator` has no `propertyName`")
    mapping = node.get("mapping")
    values = reading.mapping(mapping, "`mapping`")
    targets = {tag: names.definition(mapping / tag) for tag in values} if mapping else {}
    read: Schema = {"propertyName": name or "", "mapping": targets}
    default = node.get("defaultMapping")
    if default is not None:
        read["defaultMapping"] = names.definition(default)
    return read
