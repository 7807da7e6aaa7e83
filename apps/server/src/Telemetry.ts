import { NodeHttpClient } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { Effect, Layer, References, Tracer } from "effect"
import { Otlp, OtlpSerialization } from "effect/observability"

/** Spans that nobody collects are not made: they would take a fair part of the time of an event. */
const tracingOnlyIfCollected = Layer.unwrap(
  Effect.map(
    Tracer.Tracer,
    (tracer) => tracer === Tracer.nativeTracer ? Layer.succeed(References.TracerEnabled, false) : Layer.empty
  )
)

/**
 * Sends logs, metrics and traces to the OpenTelemetry collector that the standard `OTEL_*` variables name; without one,
 * nothing.
 */
export const layer = tracingOnlyIfCollected.pipe(
  Layer.provideMerge(Otlp.layerFromConfig({
    resource: { serviceName: "headwater", serviceVersion: version },
    loggerMergeWithExisting: true
  })),
  Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici])
)
