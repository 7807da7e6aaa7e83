import { Schema } from "effect"

const milliseconds = Schema.Int.annotate({ description: "Unix time in milliseconds." })

export const exampleAttempt = {
  attempt: 1,
  started_at_ms: 1760000120003,
  outcome: "failed" as const,
  address: "203.0.113.7",
  timings: { dns_ms: 2, connect_ms: 11, tls_ms: 14, first_byte_ms: 13, total_ms: 41 },
  request: {
    headers: {
      "content-type": "application/json",
      "webhook-id": "yJ5vXc0eVb7nQm2sRk4wTz8a",
      "webhook-timestamp": "1760000120",
      "x-headwater-emitter-id": "dc_0Uz7Me6SAe7TzXw9LrNf",
      "x-headwater-event-id": "1760000120000-0",
      "x-headwater-event-name": "default",
      "x-headwater-subscription-id": "sub_0Uz7MtS4Bn6RwSe2MxDa",
      "x-headwater-attempt": "1",
      host: "warehouse.example.com",
      "user-agent": "Headwater/0.1.0",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      "x-headwater-hops": "1"
    }
  },
  response: {
    status: 500,
    headers: { "content-type": "text/plain" },
    body: "out of stock table",
    body_encoding: "utf8" as const
  },
  first_request: null,
  error_class: "status",
  error_message: "the endpoint answered 500",
  next_attempt_at_ms: 1760000125400
}

const phase = (description: string) => Schema.NullOr(Schema.Int).annotate({ description })

export const AttemptResource = Schema.Struct({
  attempt: Schema.Int.annotate({ description: "From 1." }),
  started_at_ms: milliseconds,
  outcome: Schema.Literals(["delivered", "failed"]),
  address: Schema.NullOr(Schema.String).annotate({ description: "The address that the server connected to." }),
  timings: Schema.Struct({
    dns_ms: phase("Looking up the name."),
    connect_ms: phase("Connecting; null on a connection that was kept from an earlier request."),
    tls_ms: phase("The TLS handshake; null without one."),
    first_byte_ms: phase("From sending the request until the answer began."),
    total_ms: Schema.Int.annotate({ description: "The whole attempt." })
  }).annotate({ description: "Milliseconds; null for a phase that the attempt did not reach or did not need." }),
  request: Schema.Struct({
    headers: Schema.NullOr(Schema.Record(Schema.String, Schema.String)).annotate({
      description:
        "As they were sent, with *** for secrets; null for attempts of versions that did not record them. The body is the " +
        "event's payload."
    })
  }),
  response: Schema.NullOr(Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.String.annotate({ description: "The first 1 KiB after a success, the first 16 KiB after a failure." }),
    body_encoding: Schema.Literals(["utf8", "base64"])
  })).annotate({ description: "null if the endpoint did not answer." }),
  first_request: Schema.NullOr(Schema.Struct({
    address: Schema.String,
    timings: Schema.Struct({
      dns_ms: phase("Looking up the name."),
      connect_ms: phase("Connecting."),
      tls_ms: phase("The TLS handshake."),
      total_ms: Schema.Int.annotate({ description: "From the beginning of the attempt until the second request." })
    }),
    error_class: Schema.String,
    error_message: Schema.String
  })).annotate({
    description: "What became of the first request, if the attempt took two. All else tells of the second one."
  }),
  error_class: Schema.NullOr(Schema.String),
  error_message: Schema.NullOr(Schema.String).annotate({ description: "The failure, in words." }),
  next_attempt_at_ms: Schema.NullOr(milliseconds).annotate({
    description: "When the next attempt was due after this one; null if there was none to be."
  })
}).annotate({ identifier: "DeliveryAttempt" })
export type AttemptResource = typeof AttemptResource.Type
