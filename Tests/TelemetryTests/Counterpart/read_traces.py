"""Reads a request of traces as protobuf and as JSON, strictly, and prints what both say as one JSON document."""
import base64
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def strict(data):
    request = ExportTraceServiceRequest()
    assert request.ParseFromString(data) == len(data)
    # What is not known is dropped here.
    known = ExportTraceServiceRequest()
    known.CopyFrom(request)
    known.DiscardUnknownFields()
    assert known == request and known.ByteSize() == request.ByteSize(), "unknown fields"
    assert len(request.SerializeToString()) == len(data), "not in the shortest form"
    return request


def with_base64(value):
    """The protocol writes identities as hexadecimal digits, where protobuf's JSON has base64."""
    if isinstance(value, list):
        return [with_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    return {
        name: base64.b64encode(bytes.fromhex(item)).decode() if name in ids else with_base64(item)
        for name, item in value.items()
    }


def plain(value):
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [plain(item) for item in value.array_value.values]
    return getattr(value, kind)


binary, text = (open(path, "rb").read() for path in sys.argv[1:3])
request = strict(binary)
other = json_format.ParseDict(with_base64(json.loads(text)), ExportTraceServiceRequest())
assert other == request, "the two forms differ"

spans = [
    {
        "id": span.span_id.hex(),
        "trace": span.trace_id.hex(),
        "parent": span.parent_span_id.hex(),
        "name": span.name,
        "kind": span.kind,
        "start": str(span.start_time_unix_nano),
        "end": str(span.end_time_unix_nano),
        "status": span.status.code,
        "attributes": {item.key: plain(item.value) for item in span.attributes},
        "events": [event.name for event in span.events],
        "links": [link.span_id.hex() for link in span.links],
    }
    for resource in request.resource_spans
    for scope in resource.scope_spans
    for span in scope.spans
]
resource = {item.key: plain(item.value) for item in request.resource_spans[0].resource.attributes}
json.dump({"resource": resource, "spans": spans}, sys.stdout)
