/**
 * Holds what a step in shadow asks of others: a request that does not only read, and a connection of which nobody can tell.
 * The first of them ends the step.
 */
import { ClientRequest } from "node:http"
import { heldMessage, heldName } from "../HeldRequest.ts"
import { addressOf } from "./Observation.ts"
import { current } from "./RunContext.ts"

const reading = new Set(["GET", "HEAD", "OPTIONS"])

const isReading = (request: ClientRequest): boolean =>
  reading.has(request.method.toUpperCase()) && !request.hasHeader("upgrade")

/** Ends the run that this executes in, if that may not ask it of this host. Answers the error for what was asked. */
const hold = (host: string, what: () => string): Error | undefined => {
  const run = current()
  if (run?.readsFrom === undefined || run.readsFrom.includes(host.toLowerCase())) return undefined
  const message = heldMessage(what())
  run.end({ _tag: "Ended", error: { name: heldName, message, stack: "" } })
  return Object.assign(new Error(message), { name: heldName })
}

const heldRequest = (request: ClientRequest): Error | undefined =>
  isReading(request)
    ? undefined
    : hold(request.host, () => `${request.method} ${addressOf(request).replace(/\?.*/, "")}`)

/** More than 0 while a client of HTTP opens a connection. */
let opening = 0

export const ofHttp = <A>(open: () => A): A => {
  opening++
  try {
    return open()
  } finally {
    opening--
  }
}

export const heldConnection = (host: string, port: number): Error | undefined =>
  opening > 0 ? undefined : hold(host, () => `a connection to ${host}:${port}`)

/** Any of these begins to send. */
const sending = ["write", "end", "flushHeaders"] as const

export const holdRequests = (): void => {
  for (const name of sending) {
    const send = ClientRequest.prototype[name] as (...values: ReadonlyArray<unknown>) => unknown
    Object.defineProperty(ClientRequest.prototype, name, {
      value(this: ClientRequest, ...values: Array<unknown>) {
        const held = this.destroyed ? undefined : heldRequest(this)
        if (held === undefined) return Reflect.apply(send, this, values)
        this.destroy(held)
        return name === "end" ? this : false
      },
      writable: true,
      configurable: true
    })
  }
}
