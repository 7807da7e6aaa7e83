/**
 * `WebSocket` (WHATWG WebSockets) over the package `ws`, whose connections go through `node:net` and `node:tls`, because
 * Deno's own opens them where they can't be routed. The package is loaded with the first connection.
 */
import type { WebSocket as Connection } from "ws"
import type * as WebSocketPackage from "./WebSocketPackage.ts"
import { webSocketPackage } from "./WebSocketPackageName.ts"

declare class ErrorEvent extends Event {
  constructor(type: string, init: { readonly message: string; readonly error: unknown })
}

const eventTypes = ["open", "message", "error", "close"] as const

type Handler = ((event: Event) => void) | null

const refused = (name: string, message: string) => new DOMException(message, name)

const isToken = /^[!#$%&'*+\-.^`|~\w]+$/

const parseUrl = (given: string | URL): URL => {
  if (!URL.canParse(String(given))) throw refused("SyntaxError", `${String(given)} is not a URL`)
  const url = new URL(given)
  if (url.protocol === "http:") url.protocol = "ws:"
  if (url.protocol === "https:") url.protocol = "wss:"
  if (url.protocol !== "ws:" && url.protocol !== "wss:") {
    throw refused("SyntaxError", `The URL of a WebSocket begins with ws: or wss:, not ${url.protocol}`)
  }
  if (url.href.includes("#")) throw refused("SyntaxError", "The URL of a WebSocket has no fragment")
  return url
}

const parseProtocols = (given: string | Iterable<string>): Array<string> => {
  const protocols = typeof given === "string" ? [given] : Array.from(given, String)
  const wrong = protocols.find((each) => !isToken.test(each))
  if (wrong !== undefined) throw refused("SyntaxError", `${JSON.stringify(wrong)} is not a subprotocol`)
  if (new Set(protocols.map((each) => each.toLowerCase())).size < protocols.length) {
    throw refused("SyntaxError", "A subprotocol is there twice")
  }
  return protocols
}

/** Bytes that are sent later may be changed meanwhile, so they are copied. */
const messageOf = (data: unknown): string | Uint8Array | Blob => {
  if (data instanceof Blob) return data
  if (data instanceof ArrayBuffer || data instanceof SharedArrayBuffer) return new Uint8Array(data).slice()
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength).slice() : String(data)
}

class RoutedWebSocket extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  static readonly CLOSING = 2
  static readonly CLOSED = 3
  readonly CONNECTING = 0
  readonly OPEN = 1
  readonly CLOSING = 2
  readonly CLOSED = 3

  onopen: Handler = null
  onmessage: Handler = null
  onerror: Handler = null
  onclose: Handler = null

  readonly #url: URL
  #connection: Connection | undefined
  #binaryType: "blob" | "arraybuffer" = "blob"
  #failure: unknown
  /** While there is no connection: 2 once none is wanted any more, 3 if the package can't be loaded. */
  #readyState = 0

  constructor(url: string | URL, protocols: string | Iterable<string> = []) {
    super()
    for (const type of eventTypes) this.addEventListener(type, (event) => this[`on${type}`]?.(event))
    this.#url = parseUrl(url)
    void this.#open(parseProtocols(protocols)).catch((error: unknown) => {
      this.#readyState = 3
      this.#failure = error
      this.#ended({ code: 1006, reason: "", wasClean: false })
    })
  }

  get url(): string {
    return this.#url.href
  }

  get readyState(): number {
    return this.#connection?.readyState ?? this.#readyState
  }

  get protocol(): string {
    return this.#connection?.protocol ?? ""
  }

  get extensions(): string {
    return this.#connection?.extensions ?? ""
  }

  get bufferedAmount(): number {
    return this.#connection?.bufferedAmount ?? 0
  }

  get binaryType(): "blob" | "arraybuffer" {
    return this.#binaryType
  }

  set binaryType(type: string) {
    if (type === "blob" || type === "arraybuffer") this.#binaryType = type
  }

  send(data: unknown): void {
    if (this.readyState === 0) throw refused("InvalidStateError", "The WebSocket is not open yet")
    this.#connection?.send(messageOf(data))
  }

  close(code?: number, reason = ""): void {
    if (code !== undefined && code !== 1000 && !(code >= 3000 && code <= 4999)) {
      throw refused("InvalidAccessError", `A WebSocket is closed with 1000 or 3000 to 4999, not ${code}`)
    }
    if (Buffer.byteLength(reason) > 123) throw refused("SyntaxError", "The reason takes more than 123 bytes")
    if (this.readyState >= 2) return
    this.#readyState = 2
    this.#connection?.close(code, reason)
  }

  async #open(protocols: Array<string>): Promise<void> {
    const { WebSocket } = await import(webSocketPackage) as typeof WebSocketPackage
    const connection = new WebSocket(this.#url, protocols)
    this.#connection = connection
    connection.binaryType = "arraybuffer"
    connection.addEventListener("open", () => void this.dispatchEvent(new Event("open")))
    connection.addEventListener("message", ({ data }) => this.#receive(data as string | ArrayBuffer))
    connection.addEventListener("error", ({ error }) => {
      this.#failure ??= error
    })
    connection.addEventListener("close", ({ code, reason, wasClean }) => this.#ended({ code, reason, wasClean }))
    if (this.#readyState === 2) connection.close()
  }

  #receive(message: string | ArrayBuffer): void {
    if (this.readyState !== 1) return
    const data = typeof message === "string" || this.#binaryType === "arraybuffer" ? message : new Blob([message])
    this.dispatchEvent(new MessageEvent("message", { data, origin: this.#url.origin }))
  }

  #ended(how: { readonly code: number; readonly reason: string; readonly wasClean: boolean }): void {
    const error = this.#failure
    if (error !== undefined) {
      this.dispatchEvent(new ErrorEvent("error", { message: error instanceof Error ? error.message : "", error }))
    }
    this.dispatchEvent(new CloseEvent("close", how))
  }
}

export const installWebSocket = (): void => {
  Object.defineProperty(RoutedWebSocket, "name", { value: "WebSocket", configurable: true })
  Object.defineProperty(globalThis, "WebSocket", { value: RoutedWebSocket, writable: true, configurable: true })
}
