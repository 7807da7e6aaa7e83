import type { AttemptResource } from "@headwater/api/DeliveryAttempt"
import * as Output from "./Output.ts"

const phases = ({ timings: { connect_ms, dns_ms, first_byte_ms, tls_ms, total_ms } }: AttemptResource): string =>
  [
    ["dns", dns_ms],
    ["connect", connect_ms],
    ["tls", tls_ms],
    ["first byte", first_byte_ms],
    ["total", total_ms]
  ].flatMap(([name, ms]) => ms === null ? [] : `${name} ${ms} ms`).join(", ")

/** The first request of two. */
const first = ({ first_request }: AttemptResource): ReadonlyArray<string> =>
  first_request === null
    ? []
    : [
      `  The second request: the first one ended after ${first_request.timings.total_ms} ms (${first_request.error_message})`
    ]

const headers = (sent: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(sent).map(([name, value]) => `    ${name}: ${value}`)

/** An attempt's request and answer, in lines for a person. */
export const linesOf = (attempt: AttemptResource): ReadonlyArray<string> => {
  const { address, error_message, request, response } = attempt
  const what = attempt.outcome === "delivered" ? String(response?.status) : error_message ?? "failed"
  return [
    "",
    `Attempt ${attempt.attempt}   ${Output.timeOfMs(attempt.started_at_ms)} UTC   ${what}`,
    `  ${address === null ? "" : `${address}: `}${phases(attempt)}`,
    ...first(attempt),
    ...(request.headers === null ? [] : ["  Sent", ...headers(request.headers)]),
    ...(response === null ? [] : [`  Answered ${response.status}`, ...headers(response.headers)]),
    ...(response === null || response.body === "" ? [] : [
      "",
      ...(response.body_encoding === "utf8" ? response.body : `(base64) ${response.body}`).split("\n").map((line) =>
        `    ${line}`
      )
    ])
  ]
}
