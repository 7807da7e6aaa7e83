/**
 * Tells the host of the requests that a trial makes over HTTP, and of accounts whose token an API refuses. All clients but
 * those of HTTP/2 come to `node:http` in the end.
 */
import { ClientRequest, type IncomingMessage } from "node:http"
import { tokenIn } from "./AccountTokens.ts"
import { current, type RunContext } from "./RunContext.ts"

const longest = 4_096

const now = performance.now.bind(performance)

export const addressOf = (request: ClientRequest): string => {
  const { host, path, protocol } = request
  const named = request.getHeader("host")
  return `${protocol}//${typeof named === "string" ? named : host}${path}`.slice(0, longest)
}

/** All that a request says but for its body. */
const headOf = (request: ClientRequest): string =>
  [request.path, ...request.getHeaderNames().map((name) => String(request.getHeader(name)))].join("\n")

const unauthorized = 401

/** Hears of the answer without a listener: a request that has one is expected to read the answer. */
const observe = (run: RunContext, request: ClientRequest): void => {
  const { method } = request
  const url = addressOf(request)
  const token = run.accounts.length === 0 ? undefined : tokenIn(run.accounts, headOf(request))
  const startedAt = now()
  const emit = request.emit.bind(request) as (event: string | symbol, ...values: Array<unknown>) => boolean
  let told = false
  const tell = (outcome: { readonly status: number } | { readonly error: string }) => {
    if (told) return
    told = true
    if (token !== undefined && "status" in outcome && outcome.status === unauthorized) {
      run.say({ _tag: "TokenRefused", account: token.account, generation: token.generation })
    }
    if (run.tellsRequests) run.say({ _tag: "Requested", method, url, ...outcome, wallMs: now() - startedAt })
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
      if (run !== undefined && (run.tellsRequests || run.accounts.length > 0) && !observed.has(this)) {
        observed.add(this)
        observe(run, this)
      }
      return Reflect.apply(end, this, values)
    },
    writable: true,
    configurable: true
  })
}
