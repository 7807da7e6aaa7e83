import { Effect } from "effect"
import { connect } from "node:net"
import * as HttpAnswer from "./HttpAnswer.ts"

/** What is put on a connection, and for how long its answers are waited for. */
export interface Sending {
  readonly bytes: Buffer
  /** Of the requests in the bytes, in order, as far as they are known. */
  readonly methods: ReadonlyArray<string>
  /** Whether the sending side is closed after the bytes. */
  readonly ends: boolean
  /** How many answers there can be at most: the connection is left once they are there. */
  readonly answers: number
  readonly timeoutMs: number
}

/** What came back on a connection. */
export interface Receipt {
  readonly answers: ReadonlyArray<HttpAnswer.HttpAnswer>
  /** The server ended the connection. */
  readonly closed: boolean
  /** Not all answers came in time, and the connection stayed open. */
  readonly late: boolean
  /** What came is not HTTP. */
  readonly fault: string | undefined
}

/** Answers that never end are left after so long. */
const streamMs = 300

/** Sends bytes on a connection of their own and reads what comes back. Never fails: a refused connection is a closed one. */
export const exchange = (port: number, sending: Sending): Effect.Effect<Receipt> =>
  Effect.callback<Receipt>((resume) => {
    const chunks: Array<Buffer> = []
    let last: HttpAnswer.Reading = { answers: [], rest: Buffer.alloc(0), fault: undefined, isStreaming: false }
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    const finish = (ending: { readonly closed: boolean; readonly late: boolean }) => {
      clearTimeout(timer)
      socket.destroy()
      if (ending.closed) last = HttpAnswer.read(Buffer.concat(chunks), sending.methods, true)
      resume(Effect.succeed({ ...ending, answers: last.answers, fault: last.fault }))
    }
    const onTimeout = () => finish({ closed: false, late: last.answers.length < sending.answers })
    let timer = setTimeout(onTimeout, sending.timeoutMs)
    let isStream = false
    socket.on("data", (chunk) => {
      chunks.push(chunk)
      last = HttpAnswer.read(Buffer.concat(chunks), sending.methods, false)
      if (last.answers.length >= sending.answers || last.fault !== undefined) {
        finish({ closed: false, late: false })
      } else if (!isStream && last.isStreaming) {
        isStream = true
        clearTimeout(timer)
        timer = setTimeout(() => finish({ closed: true, late: false }), streamMs)
      }
    })
    socket.on("error", () => {})
    socket.on("close", () => finish({ closed: true, late: false }))
    if (sending.ends) socket.end(sending.bytes)
    else socket.write(sending.bytes)
    return Effect.sync(() => {
      clearTimeout(timer)
      socket.destroy()
    })
  })
