"""Codes of reading files and descriptions; names, severities and reasons are the source stage's own."""

from __future__ import annotations

from toolcharter.source.codes import SOURCE_CODES

from ._entry import Entry

__all__ = ["LOADING_CODES"]

_SNIPPETS = {
    "TC701": (
        "Finds references to nothing.",
        '$ref: "#/components/schemas/Costumer"',
        '$ref: "#/components/schemas/Customer"',
    ),
    "TC702": (
        "Finds references to the network.",
        "$ref: https://example.com/common.yaml#/Address",
        "$ref: common.yaml#/Address       # a copy beside the description",
    ),
    "TC703": (
        "Finds keywords beside `$ref` in OpenAPI 3.0 and Swagger 2.0, where they have no meaning.",
        '{$ref: "#/components/schemas/Name", maxLength: 80}',
        '{allOf: [{$ref: "#/components/schemas/Name"}], maxLength: 80}',
    ),
    "TC704": (
        "Finds a key that stands twice in one map.",
        "{type: string, type: integer}",
        "{type: integer}",
    ),
    "TC705": (
        "Finds a construct of the description that a contract cannot represent exactly.",
        "{type: object, patternProperties: {…}}       # reached by an input",
        "input: {name: /name}                         # narrowed to what can be represented",
    ),
    "TC706": (
        "Finds unquoted scalars that YAML 1.1 and 1.2 read differently.",
        "version: 0o17",
        'version: "0o17"',
    ),
    "TC707": (
        "Finds operations that share a name, or whose path names no parameter of theirs.",
        "operationId: getCustomer        # twice",
        'operation: "GET /customers/{customer_id}"',
    ),
    "TC710": ("Finds files that cannot be read.", "spec: opnapi.yaml", "spec: openapi.yaml"),
    "TC711": (
        "Finds files larger than what is read.",
        "spec: everything.json     # 300 MB",
        "spec: slice.json",
    ),
    "TC712": ("Finds empty files.", "# an empty charter.yaml", "charter: 1"),
    "TC713": (
        "Finds text that is not UTF-8.",
        "title: Gru\\xdf         # Latin-1",
        "title: Gruß       # UTF-8",
    ),
    "TC714": (
        "Finds text that is not JSON or YAML.",
        "tools: {get_customer: [}",
        "tools: {get_customer: {}}",
    ),
    "TC715": ("Finds files that hold a list or a scalar.", "- charter: 1", "charter: 1"),
    "TC716": ("Finds files nested deeper than what is read.", "[[[[[[…]]]]]]", "[…]"),
    "TC717": (
        "Finds YAML merge keys.",
        "{<<: *shared, maxLength: 80}",
        "{type: string, maxLength: 80}",
    ),
    "TC718": ("Finds YAML tags.", "pattern: !!python/name:os.system", "pattern: ^[a-z]+$"),
    "TC719": (
        "Finds several YAML documents in one file.",
        "charter: 1\n---\ncharter: 1",
        "charter: 1",
    ),
    "TC720": (
        "Finds YAML aliases that explode, or that contain themselves.",
        "a: &a [*a, *a]",
        "a: [1, 2]",
    ),
    "TC721": ("Finds values that JSON does not have.", "maximum: .inf", "maximum: 50000"),
    "TC722": (
        "Finds references that leave the description's folder.",
        "$ref: ../../secrets.yaml#/key",
        "$ref: common.yaml#/Address",
    ),
    "TC723": (
        "Finds references that lead only to each other.",
        'A: {$ref: "#/B"}, B: {$ref: "#/A"}',
        "A: {type: string}",
    ),
    "TC724": ("Finds versions of OpenAPI that are not read.", "openapi: 4.0.0", "openapi: 3.1.0"),
    "TC725": (
        "Finds parts of the wrong shape.",
        "parameters: {name: id, in: path}",
        "parameters: [{name: id, in: path}]",
    ),
    "TC726": (
        "Finds tools over operations that the description does not have.",
        "operation: getCostumer",
        "operation: getCustomer",
    ),
    "TC727": (
        "Finds parts, reached by a tool, that break the rules of their version of OpenAPI.",
        "{name: id, in: path, schema: {type: string}}",
        "{name: id, in: path, required: true, schema: {type: string}}",
    ),
    "TC728": (
        "Finds outputs that would overwrite a file.",
        "toolcharter init      # charter.yaml exists",
        "toolcharter init --out other",
    ),
    "TC729": (
        "Finds outputs that cannot be written.",
        "toolcharter init --out /proc",
        "toolcharter init --out specs/crm",
    ),
    "TC740": (
        "Finds overlays of the wrong shape, and updates that do not fit what they would change.",
        'actions: [{target: "$.paths[", update: {}}]',
        """actions: [{target: "$.paths['/a'].get", update: {deprecated: true}}]""",
    ),
    "TC741": (
        "Finds actions of an overlay whose target matches nothing.",
        "target: $.components.schemas.Costumer",
        "target: $.components.schemas.Customer",
    ),
}
_UNWRITTEN = ("Finds what the name says.", "…", "…")


def _entry(code: str) -> Entry:
    source = next(entry for entry in SOURCE_CODES if entry.code == code)
    what, bad, good = _SNIPPETS.get(code, _UNWRITTEN)
    return Entry(code, source.name, (what, source.why, bad, good), source.severity)


LOADING_CODES = tuple(_entry(source.code) for source in SOURCE_CODES)
