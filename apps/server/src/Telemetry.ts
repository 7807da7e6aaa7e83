import { NodeHttpClient } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { Layer } from "effect"
import { Otlp, OtlpSerialization } from "effect/observability"

/**
 * Sends logs, metrics and traces to the OpenTelemetry collector that the standard `OTEL_*` variables name; without one,
 * nothing.
 */
export const layer = Otlp.layerFromConfig({
  resource: { serviceName: "headwater", serviceVersion: version },
  loggerMergeWithExisting: true
}).pipe(
  Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici])
)
