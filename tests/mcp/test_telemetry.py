"""OpenTelemetry: a span for each call and counters, without arguments and without names that a model invented."""

from contextlib import suppress
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from tests.mcp.server_support import Api, application, call

from specfn import mcp

SECRET = "secret-4711"  # an argument


@pytest.fixture(scope="module")
def telemetry() -> tuple[InMemorySpanExporter, InMemoryMetricReader]:
    """The exporters of this process. A provider can be set once, so the tests of this file share it."""
    spans, reader = InMemorySpanExporter(), InMemoryMetricReader()
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(tracing)
    metrics.set_meter_provider(MeterProvider([reader]))
    return spans, reader


def counts(reader: InMemoryMetricReader) -> dict[tuple[Any, ...], Any]:
    """The counters, by their name and attributes."""
    data = reader.get_metrics_data()
    return {
        (metric.name, *point.attributes.values()): point.value
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        if scope.scope.name == "specfn"
        for metric in scope.metrics
        for point in metric.data.data_points
    }


def test_calls_are_spans_and_counters(telemetry: Any) -> None:
    """A call has one span with its function, kind, status and repairs; kinds and repairs are counted; no value is exported."""
    spans, reader = telemetry
    api = Api()
    server = mcp.server(application(), api.connection())
    for name, sent in (
        ("pets_getById", {"id": "7"}),
        ("pets_getById", {"id": SECRET}),
        ("pets_post", {"body": {"name": SECRET}}),
        (f"{SECRET}_{SECRET}", {}),
    ):
        with suppress(MCPError):  # the unknown tool
            call(server, "auto", name, sent)
    own = [span for span in spans.get_finished_spans() if span.name == "specfn.call"]
    assert [span.attributes["specfn.kind"] for span in own] == [
        "answered",
        "invalid",
        "refused",
        "unknown_function",
    ]
    assert own[0].attributes["http.response.status_code"] == 200
    assert own[0].attributes["specfn.repairs"] == 1
    assert all(SECRET not in span.to_json() for span in own)
    counted = counts(reader)
    assert counted == {
        ("specfn.calls", "pets_getById", "answered"): 1,
        ("specfn.calls", "pets_getById", "invalid"): 1,
        ("specfn.calls", "pets_post", "refused"): 1,
        ("specfn.calls", "unknown_function"): 1,
        ("specfn.repairs", "pets_getById"): 1,
    }
