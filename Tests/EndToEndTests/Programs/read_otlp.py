"""Reads an OTLP export of metrics from a file with the reference's messages, and prints each data point."""

import sys
from pathlib import Path

from google.protobuf import json_format
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE


def main():
    request = json_format.Parse(Path(sys.argv[1]).read_text(), ExportMetricsServiceRequest())
    for resource in request.resource_metrics:
        attributes = {each.key: each.value.string_value for each in resource.resource.attributes}
        print("resource", " ".join(sorted(attributes)), attributes["service.name"])
        for metric in (each for scope in resource.scope_metrics for each in scope.metrics):
            kind = metric.WhichOneof("data")
            data = getattr(metric, kind)
            if kind != "gauge":
                assert data.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
            for point in data.data_points:
                labels = ",".join(f'{each.key}="{each.value.string_value}"' for each in point.attributes)
                assert point.time_unix_nano >= point.start_time_unix_nano
                if kind == "histogram":
                    assert len(point.bucket_counts) == len(point.explicit_bounds) + 1
                    assert sum(point.bucket_counts) == point.count
                    value = point.count
                else:
                    value = getattr(point, point.WhichOneof("value"))
                print(kind, f"{metric.name}{{{labels}}}", value)


if __name__ == "__main__":
    main()
