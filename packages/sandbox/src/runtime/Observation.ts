/** Tells the host of the requests that a trial makes over HTTP. All clients but those of HTTP/2 come to `node:http` in the end. */
import { ClientRequest, type IncomingMessage } from "node:http"
import { current, type RunContext } from "./RunContext.ts"

const longest = 4_096

const now = performance.now.bind(performance)

const addressOf = (request: ClientRequest): string => {
  const { host, path, protocol } = request
  const named = request.getHeader("host")
  return `${protocol}//${typeof named === "string" ? named : host}${path}`.slice(0, longest)
}

/** Hears of the answer without a listener: a request that has one is expected to read the answer. */
const observe = (run: RunContext, request: ClientRequest): void => {
  const { method } = request
  const url = addressOf(request)
  const startedAt = now()
  const emit = request.emit.bind(request) as (event: string | symbol, ...values: Array<unknown>) => boolean
  let told = false
  const tell = (outcome: Record<string, unknown>) => {
    if (told) return
    told = true
    run.say({ _tag: "Requested", method, url, ...outcome, wallMs: now() - startedAt })
  }
  Object.defineProperty(request, "emit", {
    value(event: string | symbol, ...values: Array<unknown>) {
      const [first] = values
      if (event === "response" || event === "upgrade") tell({ status: (first as IncomingMessage).statusCode ?? 0 })
      if (event === "error") tell({ error: String(first instanceof Error ? first.message : first).slice(0, longest) })
      if (event === "close") tell({ error: "it was given up" })
      return emit(event, ...values)
    },
    writable: true,
    configurable: true
  })
}

export const observeRequests = (): void => {
  const { end } = ClientRequest.prototype
  const observed = new WeakSet<ClientRequest>()
  Object.defineProperty(ClientRequest.prototype, "end", {
    value(this: ClientRequest, ...values: Array<unknown>) {
      const run = current()
      if (run?.tellsRequests === true && !observed.has(this)) {
        observed.add(this)
        observe(run, this)
      }
      return Reflect.apply(end, this, values)
    },
    writable: true,
    configurable: true
  })
}
