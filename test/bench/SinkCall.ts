import { Schema } from "effect"

const Target = Schema.Struct({
  /** By event counted from the first, the time it came on the machine's monotonic clock; 0 where it did not. */
  receivedAt: Schema.instanceOf(Float64Array),
  distinct: Schema.Int,
  /** Deliveries of what had come before. */
  repeated: Schema.Int,
  /** Deliveries whose body is not what was sent. */
  malformed: Schema.Int
})

/** Forgets what came before and counts events from here. */
const Begin = Schema.TaggedStruct("Begin", { from: Schema.Int, bytes: Schema.Int })
/** How many different events have come, over the named targets. */
const Count = Schema.TaggedStruct("Count", { targets: Schema.Array(Schema.String) })
/** What has come to the named targets. */
const Take = Schema.TaggedStruct("Take", { targets: Schema.Array(Schema.String) })

/** What becomes of requests at the fragile URL from now on. Behind a proxy, a dead endpoint answers 503. */
const Outage = Schema.TaggedStruct("Outage", { kind: Schema.Literals(["none", "unavailable", "refused"]) })

export const sink = {
  request: Schema.Union([Begin, Count, Take, Outage]),
  reply: Schema.Struct({
    /** Where the sink listens. A target answers below `/at-once/<name>`, `/slow/<name>` or, never, `/silent/<name>`; below `/throttled/<name>` it answers 429. */
    url: Schema.String,
    /** The same over TLS, with a certificate of the tests' own authority. */
    secureUrl: Schema.String,
    /** The same at another port, which can have an outage. */
    fragileUrl: Schema.String,
    distinct: Schema.Int,
    targets: Schema.Record(Schema.String, Target)
  })
}
