"""The only door to datamodel-code-generator: definitions in, its Python out, as one text for many tools.

Its version is pinned exactly, each option that shapes the text is stated, no formatter runs and no time is printed.
`modules.py` reads the text back and lets through only what a contract may hold.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from .shapes import Shape

__all__ = ["GENERATOR", "write_models"]

GENERATOR = "datamodel-code-generator"
_ARGUMENTS = "toolcharter_runtime.contract.ToolArguments"
_RESULT = "toolcharter_runtime.contract.ToolResult"


def write_models(models: Mapping[str, Shape]) -> str:
    """Return the Python of the models, by class name; all of them share one document, which is what is fast."""
    from datamodel_code_generator import InputFileType, LiteralType, generate
    from datamodel_code_generator.enums import DataModelType, TargetPydanticVersion
    from datamodel_code_generator.format import PythonVersion

    document = {"$defs": {name: shape.definition for name, shape in models.items()}}
    aliases = {
        f"{name}.{key}": python
        for name, shape in models.items()
        for key, python in shape.aliases.items()
    }
    text = generate(
        json.dumps(document),
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        target_python_version=PythonVersion.PY_311,
        target_pydantic_version=TargetPydanticVersion.V2_12,
        base_class=_ARGUMENTS,
        base_class_map={name: _RESULT for name, shape in models.items() if shape.is_result},
        aliases=aliases,
        use_annotated=True,
        field_constraints=True,
        use_schema_description=True,
        use_field_description=True,
        use_inline_field_description=True,
        enum_field_as_literal=LiteralType.All,
        use_one_literal_as_default=False,
        use_missing_sentinel=True,
        strict_nullable=True,
        use_type_alias=True,
        use_standard_collections=True,
        use_union_operator=True,
        use_title_as_name=False,
        skip_root_model=True,
        reuse_model=False,
        snake_case_field=False,
        disable_timestamp=True,
        disable_future_imports=True,
        formatters=[],
    )
    if not isinstance(text, str):
        raise TypeError(f"{GENERATOR} gave {type(text).__name__} instead of one module")
    return text
