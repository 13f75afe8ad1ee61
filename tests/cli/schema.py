# SPDX-License-Identifier: Apache-2.0
"""Holds files against a JSON Schema, as far as docs/report.schema.json uses one: schema.py SCHEMA FILE...

Prints a line for each place that is otherwise; ends with status 1 then."""
import json
import sys

TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "boolean": bool}
KNOWN = {"$schema", "$defs", "$ref", "title", "description", "type", "const", "properties", "required",
         "additionalProperties", "items", "anyOf"}


def is_type(value, name):
    if name in ("integer", "number"):
        return isinstance(value, (int, float) if name == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def wrong(root, schema, value, where="$"):
    if set(schema) - KNOWN:
        raise SystemExit(f"{where}: this checker does not know {set(schema) - KNOWN}")
    if "$ref" in schema:
        yield from wrong(root, root["$defs"][schema["$ref"].rpartition("/")[2]], value, where)
    if "anyOf" in schema and all(any(True for _ in wrong(root, one, value, where)) for one in schema["anyOf"]):
        yield f"{where}: none of its forms"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    types = schema.get("type", [])
    if types and not any(is_type(value, t) for t in ([types] if isinstance(types, str) else types)):
        yield f"{where}: {type(value).__name__} is not {types}"
    if isinstance(value, dict):
        known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
        yield from (f"{where}: no {key}" for key in schema.get("required", []) if key not in value)
        for key, one in value.items():
            if key in known:
                yield from wrong(root, known[key], one, f"{where}.{key}")
            elif more is False:
                yield f"{where}: {key} is not told of"
            elif isinstance(more, dict):
                yield from wrong(root, more, one, f"{where}.{key}")
    if isinstance(value, list) and "items" in schema:
        for i, one in enumerate(value):
            yield from wrong(root, schema["items"], one, f"{where}[{i}]")


def main():
    found = 0
    schema = json.load(open(sys.argv[1], encoding="utf-8"))
    for path in sys.argv[2:]:
        for line in wrong(schema, schema, json.load(open(path, encoding="utf-8"))):
            found += 1
            if found <= 20:
                print(f"{path}: {line}")
    sys.exit(found > 0)


main()
