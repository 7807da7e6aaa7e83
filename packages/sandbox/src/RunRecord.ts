import * as OwnMember from "@headwater/domain/OwnMember"
import * as Storable from "@headwater/domain/Storable"
import { KeptFiles } from "./KeptFiles.ts"
import type {
  RunConnection,
  RunEmit,
  RunError,
  RunFiles,
  RunHttpRequest,
  RunLimit,
  RunLog,
  RunRequest,
  RunResponse,
  RunResult
} from "./Run.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"
import type { RunMessage, UnreadableMessage } from "./SandboxProtocol.ts"
import { StoreChanges } from "./StoreChanges.ts"
import { maxToldBytes } from "./ToldProps.ts"

/** The cost of an emit, a log or a key of the db beside its text: each is a row that everybody's commit waits for. */
const rowBytes = 128

/** A run may write all it may keep in its db so many times over, or respond, of which the first counts. */
const repeats = 64

/** Names and values of a response's headers, in bytes of UTF-8. */
export const maxHeaderBytes = 64 * 1024

/** Texts of an error, in characters: more than the sandbox makes of one. */
const longestOfError = 64 * 1024

/** Requests and connections that are kept of a trial, of either kind. */
const mostTraffic = 1_000

/** Characters kept of the address of a request, or of why it failed. */
const longestOfRequest = 4_096

/** A run can't do without these messages. If nobody can read one, this is lost with it. */
const lostWith: Readonly<Record<string, string>> = { Ended: "the result", FilesKept: "the files" }

/** Stands for a text that is not to be shown. */
const mask = "***"

/** The sizes of a program's db: runs that follow each other in a process go on with it. */
export class StoreSizes {
  readonly #sizes: Map<string, number>
  /** All of it, in bytes. */
  bytes = 0

  constructor(db: Readonly<Record<string, string>>) {
    this.#sizes = new Map(Object.entries(db).map(([key, value]) => [key, sizeOf(key, value)]))
    for (const size of this.#sizes.values()) this.bytes += size
  }

  /** Sets the size of a key; 0 where it is removed. */
  set(key: string, size: number): void {
    this.bytes += size - (this.#sizes.get(key) ?? 0)
    if (size === 0) this.#sizes.delete(key)
    else this.#sizes.set(key, size)
  }
}

/** The effects of a run so far, held against its limits. */
export class RunRecord {
  ended = false
  error: RunError | undefined
  limit: RunLimit | undefined
  reportedCpuMs = 0
  reportedOwnMs = Infinity
  readonly #limits: SandboxLimits
  readonly #emits: Array<RunEmit> = []
  readonly #logs: Array<RunLog> = []
  readonly #db: Record<string, string | null> = {}
  #answerJson: string | undefined
  #configuredPropsJson: string | undefined
  #outputBytes = 0
  readonly #store: StoreSizes
  readonly #masked: ReadonlyArray<string>
  readonly #stores: StoreChanges
  readonly files: KeptFiles
  #unreadable: RunResult["unreadable"]
  readonly #requests: Array<RunHttpRequest> = []
  readonly #connections: Array<RunConnection> = []
  #writtenBytes = 0
  #respondedBytes = 0

  /**
   * @param masked texts for which logs, errors and props have a mask, which may become more
   * @param files those that the run has; none if it keeps none
   */
  constructor(
    limits: SandboxLimits,
    store: StoreSizes,
    masked: ReadonlyArray<string>,
    request: Pick<RunRequest, "stores">,
    files?: RunFiles
  ) {
    this.#limits = limits
    this.#store = store
    this.#masked = masked
    this.#stores = new StoreChanges(Object.values(request.stores?.ids ?? {}), limits)
    this.files = new KeptFiles(files, limits)
  }

  /** Takes in one message. `respond` is called for each answer; whether it is the first is not known here. */
  hear(message: RunMessage | UnreadableMessage, now: number, respond: (response: RunResponse) => void): void {
    if (this.ended) return
    switch (message._tag) {
      case "Emitted": {
        const { _tag, run: _run, ...emit } = message
        this.#count(message.payload, message.name, message.summary, message.id, message.ts)
        if (this.limit === undefined) this.#emits.push(emit)
        return
      }
      case "Logged":
        this.#count(message.message)
        if (this.limit === undefined) {
          this.#logs.push({ ts: now, level: message.level, message: this.#mask(message.message) })
        }
        return
      case "Stored":
        return this.#set(message.key, message.value)
      case "StoreChanged": {
        const fault = this.#stores.hear(message.store, message.change)
        if (fault === "output") return this.exceed("output")
        if (fault !== undefined) return this.fail({ name: "TypeError", message: fault, stack: "" })
        return
      }
      case "FilesKept": {
        this.#count(JSON.stringify(message))
        if (this.limit !== undefined) return
        const fault = this.files.hear(message.put, message.removed)
        return fault === undefined ? undefined : this.fail({ name: "Error", message: fault, stack: "" })
      }
      case "Responded": {
        const { headers, status } = message
        const body = message.base64 === undefined
          ? message.text ?? ""
          : new Uint8Array(Buffer.from(message.base64, "base64"))
        const headerBytes = Object.entries(headers)
          .flatMap(([name, values]) => [values].flat().map((value) => sizeOf(name, value)))
          .reduce((sum, size) => sum + size, 0)
        const bodyBytes = Buffer.byteLength(body)
        if (headerBytes > maxHeaderBytes || bodyBytes > this.#limits.responseBytes) return this.exceed("output")
        this.#respondedBytes += rowBytes + headerBytes + bodyBytes
        if (this.#respondedBytes > this.#limits.responseBytes * repeats) return this.exceed("output")
        return respond({ status, headers, body })
      }
      case "Requested": {
        const { _tag, error, method, run: _run, url, ...rest } = message
        if (this.#requests.length >= mostTraffic) return
        this.#requests.push({
          method: method.slice(0, longestOfRequest),
          url: this.#mask(url).slice(0, longestOfRequest),
          ts: now,
          ...(error === undefined ? {} : { error: this.#mask(error).slice(0, longestOfRequest) }),
          ...rest
        })
        return
      }
      case "Configured": {
        const told = JSON.stringify(message.props)
        if (Buffer.byteLength(told) > maxToldBytes) return this.exceed("output")
        this.#count(told)
        if (this.limit === undefined) this.#configuredPropsJson = JSON.stringify(this.#maskJson(message.props))
        return
      }
      case "Answered":
        this.#count(message.json)
        if (this.limit === undefined) this.#answerJson = message.json
        return
      case "Ended":
        this.ended = true
        this.error = message.error === undefined ? undefined : cut(this.#maskError(message.error))
        this.reportedCpuMs = message.cpuMs
        this.reportedOwnMs = message.ownMs
        return
      case "Unreadable": {
        const said = `${message.of}: ${message.why}`
        const lost = OwnMember.get(lostWith, message.of)
        if (lost !== undefined) {
          return this.fail({
            name: "UnreadableMessage",
            message: `${lost} of the run can't be read: ${said}`,
            stack: ""
          })
        }
        this.#count()
        this.#unreadable = { first: said, ...this.#unreadable, count: (this.#unreadable?.count ?? 0) + 1 }
        return
      }
      default:
        return
    }
  }

  /** Notes what became of a connection that it asked for. */
  noteConnection(connection: RunConnection): void {
    if (!this.ended && this.#connections.length < mostTraffic) this.#connections.push(connection)
  }

  exceed(limit: RunLimit): void {
    if (this.ended) return
    this.ended = true
    this.limit = limit
  }

  fail(error: RunError): void {
    if (this.ended) return
    this.ended = true
    this.error = error
  }

  /** @param showsTraffic whether what it asked of others is among what it did */
  result(
    told: Pick<RunResult, "wallMs" | "ownMs" | "cpuMs" | "responded" | "connections">,
    showsTraffic = false
  ): RunResult {
    return {
      outcome: this.limit !== undefined ? "limit" : this.error !== undefined ? "error" : "success",
      ...(this.error === undefined ? {} : { error: this.error }),
      ...(this.limit === undefined ? {} : { limit: this.limit }),
      emits: this.#emits,
      logs: this.#logs,
      db: this.#db,
      stores: this.#stores.all,
      ...(this.files.changes === undefined ? {} : { files: this.files.changes }),
      ...(this.#configuredPropsJson === undefined ? {} : { configuredPropsJson: this.#configuredPropsJson }),
      ...(this.#answerJson === undefined ? {} : { answerJson: this.#answerJson }),
      ...(this.#unreadable === undefined ? {} : { unreadable: this.#unreadable }),
      ...(showsTraffic ? { traffic: { requests: this.#requests, connections: this.#connections } } : {}),
      ...told
    }
  }

  #mask(text: string): string {
    return this.#masked.reduce((shown, masked) => shown.replaceAll(masked, mask), text)
  }

  /** Each text in it, and what becomes of a number or a truth value that is such a text, is a text of its own. */
  #maskJson(value: unknown): unknown {
    if (this.#masked.length === 0 || value === null) return value
    if (Array.isArray(value)) return value.map((each) => this.#maskJson(each))
    if (typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [this.#mask(name), this.#maskJson(each)])
      )
    }
    const text = String(value)
    const shown = this.#mask(text)
    return shown === text ? value : shown
  }

  #maskError(error: RunError): RunError {
    return { ...error, message: this.#mask(error.message), stack: this.#mask(error.stack) }
  }

  #count(...texts: ReadonlyArray<string | number | undefined>): void {
    this.#outputBytes += rowBytes
    for (const text of texts) if (text !== undefined) this.#outputBytes += Buffer.byteLength(String(text))
    if (this.#outputBytes > this.#limits.outputBytes) this.exceed("output")
  }

  /** A component cannot get past the bounds of `set`, so what does is forged. Too much counts as too much output. */
  #set(key: string, value: string | null): void {
    if (!Storable.isKey(key) || !Storable.isText(value ?? "")) {
      return this.fail({ name: "TypeError", message: Storable.keyExpected, stack: "" })
    }
    const size = value === null ? 0 : sizeOf(key, value)
    this.#writtenBytes += rowBytes + size
    if (this.#writtenBytes > this.#limits.dbBytes * repeats) return this.exceed("output")
    if (!Object.hasOwn(this.#db, key)) this.#count()
    if (this.limit !== undefined) return
    this.#store.set(key, size)
    if (this.#store.bytes > this.#limits.dbBytes) return this.exceed("output")
    OwnMember.set(this.#db, key, value)
  }
}

const cut = ({ code, message, name, stack, ...place }: RunError): RunError => ({
  ...place,
  name: name.slice(0, longestOfError),
  message: message.slice(0, longestOfError),
  stack: stack.slice(0, longestOfError),
  ...(code === undefined ? {} : { code: code.slice(0, longestOfError) })
})

const sizeOf = (key: string, value: string): number => Buffer.byteLength(key) + Buffer.byteLength(value)
