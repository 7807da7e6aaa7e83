/** Code that relays requests between the old URL of a workflow and its new one, so that callers move one at a time. */

/** The path of the relay's code in a set-up. */
export const file = "actions/forward.mjs"

/** A request that has it was relayed once, and is not relayed again. */
const mark = "x-headwater-forwarded"

/** Headers of one connection, and those that its two ends make themselves. */
const connectionHeaders = `const ofConnection = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const isPassed = (name, connection = "") =>
  !ofConnection.has(name) && !connection.toLowerCase().split(/[\\s,]+/).includes(name)
`

/** A workflow that relays what comes to its endpoint. */
export const relay =
  `// Relays each request to another URL: method, path, query, headers and bytes. Made by \`headwater import forward\`.
import * as http from "node:http"
import * as https from "node:https"

const mark = ${JSON.stringify(mark)}
const longestMs = 25_000

${connectionHeaders}
const targetOf = (to, { path, url }) => {
  const target = new URL(to)
  if (path !== "/") target.pathname = target.pathname.replace(/\\/$/, "") + path
  target.search = [target.search, new URL(url).search].map((part) => part.slice(1)).filter(Boolean).join("&")
  return target
}

const bytesOf = ({ bodyBase64, bodyRaw }) =>
  bodyBase64 === undefined ? Buffer.from(bodyRaw ?? "") : Buffer.from(bodyBase64, "base64")

const headersOf = ({ headers }, bytes) => ({
  // The server has undone the codings of the body.
  ...Object.fromEntries(
    Object.entries(headers).filter(([name]) => name !== "content-encoding" && isPassed(name, headers.connection))
  ),
  ...(bytes.length === 0 && headers["content-length"] === undefined ? {} : { "content-length": bytes.length }),
  [mark]: "1"
})

const send = (target, method, headers, bytes) =>
  new Promise((resolve, reject) => {
    const { request } = target.protocol === "https:" ? https : http
    const sent = request(target, { method, headers }, (response) => {
      const parts = []
      response.on("data", (part) => parts.push(part))
      response.on("error", reject)
      response.on("end", () => {
        const { headers: { connection }, rawHeaders, statusCode } = response
        const pairs = rawHeaders.flatMap((name, index) => index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : [])
        resolve({
          status: statusCode,
          headers: pairs.filter(([name]) => isPassed(name.toLowerCase(), connection)),
          body: Buffer.concat(parts)
        })
      })
    })
    sent.on("error", reject)
    sent.setTimeout(longestMs, () => sent.destroy(new Error("it does not answer")))
    sent.end(bytes)
  })

export default {
  props: {
    http: { type: "$.interface.http", customResponse: true },
    to: { type: "string", label: "URL", description: "The URL to which requests are relayed." },
    answers: { type: "boolean", default: true, description: "Whether callers get its answer, or 200 at once." }
  },
  async run({ steps, $ }) {
    const { event } = steps.trigger
    const answer = async (response) => this.answers && (await $.respond(response))
    if (event.headers[mark] !== undefined) {
      await answer({ status: 508, body: "This request was relayed before." })
      return $.flow.exit("it was relayed before")
    }
    if (event.body?.raw_body_url !== undefined && event.bodyRaw === undefined) {
      await answer({ status: 501, body: "Bodies that were uploaded to a file are not relayed." })
      throw new Error("bodies that were uploaded to a file are not relayed")
    }
    const bytes = bytesOf(event)
    const target = targetOf(this.to, event)
    try {
      const response = await send(target, event.method, headersOf(event, bytes), bytes)
      await answer(response)
      if (!this.answers && (response.status >= 500 || response.status === 429)) {
        throw new Error(\`the receiver answered \${response.status}\`)
      }
      return { status: response.status, bytes: response.body.length }
    } catch (error) {
      await answer({ status: 502, body: "The receiver does not answer." })
      throw error
    }
  }
}
`

/** A step for the workflow there, which relays what comes to its URL to an endpoint here. */
export const step = (url: string): string =>
  `// Relays each request to Headwater. Paste it as the first step behind the HTTP trigger there, and disable the steps
// after it. Callers get the answer of Headwater if the trigger returns a custom response.
const to = ${JSON.stringify(url)}
const mark = ${JSON.stringify(mark)}

${connectionHeaders}
const bytesOf = async ({ body, bodyBase64, bodyRaw }) => {
  if (typeof bodyBase64 === "string") return Buffer.from(bodyBase64, "base64")
  if (typeof bodyRaw === "string") return Buffer.from(bodyRaw)
  if (body === undefined || body === null) return undefined
  if (typeof body === "string") return Buffer.from(body)
  if (typeof body.raw_body_url === "string") return Buffer.from(await (await fetch(body.raw_body_url)).arrayBuffer())
  return Buffer.from(JSON.stringify(body))
}

export default defineComponent({
  async run({ steps, $ }) {
    const { event } = steps.trigger
    // A trigger can give the body alone.
    const request = typeof event?.method === "string" && typeof event.headers === "object"
      ? event
      : { method: "POST", headers: { "content-type": "application/json" }, body: event }
    const given = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), String(value)])
    const { connection, [mark]: wasRelayed } = Object.fromEntries(given)
    if (wasRelayed !== undefined) return $.flow.exit("it was relayed before")
    const bytes = await bytesOf(request)
    const isReadAnew = typeof request.body === "object" && request.bodyRaw === undefined &&
      request.bodyBase64 === undefined && request.body?.raw_body_url === undefined
    const headers = Object.fromEntries(
      given.filter(([name]) => name !== "content-encoding" && isPassed(name, connection))
    )
    if (isReadAnew && bytes !== undefined) headers["content-type"] = "application/json"
    const target = new URL(to)
    if ((request.path ?? "/") !== "/") target.pathname = target.pathname.replace(/\\/$/, "") + request.path
    if (request.url !== undefined) target.search = new URL(request.url).search
    const hasBody = bytes !== undefined && !["GET", "HEAD"].includes(request.method)
    const response = await fetch(target, {
      method: request.method,
      headers: { ...headers, [mark]: "1" },
      redirect: "manual",
      ...(hasBody ? { body: bytes } : {})
    })
    const body = Buffer.from(await response.arrayBuffer())
    // fetch has undone the codings of the answer.
    const passed = [...response.headers].filter(([name]) => name !== "content-encoding" && isPassed(name))
    await $.respond({ status: response.status, headers: Object.fromEntries(passed), body })
    return { status: response.status }
  }
})
`
