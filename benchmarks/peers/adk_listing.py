"""google-adk: the function declarations of chosen operations; prints a JSON line.

Arguments: description, and a file of operationIds (one a line).
"""

import json
import sys

from google.adk.tools.openapi_tool.openapi_spec_parser.openapi_toolset import OpenAPIToolset


def main(description: str, wanted: str) -> None:
    with open(description, encoding="utf-8") as file:
        document = json.load(file)
    keep = set(open(wanted, encoding="utf-8").read().split())
    for path, item in list(document["paths"].items()):
        for method in list(item):
            operation = item[method]
            if isinstance(operation, dict) and "responses" in operation and operation.get("operationId") not in keep:
                del item[method]
        if not any(isinstance(entry, dict) and "responses" in entry for entry in item.values()):
            del document["paths"][path]
    toolset = OpenAPIToolset(spec_dict=document)
    declarations = [tool._get_declaration() for tool in toolset._tools]
    size = sum(len(json.dumps(d.model_dump(mode="json", exclude_none=True, by_alias=True))) for d in declarations)
    print(json.dumps({"tools": len(declarations), "bytes": size}))


main(sys.argv[1], sys.argv[2])
