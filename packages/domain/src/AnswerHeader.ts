/**
 * Headers that a component's answer may have. An answer comes from the origin that the console and other accounts'
 * endpoints are at, so it says nothing that holds for an origin (`Clear-Site-Data`, `Strict-Transport-Security`,
 * `Alt-Svc`, `NEL`, `Service-Worker-Allowed`) or that a proxy in front of the server takes for an order
 * (`X-Accel-Redirect`).
 */

/** Headers about the answer itself, or for the code that asked for it. */
const names: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-patch",
  "accept-post",
  "accept-ranges",
  "age",
  "allow",
  "cache-control",
  "content-digest",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-location",
  "content-md5",
  "content-range",
  "content-security-policy",
  "content-security-policy-report-only",
  "content-type",
  "cross-origin-embedder-policy",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "date",
  "dav",
  "deprecation",
  "digest",
  "etag",
  "expires",
  "idempotency-key",
  "idempotency-replayed",
  "last-modified",
  "link",
  "location",
  "mcp-protocol-version",
  "mcp-session-id",
  "permissions-policy",
  "pragma",
  "preference-applied",
  "referrer-policy",
  "refresh",
  "repr-digest",
  "retry-after",
  "server",
  "server-timing",
  "set-cookie",
  "signature",
  "signature-input",
  "sunset",
  "timing-allow-origin",
  "traceparent",
  "tracestate",
  "vary",
  "via",
  "want-content-digest",
  "want-digest",
  "want-repr-digest",
  "warning",
  "www-authenticate"
])

/**
 * Families of headers: of CORS, CloudEvents, rate limits, resumable uploads, webhooks, and whatever somebody made up.
 */
const families = /^(?:access-control|ce|ratelimit|odata|request|correlation|tus|upload|webhook|x)-/

/** Orders to a proxy, and headers that browsers and plug-ins apply to a whole origin. */
const notOfAnswers = /^x-(?:accel-|sendfile|lighttpd-|litespeed-|reproxy-|permitted-cross-domain-policies$|request-id$)/

/**
 * True if a component's answer may have the header.
 *
 * @param name in lower case
 */
export const isAllowed = (name: string): boolean => names.has(name) || families.test(name) && !notOfAnswers.test(name)

/** The reason given for a header that is left out. */
export const why = "an answer of a component has only headers that are about the answer itself"
