import { createClient, createConfig } from "./generated/client/index.ts"
import { Api } from "./generated/sdk.gen.ts"
import type { EventSummary } from "./generated/types.gen.ts"
import { HeadwaterError } from "./HeadwaterError.ts"
import { retrying, type RetryOptions } from "./Retries.ts"
import * as Tail from "./Tail.ts"

export type * from "./generated/types.gen.ts"
export { HeadwaterError, type Problem, type ProblemCode } from "./HeadwaterError.ts"
export { items, type Page, pages, type Place } from "./Pages.ts"
export type { RetryOptions } from "./Retries.ts"
export type { TailOptions } from "./Tail.ts"

export interface HeadwaterOptions {
  /** The server's base URL, without `/v1`. */
  readonly url: string
  /** An API key, or what gives one for each request. */
  readonly apiKey: string | (() => string | Promise<string>)
  /** Repetitions of a request that the server could not take. */
  readonly retry?: RetryOptions
  /** Takes what an answer warns of: names that an operation does not know. Default: `console.warn`. */
  readonly onWarning?: (warning: Warning) => void
  /** In place of the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/** A part of a request that did nothing: its place, and the reason. */
export interface Warning {
  readonly path: string
  readonly message: string
}

const warn = ({ message, path }: Warning): void => console.warn(`Headwater: ${path}: ${message}`)

const warningsOf = ({ headers }: Response): ReadonlyArray<Warning> => {
  const json = headers.get("x-headwater-warnings")
  return json === null ? [] : JSON.parse(json)
}

const fileContent = "/v1/files/content"

/**
 * A client of one account on a Headwater server. Its methods are the operations of the API, as `sources.create` or
 * `deliveries.retry`: each takes `{path, query, body, headers, signal}` as far as the operation has them, answers with the
 * body of the response, and rejects with a {@link HeadwaterError} if the server refuses.
 */
export class Headwater extends Api {
  readonly #follow: (options: Tail.TailOptions) => AsyncGenerator<EventSummary, void, undefined>

  constructor(
    { apiKey, fetch = (request) => globalThis.fetch(request), onWarning = warn, retry = {}, url }: HeadwaterOptions
  ) {
    const baseUrl = url.replace(/\/+$/, "")
    const key = typeof apiKey === "string" ? () => apiKey : apiKey
    const client = createClient(
      createConfig({ auth: key, baseUrl, fetch: retrying(fetch, retry) as typeof globalThis.fetch, throwOnError: true })
    )
    client.interceptors.error.use((error, response) =>
      response === undefined || response.ok ? error : HeadwaterError.of(response, error)
    )
    client.interceptors.response.use((response) => {
      for (const warning of warningsOf(response)) onWarning(warning)
      return response
    })
    // A file is bytes, also one of JSON.
    client.interceptors.response.use((response, { method }, options) => {
      if (method === "GET" && options.url === fileContent) options.parseAs = "blob"
      return response
    })
    super({ client })
    this.#follow = (options) =>
      Tail.follow(options, async (path, lastEventId, signal) => {
        const headers = {
          authorization: `Bearer ${await key()}`,
          accept: Tail.mediaType,
          ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId })
        }
        return fetch(new Request(`${baseUrl}${path}`, { headers, signal }))
      })
  }

  /**
   * Follows the log of a source or workflow, or those of the account: each event from now on, or after `after`, with its
   * full data. It goes on over lost connections and restarts of the server, and then neither misses nor repeats an event.
   *
   * The promise is fulfilled once it is known where the log ends, so it brings whatever is emitted from then on. It ends
   * by `break`, rejects with the reason of `signal`, and with a {@link HeadwaterError} if the server refuses the tail.
   */
  async tail(options: Tail.TailOptions = {}): Promise<AsyncGenerator<EventSummary, void, undefined>> {
    const after = options.after ?? await this.#end(options)
    return this.#follow({ ...options, after })
  }

  async #end({ signal, source, stream = "", workflow }: Tail.TailOptions): Promise<string> {
    const given = signal === undefined ? {} : { signal }
    if (source === undefined && workflow === undefined) {
      return (await this.log.accountEvents({ query: { limit: 1, include: "id" }, ...given })).page_info.position
    }
    const request = { query: { event_name: stream, limit: 1, include: "id" }, ...given }
    const { data: [newest] } = workflow === undefined
      ? await this.log.sourceEvents({ path: { id: source! }, ...request })
      : await this.log.workflowEvents({ path: { id: workflow }, ...request })
    return newest?.id ?? "0-0"
  }
}
