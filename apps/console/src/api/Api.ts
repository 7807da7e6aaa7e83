import { apiRoot } from "./Address.ts"
import { Failure, ofResponse } from "./Failure.ts"
import { ended } from "./SessionEnd.ts"

/** Values of a query; undefined and empty ones are left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | ReadonlyArray<string> | undefined>>

export interface Request {
  readonly query?: Parameters
  readonly body?: unknown
  /** A body in JSON that is sent as it is written, in place of `body`. */
  readonly text?: string
  /** A body of bytes, in place of `body`, with the type that it says. */
  readonly file?: Blob
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

/** A foreign page can't send this header with a cookie, so the server takes changes from this page alone. */
const ownHeader = { "x-headwater-console": "1" }

/** The URL of a path of the API. Its segments are escaped, so that a name can't become another path. */
export const urlOf = (path: ReadonlyArray<string>, query: Parameters = {}): URL => {
  const url = new URL(path.map((segment) => encodeURIComponent(segment).replaceAll("%24", "$")).join("/"), apiRoot)
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") url.searchParams.append(name, String(one))
    }
  }
  return url
}

/**
 * Sends a request and returns the response if it is a 2xx.
 *
 * @throws Failure otherwise, and the reason of `signal` if that ended it
 */
export const respond = async (
  method: string,
  path: ReadonlyArray<string>,
  { body, file, headers, query, signal, text = body === undefined ? undefined : JSON.stringify(body) }: Request = {}
): Promise<Response> => {
  let response: Response
  try {
    response = await fetch(urlOf(path, query), {
      method,
      credentials: "same-origin",
      headers: {
        ...ownHeader,
        ...headers,
        ...(text === undefined ? {} : { "content-type": "application/json" })
      },
      ...(file !== undefined ? { body: file } : text === undefined ? {} : { body: text }),
      ...(signal === undefined ? {} : { signal })
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new Failure({ message: "The server did not respond.", code: "network", status: 0 })
  }
  if (response.ok) return response
  const failure = await ofResponse(response)
  if (response.status === 401) ended(failure)
  throw failure
}

/** The body of an answer, whose type comes from the API's own schemas. */
const bodyOf = async <A>(response: Response): Promise<A> => {
  const text = await response.text()
  return (text === "" ? undefined : JSON.parse(text)) as A
}

export const get = async <A>(path: ReadonlyArray<string>, request: Omit<Request, "body"> = {}): Promise<A> =>
  bodyOf<A>(await respond("GET", path, request))

export const post = async <A>(path: ReadonlyArray<string>, request: Request = {}): Promise<A> =>
  bodyOf<A>(await respond("POST", path, request))

export const put = async <A>(path: ReadonlyArray<string>, request: Request = {}): Promise<A> =>
  bodyOf<A>(await respond("PUT", path, request))

export const patch = async <A>(path: ReadonlyArray<string>, request: Request = {}): Promise<A> =>
  bodyOf<A>(await respond("PATCH", path, request))

export const remove = async (path: ReadonlyArray<string>, request: Request = {}): Promise<void> => {
  await respond("DELETE", path, request)
}

/** The envelope of one thing. */
export interface Single<A> {
  readonly data: A
}

/** The order of a list by time. The API has all of a list in either. */
export type TimeOrder = "newest" | "oldest"

/** The envelope of a page of a list. */
export interface Page<A> {
  readonly data: ReadonlyArray<A>
  readonly page_info: {
    readonly count: number
    readonly start_cursor: string
    readonly end_cursor: string
    /** Present if the list is not counted; such a list can have an empty page before its end. */
    readonly has_more?: boolean
    /** Present if the list is counted. */
    readonly total_count?: number
    /** Present on lists of events: the position after which their tail goes on. */
    readonly position?: string
  }
}

/** The cursor of the next page of a list; undefined at its end. */
export const nextOf = <A>({ data, page_info }: Page<A>, limit: number): string | undefined => {
  const goesOn = page_info.has_more ?? (data.length > 0 && data.length <= limit)
  return goesOn && page_info.end_cursor !== "" ? page_info.end_cursor : undefined
}
