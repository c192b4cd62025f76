"""The served OpenAPI document, and schemathesis let loose on what it describes."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from schemathesis import checks as all_checks
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks as openapi_checks

from tests.server.server_process import ServerProcess, Signed, Visitor, refused, seated

CHECKS = [
    all_checks.not_a_server_error,
    openapi_checks.status_code_conformance,
    openapi_checks.content_type_conformance,
    openapi_checks.response_headers_conformance,
    openapi_checks.response_schema_conformance,
]


@pytest.fixture(scope="module")
def described(house: ServerProcess) -> Any:
    return requests.get(f"{house.url}/v1/openapi.json", timeout=30).json()


def test_every_endpoint_of_the_contract_is_described(described: Any) -> None:
    found = {f"{method.upper()} {path}" for path, methods in described["paths"].items() for method in methods}
    assert found == {
        "GET /v1",
        "GET /v1/games",
        "GET /v1/games/{key}",
        "POST /v1/players",
        "GET /v1/players/{name}",
        "PUT /v1/players/{name}/key",
        "POST /v1/tables",
        "GET /v1/tables",
        "GET /v1/waiting",
        "GET /v1/tables/{table}",
        "POST /v1/tables/{table}/sits",
        "POST /v1/tables/{table}/moves",
        "POST /v1/tables/{table}/resignations",
        "POST /v1/tables/{table}/statements",
        "GET /v1/mailbox",
        "PUT /v1/mailbox",
        "POST /v1/mailbox/confirmation",
        "PUT /v1/mailbox/delegation",
        "POST /v1/mailbox/revocation",
        "GET /v1/tables/{table}/log",
        "GET /v1/tables/{table}/view",
        "GET /v1/tables/{table}/moves",
        "GET /v1/tables/{table}/events",
        "GET /v1/tables/{table}/record",
    }


def modes(operation: Any) -> list[schemathesis.GenerationMode]:
    """What the schema allows, and what it does not where it forbids anything: of a path any text is one."""
    forbids = operation.get("requestBody") or any(one["in"] == "query" for one in operation.get("parameters", []))
    return [schemathesis.GenerationMode.POSITIVE, *([schemathesis.GenerationMode.NEGATIVE] if forbids else [])]


def test_nothing_that_fits_the_description_breaks_the_server(house: ServerProcess, described: Any) -> None:
    """Every operation, as anybody and as a signed player, with what the schema allows and what it does not."""
    table, players = seated(house.url)
    before = players[0].log(table)
    schema = schemathesis.openapi.from_dict(described)
    schema.config.update(base_url=house.url)
    session = requests.Session()

    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        for mode in modes(operation.definition.raw):

            @hypothesis.seed(1847)
            @hypothesis.settings(
                max_examples=12,
                deadline=None,
                database=None,
                phases=[hypothesis.Phase.generate],
                suppress_health_check=list(hypothesis.HealthCheck),
            )
            @hypothesis.given(case=operation.as_strategy(generation_mode=mode), signed=hypothesis.strategies.booleans())
            def served(case: schemathesis.Case[Any], signed: bool) -> None:
                if case.path_parameters and "table" in case.path_parameters and signed:
                    case.path_parameters["table"] = table
                if case.query:
                    case.query.pop("wait", None)
                auth = Signed(players[0].key) if signed else None
                case.call_and_validate(session=session, auth=auth, checks=CHECKS, timeout=30)

            served()
    assert players[0].log(table) == before
    refused(Visitor(house.url).ask("GET", "/openapi"), 404, "not-found")
