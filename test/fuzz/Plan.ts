import * as Zlib from "node:zlib"
import * as Placeholder from "./Placeholder.ts"

/** How a body is brought over the wire, apart from what it says. */
export type Framing =
  | { readonly type: "length" }
  | { readonly type: "chunked"; readonly size: number }
  /** Whatever the body's length is. */
  | { readonly type: "declared"; readonly length: string }
  /** Without a word about its length. */
  | { readonly type: "unsaid" }

export type Coding = "gzip" | "deflate" | "br" | "none"

export type Body =
  | { readonly type: "none" }
  | { readonly type: "text"; readonly text: string; readonly coding: Coding }
  | { readonly type: "bytes"; readonly base64: string; readonly coding: Coding }

/** One request. Its texts hold placeholders (`Placeholder.ts`), so it follows from the seed alone. */
export interface Message {
  readonly method: string
  readonly target: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly body: Body
  readonly framing: Framing
}

export type Mode = "valid" | "nearly" | "hostile" | "endpoint" | "raw"

/**
 * What the answer may be. `taken`: as the document says, the request is in order. `refused`: as the document says, it is
 * not. `any`: whatever the document has for the operation.
 */
export type Expectation = "taken" | "refused" | "any"

/** Something to put on a connection of its own. */
export interface Plan {
  readonly mode: Mode
  /** The operation of the document, or what the request is instead. */
  readonly operation: string
  /** What is wrong with it, or unusual. */
  readonly trait: string
  readonly expects: Expectation
  readonly content: Content
}

export type Content =
  /** Requests one behind the other, without waiting for answers. */
  | { readonly type: "messages"; readonly messages: ReadonlyArray<Message> }
  /** Bytes as they are, Latin-1; the connection's sending side may be closed after them. */
  | { readonly type: "bytes"; readonly latin1: string; readonly ends: boolean }

const unsure = new Set(["connection", "content-length", "expect", "transfer-encoding", "upgrade"])

/** Whether a request says itself where it ends, in one way only, so that it must be answered. */
export const isCertain = ({ framing, headers, method, target }: Message): boolean =>
  (framing.type === "length" || framing.type === "chunked") && method !== "CONNECT" && !/\s/.test(target) &&
  target !== "" && headers.every(([name]) => !unsure.has(name))

/** A plan's content with what its placeholders stand for. */
export const resolve = (content: Content, resolver: Placeholder.Resolver): Content => {
  const filled = (text: string) => Placeholder.resolve(text, resolver)
  return content.type === "bytes" ? { ...content, latin1: filled(content.latin1) } : {
    ...content,
    messages: content.messages.map((message) => ({
      ...message,
      target: filled(message.target),
      headers: message.headers.map(([name, value]) => [name, filled(value)] as const),
      body: message.body.type === "text" ? { ...message.body, text: filled(message.body.text) } : message.body
    }))
  }
}

const bodyBytes = (body: Body): Buffer | undefined => {
  if (body.type === "none") return undefined
  const bytes = body.type === "text" ? Buffer.from(body.text) : Buffer.from(body.base64, "base64")
  switch (body.coding) {
    case "gzip":
      return Zlib.gzipSync(bytes)
    case "deflate":
      return Zlib.deflateSync(bytes)
    case "br":
      return Zlib.brotliCompressSync(bytes, { params: { [Zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })
    case "none":
      return bytes
  }
}

const chunked = (bytes: Buffer, size: number): Buffer => {
  const parts: Array<Buffer> = []
  for (let at = 0; at < bytes.length; at += size) {
    const chunk = bytes.subarray(at, at + size)
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n"))
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")])
}

const renderMessage = (message: Message): Buffer => {
  const bytes = bodyBytes(message.body)
  const { framing } = message
  const framed = bytes !== undefined && framing.type === "chunked" ? chunked(bytes, framing.size) : bytes
  const framingHeader = bytes === undefined || framing.type === "unsaid"
    ? []
    : framing.type === "chunked"
    ? [["transfer-encoding", "chunked"]]
    : [["content-length", framing.type === "length" ? String(bytes.length) : framing.length]]
  const head = [
    `${message.method} ${message.target} HTTP/1.1`,
    ...[...message.headers, ...framingHeader].map(([name, value]) => `${name}: ${value}`)
  ].join("\r\n")
  // A client that writes a path or a header in UTF-8 sends these bytes, whatever they mean.
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), framed ?? Buffer.alloc(0)])
}

/** What a resolved content puts on the connection. */
export const render = (content: Content): Buffer =>
  content.type === "bytes" ? Buffer.from(content.latin1, "latin1") : Buffer.concat(content.messages.map(renderMessage))

export const methodsOf = (content: Content): ReadonlyArray<string> =>
  content.type === "bytes" ? [content.latin1.split(" ", 1)[0] ?? ""] : content.messages.map(({ method }) => method)

/** All the text that placeholders may stand in. */
export const textOf = (content: Content): string =>
  content.type === "bytes" ? content.latin1 : content.messages
    .map(({ body, headers, target }) => [target, ...headers.flat(), body.type === "text" ? body.text : ""].join("\n"))
    .join("\n")
