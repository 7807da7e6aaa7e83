/** An HTTP/1 response as it came over the wire. */
export interface HttpAnswer {
  readonly status: number
  /** By lower-case name; the values of a name that came more than once are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Bytes read so far as responses: those that are whole, and why the rest is none, where it can never be one. */
export interface Reading {
  readonly answers: ReadonlyArray<HttpAnswer>
  /** The bytes after the last whole answer. */
  readonly rest: Buffer
  readonly fault: string | undefined
  /** The rest is the beginning of an answer that goes on for as long as somebody reads it. */
  readonly isStreaming: boolean
}

interface Head {
  readonly status: number
  readonly headers: Record<string, string>
  readonly bodyStart: number
}

const readHead = (bytes: Buffer): Head | string | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const status = /^HTTP\/1\.1 (\d{3})( .*)?$/.exec(statusLine)?.[1]
  if (status === undefined) return `not a status line: ${JSON.stringify(statusLine.slice(0, 100))}`
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const [, name, value = ""] = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    if (name === undefined) return `not a header: ${JSON.stringify(line.slice(0, 100))}`
    const key = name.toLowerCase()
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`
  }
  return { status: Number(status), headers, bodyStart: end + 4 }
}

interface Body {
  readonly body: Buffer
  readonly end: number
}

/** @param isCut whether what there is of the body is taken for all of it */
const readChunks = (bytes: Buffer, start: number, isCut: boolean): Body | string | undefined => {
  const chunks: Array<Buffer> = []
  let at = start
  while (true) {
    const line = bytes.indexOf("\r\n", at)
    const cut = isCut ? { body: Buffer.concat(chunks), end: bytes.length } : undefined
    if (line === -1) return cut
    const size = Number.parseInt(bytes.subarray(at, line).toString("latin1"), 16)
    if (Number.isNaN(size)) return "not a chunk size"
    const data = line + 2
    if (size === 0) {
      const end = bytes.indexOf("\r\n", data)
      return end === -1 ? undefined : { body: Buffer.concat(chunks), end: end + 2 }
    }
    if (bytes.length < data + size + 2) return cut
    chunks.push(bytes.subarray(data, data + size))
    at = data + size + 2
  }
}

/** Who refuses bytes has not understood that they are a `HEAD`, and sends a body before closing the connection. */
const isRefusal = ({ headers }: Head): boolean =>
  headers["x-request-id"] === undefined && headers["connection"] === "close" && headers["content-length"] !== undefined

const isBodiless = (head: Head, method: string): boolean =>
  (method === "HEAD" && !isRefusal(head)) || head.status < 200 || head.status === 204 || head.status === 304

/** Whether an answer goes on for as long as somebody reads it. */
const isStream = ({ headers }: Head): boolean => (headers["content-type"] ?? "").startsWith("text/event-stream")

/** @param closed whether no more bytes come, which ends a body of no declared length, and a stream */
const readBody = (bytes: Buffer, head: Head, method: string, closed: boolean): Body | string | undefined => {
  const { bodyStart, headers } = head
  if (isBodiless(head, method)) return { body: Buffer.alloc(0), end: bodyStart }
  if (headers["transfer-encoding"] !== undefined) return readChunks(bytes, bodyStart, closed && isStream(head))
  const length = headers["content-length"]
  if (length === undefined) return closed ? { body: bytes.subarray(bodyStart), end: bytes.length } : undefined
  if (!/^\d+$/.test(length)) return `not a content length: ${length}`
  const end = bodyStart + Number(length)
  return bytes.length < end ? undefined : { body: bytes.subarray(bodyStart, end), end }
}

/**
 * Reads what a server sent on one connection. Interim responses (1xx) are passed over.
 *
 * @param methods those of the requests in order, because an answer to `HEAD` has no body; `GET` where there are no more
 */
export const read = (bytes: Buffer, methods: ReadonlyArray<string>, closed: boolean): Reading => {
  const answers: Array<HttpAnswer> = []
  let rest = bytes
  let isStreaming = false
  while (rest.length > 0) {
    const head = readHead(rest)
    if (head === undefined) break
    if (typeof head === "string") return { answers, rest, fault: head, isStreaming: false }
    const body = readBody(rest, head, methods[answers.length] ?? "GET", closed)
    if (body === undefined) {
      isStreaming = isStream(head)
      break
    }
    if (typeof body === "string") return { answers, rest, fault: body, isStreaming: false }
    if (head.status >= 200) answers.push({ status: head.status, headers: head.headers, body: body.body })
    rest = rest.subarray(body.end)
  }
  const fault = closed && rest.length > 0 ? "the connection ended within an answer" : undefined
  return { answers, rest, fault, isStreaming }
}

/** The value of a JSON body; undefined where there is none. */
export const jsonOf = (answer: HttpAnswer): unknown => {
  if (!/^application\/(problem\+)?json\b/.test(answer.headers["content-type"] ?? "")) return undefined
  try {
    return JSON.parse(answer.body.toString("utf8"))
  } catch {
    return undefined
  }
}
