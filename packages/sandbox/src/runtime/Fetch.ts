/**
 * `fetch` over `node:http` and `node:https`, because Deno's own opens its connections where they can't be routed
 * (WHATWG Fetch, as far as a server-side client goes: no cookies, cache or CORS).
 */
import http from "node:http"
import https from "node:https"
import { Readable } from "node:stream"
import zlib from "node:zlib"

const maxRedirects = 20
const redirectStatus = new Set([301, 302, 303, 307, 308])
const nullBodyStatus = new Set([101, 103, 204, 205, 304])

const failed = (cause: unknown): TypeError => {
  const error = new TypeError(`fetch failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  return cause instanceof Error && "code" in cause ? Object.assign(error, { code: cause.code }) : error
}

const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  "x-gzip": () => zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }),
  deflate: () => zlib.createInflate(),
  br: () => zlib.createBrotliDecompress()
}

const decoded = (message: http.IncomingMessage): Readable => {
  let stream: NodeJS.ReadableStream = message
  for (const coding of (message.headers["content-encoding"] ?? "").split(",").toReversed()) {
    const decoder = decoders[coding.trim().toLowerCase()]
    if (decoder === undefined) continue
    const source = stream
    const target = decoder()
    source.on("error", (error: Error) => (target as unknown as Readable).destroy(error))
    stream = source.pipe(target)
  }
  return stream as Readable
}

const responseHeaders = (message: http.IncomingMessage): Headers => {
  const headers = new Headers()
  for (let index = 0; index < message.rawHeaders.length; index += 2) {
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "")
  }
  return headers
}

interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: ReadableStream<Uint8Array> | Uint8Array | null
}

const exchange = (hop: Hop, signal: AbortSignal): Promise<http.IncomingMessage> =>
  new Promise((resolve, reject) => {
    if (hop.url.protocol !== "http:" && hop.url.protocol !== "https:") {
      return reject(failed(new Error(`${hop.url.protocol} is not supported`)))
    }
    const headers = Object.fromEntries(hop.headers)
    if (hop.body instanceof Uint8Array) headers["content-length"] = String(hop.body.byteLength)
    const module = hop.url.protocol === "https:" ? https : http
    const request = module.request(hop.url, { method: hop.method, headers })
    const abort = () => {
      request.destroy()
      reject(signal.reason)
    }
    signal.addEventListener("abort", abort, { once: true })
    request.on("error", (error) => reject(signal.aborted ? signal.reason : failed(error)))
    request.on("response", (message) => {
      message.on("close", () => signal.removeEventListener("abort", abort))
      signal.addEventListener("abort", () => message.destroy(), { once: true })
      resolve(message)
    })
    if (hop.body === null) request.end()
    else if (hop.body instanceof Uint8Array) request.end(hop.body)
    else Readable.fromWeb(hop.body as never).on("error", (error) => request.destroy(error)).pipe(request)
  })

/** The next hop of a redirect (WHATWG Fetch, "HTTP-redirect fetch"). */
const redirected = (hop: Hop, status: number, location: string): Hop => {
  const url = new URL(location, hop.url)
  const headers = new Headers(hop.headers)
  const toGet = (status === 303 && hop.method !== "HEAD") ||
    ((status === 301 || status === 302) && hop.method === "POST")
  if (toGet) { for (const name of ["content-type", "content-length", "content-encoding"]) headers.delete(name) }
  if (url.origin !== hop.url.origin) { for (const name of ["authorization", "cookie", "host"]) headers.delete(name) }
  if (!toGet && hop.body !== null && !(hop.body instanceof Uint8Array)) {
    throw failed(new Error("A request with a streamed body can't be redirected"))
  }
  return { url, headers, method: toGet ? "GET" : hop.method, body: toGet ? null : hop.body }
}

const firstHop = async (request: Request, streamed: boolean): Promise<Hop> => {
  const headers = new Headers(request.headers)
  if (!headers.has("accept")) headers.set("accept", "*/*")
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "gzip, deflate, br")
  if (!headers.has("user-agent")) headers.set("user-agent", "Headwater")
  const body = request.body === null ? null : streamed ? request.body : new Uint8Array(await request.arrayBuffer())
  return { url: new URL(request.url), method: request.method, headers, body }
}

const answer = (message: http.IncomingMessage, hop: Hop, redirects: number): Response => {
  const status = message.statusCode ?? 0
  const hasBody = hop.method !== "HEAD" && !nullBodyStatus.has(status)
  if (!hasBody) message.resume()
  const response = new Response(
    hasBody ? Readable.toWeb(decoded(message)) as unknown as ReadableStream<Uint8Array> : null,
    { status, statusText: message.statusMessage ?? "", headers: responseHeaders(message) }
  )
  Object.defineProperties(response, {
    url: { value: new URL(hop.url.href.replace(/#.*$/, "")).href },
    redirected: { value: redirects > 0 },
    type: { value: "basic" }
  })
  return response
}

const routed = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const request = new Request(input, init)
  const { signal } = request
  signal.throwIfAborted()
  if (request.url.startsWith("data:") || request.url.startsWith("blob:")) {
    throw failed(new Error(`${request.url.slice(0, 5)} URLs are not supported`))
  }
  let hop = await firstHop(request, init?.body instanceof ReadableStream)
  for (let redirects = 0;; redirects++) {
    const message = await exchange(hop, signal)
    const location = message.headers.location
    const status = message.statusCode ?? 0
    if (!redirectStatus.has(status) || location === undefined || request.redirect === "manual") {
      return answer(message, hop, redirects)
    }
    message.resume()
    if (request.redirect === "error") throw failed(new Error("Unexpected redirect"))
    if (redirects === maxRedirects) throw failed(new Error(`More than ${maxRedirects} redirects`))
    hop = redirected(hop, status, location)
  }
}

/** A failure comes out of a socket's callback, where the component's own lines are no longer on the stack. */
export const routedFetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const site: { stack?: string } = {}
  Error.captureStackTrace(site, routedFetch)
  return routed(input, init).catch((error: unknown) => {
    if (error instanceof TypeError) {
      error.stack = [`TypeError: ${error.message}`, ...(site.stack ?? "").split("\n").slice(1)].join("\n")
    }
    throw error
  })
}

export const installFetch = (): void => {
  Object.defineProperty(globalThis, "fetch", { value: routedFetch, writable: true, configurable: true })
}
