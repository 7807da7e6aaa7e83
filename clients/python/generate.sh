#!/bin/sh
# Writes a Python client into clients/python/headwater_client, from the OpenAPI document. Needs openapi-python-client, and
# a Headwater server at HEADWATER_URL for its document.
set -eu
cd "$(dirname "$0")"
url=${HEADWATER_URL:-http://127.0.0.1:8787}
exec openapi-python-client generate --overwrite --meta none --output-path headwater_client --url "$url/openapi.json"
