import { pause } from "./Pause.ts"
import { backoff } from "./Retries.ts"

/** An event of the log that an emitter and a stream name. */
export interface TailedEvent {
  readonly id: string
  readonly metadata: { readonly emitter_id: string; readonly name: string }
}

export type TailItem<Event> =
  /** The server sends on a new connection. */
  | { readonly type: "connected" }
  | { readonly type: "event"; readonly event: Event }
  /** All that was committed before this position has come. Tails of an account alone tell it. */
  | { readonly type: "position"; readonly position: string }
  /** A connection has failed, or was ended by the server, which is no error. The next one is tried after a pause. */
  | { readonly type: "lost"; readonly error: unknown }

/** Opens a connection behind an event or a position, or behind what is there now. */
export type OpenTail = (lastEventId: string | undefined, signal: AbortSignal) => Promise<ReadableStream<Uint8Array>>

export interface TailReading {
  /** The event or position to begin behind. Default: now. */
  readonly after: string | undefined
  /** The shortest pause after a connection could not be opened, in milliseconds; undefined if the error ends the tail. */
  readonly pauseAfter: (error: unknown) => number | undefined
  readonly signal?: AbortSignal | undefined
  readonly silenceMs?: number
}

/** The server sends something every 15 seconds. */
const defaultSilenceMs = 45_000

const maxDelayMs = 10_000

/** Of so many logs it is remembered which event came last. */
const mostLogs = 10_000

const numbersOf = (id: string): ReadonlyArray<number> => id.split("-").map(Number)

const isBehind = (id: string, last: string): boolean => {
  const [time = 0, sequence = 0] = numbersOf(id)
  const [lastTime = 0, lastSequence = 0] = numbersOf(last)
  return time > lastTime || (time === lastTime && sequence > lastSequence)
}

/** The events that came last of logs. Behind a position any number of events can come again, those of a log in order. */
class LastEvents {
  private readonly ids = new Map<string, string>()

  /** Answers whether an event is new. */
  add({ id, metadata }: TailedEvent): boolean {
    const log = `${metadata.emitter_id} ${metadata.name}`
    const last = this.ids.get(log)
    if (last !== undefined && !isBehind(id, last)) return false
    this.ids.delete(log)
    this.ids.set(log, id)
    if (this.ids.size > mostLogs) this.ids.delete(this.ids.keys().next().value!)
    return true
  }
}

interface Frame {
  readonly id: string | undefined
  readonly data: string | undefined
}

/** Reads server-sent events out of pieces of text. One without data, which other readers leave out, tells a position. */
class Frames {
  /** Pieces of the line that has not ended: it can be as long as an event is large. */
  private line: Array<string> = []
  private endsInReturn = false
  private data: Array<string> = []
  private id: string | undefined;

  *read(piece: string): Generator<Frame, void, undefined> {
    const lines = (this.endsInReturn && piece.startsWith("\n") ? piece.slice(1) : piece).split(/\r\n|\n|\r/)
    if (piece !== "") this.endsInReturn = piece.endsWith("\r")
    for (const rest of lines.splice(1)) {
      const line = [...this.line, lines[0]].join("")
      this.line = []
      lines[0] = rest
      const value = line.slice(line.indexOf(":") + 1).replace(/^ /, "")
      if (line.startsWith("data:")) this.data.push(value)
      else if (line.startsWith("id:")) this.id = value
      else if (line === "" && (this.data.length > 0 || this.id !== undefined)) {
        yield { id: this.id, data: this.data.length === 0 ? undefined : this.data.join("\n") }
        this.data = []
        this.id = undefined
      }
    }
    this.line.push(lines[0]!)
  }
}

/** One connection. It ends by a signal, and once nothing has come for so long. */
class Connection {
  readonly signal: AbortSignal
  private readonly own = new AbortController()
  private readonly silenceMs: number
  private body: ReadableStreamDefaultReader<Uint8Array> | undefined

  constructor(signal: AbortSignal | undefined, silenceMs: number) {
    this.signal = signal === undefined ? this.own.signal : AbortSignal.any([signal, this.own.signal])
    this.signal.addEventListener("abort", () => this.body?.cancel().catch(() => {}))
    this.silenceMs = silenceMs
  }

  async open(open: OpenTail, lastEventId: string | undefined): Promise<void> {
    this.body = (await this.heard(open(lastEventId, this.signal))).getReader()
  }

  /** The next bytes; undefined at the end. */
  async read(): Promise<Uint8Array | undefined> {
    return (await this.heard(this.body!.read())).value
  }

  close(reason?: Error): void {
    this.own.abort(reason)
  }

  /** The next part, unless the connection was ended: reads of some bodies then fail, those of others bring their end. */
  private async heard<A>(next: Promise<A>): Promise<A> {
    const timer = setTimeout(() => this.close(new Error("the server is silent")), this.silenceMs)
    try {
      return await next
    } finally {
      clearTimeout(timer)
      this.signal.throwIfAborted()
    }
  }
}

/**
 * Follows a tail behind `after`, over as many connections as it takes: each event once, and those of one emitter in order. It
 * goes on until the server refuses it, or the signal ends it; it then rejects with what `open` rejected with, or with the
 * signal's reason.
 */
export async function* follow<Event extends TailedEvent>(
  open: OpenTail,
  { after, pauseAfter, signal, silenceMs = defaultSilenceMs }: TailReading
): AsyncGenerator<TailItem<Event>, never, undefined> {
  const lastEvents = new LastEvents()
  let last = after
  for (let failures = 0;; failures++) {
    signal?.throwIfAborted()
    const connection = new Connection(signal, silenceMs)
    const frames = new Frames()
    const decoder = new TextDecoder()
    let state: "opening" | "open" | "heard" = "opening"
    let asked: number | undefined = 0
    let lost: unknown
    try {
      await connection.open(open, last)
      state = "open"
      for (let bytes = await connection.read(); bytes !== undefined; bytes = await connection.read()) {
        failures = 0
        if (state !== "heard") yield { type: "connected" }
        state = "heard"
        for (const { data, id } of frames.read(decoder.decode(bytes, { stream: true }))) {
          last = id ?? last
          if (data === undefined) yield { type: "position", position: id! }
          else {
            const event: Event = JSON.parse(data)
            if (lastEvents.add(event)) yield { type: "event", event }
          }
        }
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (state === "opening" && !connection.signal.aborted) asked = pauseAfter(error)
      if (asked === undefined || error instanceof SyntaxError) throw error
      lost = error
    } finally {
      connection.close()
    }
    yield { type: "lost", error: lost }
    await pause(Math.max(backoff(failures, maxDelayMs), asked), signal)
  }
}
