"""Every version of OpenAPI in one shape: the parts of an operation, and schemas as JSON Schema 2020-12 has them."""
