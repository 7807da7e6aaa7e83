import { bytes, duration } from "../charts/Figures.ts"
import { curl } from "../code/Curl.ts"
import { type AttemptResource, errorClasses } from "../resources/Deliveries.ts"
import { bodyOf, type Sent } from "../resources/Sent.ts"
import { Badge } from "./Badge.tsx"
import { Copy } from "./Copy.tsx"
import { harmless } from "./Harmless.ts"
import { Time } from "./Time.tsx"

const Headers = ({ headers }: { readonly headers: Readonly<Record<string, string>> }) => (
  <dl class="headers">
    {Object.entries(headers).map(([name, value]) => (
      <div key={name}>
        <dt>
          <bdi>{harmless(name)}</bdi>
        </dt>
        <dd>
          <bdi>{harmless(value)}</bdi>
        </dd>
      </div>
    ))}
  </dl>
)

const phases = [
  ["dns_ms", "DNS"],
  ["connect_ms", "connection"],
  ["tls_ms", "TLS"],
  ["first_byte_ms", "first byte"]
] as const

/** The durations of an attempt's phases, one after the other. */
const Timings = ({ timings }: { readonly timings: AttemptResource["timings"] }) => {
  const parts = phases.flatMap(([name, label]) => {
    const ms = timings[name]
    return ms === null ? [] : [{ label, ms }]
  })
  const rest = timings.total_ms - parts.reduce((sum, { ms }) => sum + ms, 0)
  const all = rest > 0 ? [...parts, { label: "rest of the answer", ms: rest }] : parts
  const total = Math.max(1, timings.total_ms)
  return (
    <div class="timings">
      <div class="timings-bar" aria-hidden="true">
        {all.map(({ label, ms }) => <span key={label} style={{ flexGrow: Math.max(0.01, ms / total) }} />)}
      </div>
      <p class="note">
        {duration(timings.total_ms)} in all{all.length < 2
          ? ""
          : `: ${all.map(({ label, ms }) => `${label} ${duration(ms)}`).join(", ")}`}
      </p>
    </div>
  )
}

/** One request and its response, side by side. */
export const AttemptView = ({ attempt, sent }: {
  readonly attempt: AttemptResource
  readonly sent: Sent
}) => {
  const { error_class, error_message, first_request, request, response } = attempt
  const { method, url } = sent
  const headers = request.headers ?? {}
  const body = bodyOf(sent, headers)
  const asked = headers["host"]
  const isElsewhere = url !== undefined && asked !== undefined && new URL(url).host !== asked
  return (
    <article class="attempt" aria-label={`Attempt ${attempt.attempt}`}>
      <header>
        <h3>Attempt {attempt.attempt}</h3>
        <Badge
          tone={attempt.outcome === "delivered" ? "good" : "bad"}
          text={response === null ? error_class ?? attempt.outcome : String(response.status)}
        />
        <Time ms={attempt.started_at_ms} milliseconds />
        {url === undefined || !("text" in body) || isElsewhere ? null : (
          <Copy
            label="Copy as curl"
            what="request"
            text={() => curl({ method, url, headers, body: body.text })}
          />
        )}
        {attempt.address === null ? null : <span class="note">to {attempt.address}</span>}
      </header>
      {error_class === null ? null : (
        <p class="fault">
          {error_message === null ? "" : `${harmless(error_message)} `}
          <span class="note">({error_class}: {errorClasses[error_class] ?? "an error of an unknown kind"})</span>
        </p>
      )}
      {first_request === null ? null : (
        <p class="note">
          This is the second request. The first one ended after {duration(first_request.timings.total_ms)}:{" "}
          {harmless(first_request.error_message)} ({first_request.error_class})
        </p>
      )}
      <Timings timings={attempt.timings} />
      <div class="exchange">
        <div>
          <h4>Request</h4>
          <p class="line">
            <code>{method} {isElsewhere ? harmless(asked) : url === undefined ? "" : harmless(url)}</code>
          </p>
          {isElsewhere ? <p class="note">The webhook's URL has changed since.</p> : null}
          {request.headers === null
            ? <p class="note">An older version did not record the headers.</p>
            : <Headers headers={request.headers} />}
          {!("text" in body)
            ? <p class="note">{body.missing}</p>
            : body.text === ""
            ? <p class="note">The body is empty.</p>
            : <pre class="raw" tabIndex={0}><bdi>{harmless(body.text.slice(0, 20_000))}</bdi></pre>}
          {"text" in body && body.text.length > 20_000
            ? <p class="note">The first 20 kB of {bytes(body.text.length)}.</p>
            : null}
        </div>
        <div>
          <h4>Response</h4>
          {response === null
            ? <p class="note">The endpoint did not answer.</p>
            : (
              <>
                <p class="line">
                  <code>{response.status}</code>
                </p>
                <Headers headers={response.headers} />
                {response.body === ""
                  ? <p class="note">The body is empty.</p>
                  : (
                    <>
                      {response.body_encoding === "base64" ? <p class="note">Not text; in base64:</p> : null}
                      <pre class="raw" tabIndex={0}><bdi>{harmless(response.body)}</bdi></pre>
                    </>
                  )}
              </>
            )}
        </div>
      </div>
    </article>
  )
}
