import { NodeHttpClient } from "@effect/platform-node"
import { version } from "@headwater/domain/Version"
import { ConfigProvider, Effect, Layer, References, Tracer } from "effect"
import { Otlp, OtlpSerialization } from "effect/observability"

/** Spans that nobody collects are not made: they would take a fair part of the time of an event. */
const tracingOnlyIfCollected = Layer.unwrap(
  Effect.map(
    Tracer.Tracer,
    (tracer) => tracer === Tracer.nativeTracer ? Layer.succeed(References.TracerEnabled, false) : Layer.empty
  )
)

/**
 * Everything goes to the collector, if one is named, unless told otherwise (OpenTelemetry environment variables
 * specification, "Exporter selection").
 */
const exporterDefaults = ConfigProvider.layerAdd(ConfigProvider.fromUnknown({
  OTEL_TRACES_EXPORTER: "otlp",
  OTEL_METRICS_EXPORTER: "otlp",
  OTEL_LOGS_EXPORTER: "otlp"
}))

const exporting = (attributes: Readonly<Record<string, unknown>>) =>
  tracingOnlyIfCollected.pipe(
    Layer.provideMerge(Otlp.layerFromConfig({
      resource: { serviceName: "headwater", serviceVersion: version, attributes },
      loggerMergeWithExisting: true
    })),
    Layer.provide(exporterDefaults),
    Layer.provide([OtlpSerialization.layerJson, NodeHttpClient.layerUndici])
  )

/**
 * Sends logs, metrics and traces to the OpenTelemetry collector that the standard `OTEL_*` variables name; without one,
 * nothing.
 */
export const layer = exporting({})

/** The same of one of a machine's workers, which the collector tells from the others by its instance. */
export const layerWorker = (number: number) => exporting({ "service.instance.id": `worker-${number}` })
