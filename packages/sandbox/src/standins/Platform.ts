/** The stand-in for `@pipedream/platform` (`components.md`). Runs in the sandbox, as part of a component's module. */
import axiosClient, {
  type AxiosInstance,
  type AxiosResponse,
  create as makeClient,
  type InternalAxiosRequestConfig,
  isAxiosError
} from "axios"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"

/** A source that polls looks so often unless it says otherwise, in seconds. */
export const DEFAULT_POLLING_SOURCE_TIMER_INTERVAL = 15 * 60

/** The user's settings are not usable. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError"
}

declare module "axios" {
  interface AxiosRequestConfig {
    /** Answers the whole response in place of its body. */
    readonly returnFullResponse?: boolean
  }
}

/** With what requests are signed by OAuth 1, by a service that has the consumer's secret. */
interface Signing {
  /**
   * Is sent `{requestData: {method, url, data}, token}` by POST, `data` being the fields of a form, and answers the
   * text of the header `Authorization`.
   */
  readonly oauthSignerUri?: string
  readonly token?: unknown
}

const formType = /^application\/x-www-form-urlencoded\b/i

/** The fields of a form, which are signed with the rest; other bodies are not (RFC 5849, 3.4.1.3.1). */
const formOf = ({ data, headers }: InternalAxiosRequestConfig): object | undefined => {
  if (!formType.test(String(headers.getContentType() ?? ""))) return undefined
  return typeof data === "object" ? data : Object.fromEntries(new URLSearchParams(String(data)))
}

/** The address with its parameters, in the one spelling that is both signed and sent. */
const addressOf = (config: InternalAxiosRequestConfig): string => {
  const url = new URL(axiosClient.getUri(config))
  url.search = url.search.replaceAll("+", "%20")
    .replaceAll(/[!'()*]/g, (reserved) => `%${reserved.charCodeAt(0).toString(16).toUpperCase()}`)
  return url.href
}

const sign = async (config: InternalAxiosRequestConfig, { oauthSignerUri, token }: Signing) => {
  if (oauthSignerUri === undefined) {
    throw new ConfigurationError(
      "the third argument of axios needs an oauthSignerUri, which apps take from the account's credentials, mostly as oauth_signer_uri"
    )
  }
  const url = addressOf(config)
  const data = formOf(config)
  const requestData = { method: (config.method ?? "get").toUpperCase(), url, ...(data === undefined ? {} : { data }) }
  const { data: signature } = await axiosClient.post<unknown>(oauthSignerUri, { requestData, token })
  const { baseURL: _baseURL, params: _params, ...rest } = config
  rest.headers.set("Authorization", String(signature))
  return { ...rest, url }
}

const answerOf = (response: AxiosResponse<unknown>) =>
  response.config.returnFullResponse === true ? response : response.data

/** A body as JSON, unless there is none, or none that was read. */
const textOf = (body: unknown): string | undefined => {
  if (body === undefined || body === null || body === "") return undefined
  if (body instanceof ArrayBuffer || ArrayBuffer.isView(body) || body instanceof Readable) return undefined
  return JSON.stringify(body)
}

/** Components read in the message what was answered. The status stays in the stack, and in `response`. */
const refusalOf = (error: unknown): never => {
  if (isAxiosError(error)) {
    const { message, response, stack } = error
    // A stack takes the message in when it is first read.
    Object.assign(error, { message: textOf(response?.data) ?? message, stack })
  }
  throw error
}

/** A client whose requests answer as those of `axios` do. */
const create = (config?: Parameters<typeof makeClient>[0], signing?: Signing): AxiosInstance => {
  const client = makeClient(config)
  if (signing !== undefined) client.interceptors.request.use((request) => sign(request, signing))
  client.interceptors.response.use(answerOf as never, refusalOf)
  return client
}

/**
 * Sends a request and answers the body of the response.
 *
 * @param _step the component or step that asks: `this` or `$`
 */
const request = (
  _step: unknown,
  config: Parameters<AxiosInstance["request"]>[0],
  signing?: Signing
): Promise<unknown> => create(undefined, signing).request(config)

export interface FileMetadata {
  readonly size: number | undefined
  readonly contentType: string | undefined
  readonly lastModified: Date | undefined
  readonly name: string
  readonly etag?: string | undefined
}

const isUrl = (place: string): boolean => /^https?:\/\//i.test(place)

const nameOf = (url: string): string => decodeURIComponent(basename(new URL(url).pathname))

/** The contents of a file, of which is given the path or the URL, and what is known of it. */
export const getFileStreamAndMetadata = async (
  place: string
): Promise<{ readonly stream: Readable; readonly metadata: FileMetadata }> => {
  if (!isUrl(place)) {
    const { mtime, size } = await stat(place)
    const metadata = { size, contentType: undefined, lastModified: mtime, name: basename(place) }
    return { stream: createReadStream(place), metadata }
  }
  const response = await fetch(place)
  if (!response.ok || response.body === null) {
    await response.body?.cancel()
    throw new Error(`${place} answered ${response.status} ${response.statusText}`.trimEnd())
  }
  const { headers } = response
  const size = headers.get("content-length")
  const modified = headers.get("last-modified")
  return {
    stream: Readable.fromWeb(response.body as ReadableStream),
    metadata: {
      size: size === null ? undefined : Number(size),
      contentType: headers.get("content-type") ?? undefined,
      lastModified: modified === null ? undefined : new Date(modified),
      name: nameOf(place),
      etag: headers.get("etag") ?? undefined
    }
  }
}

/** The contents of a file, of which is given the path or the URL. */
export const getFileStream = async (place: string): Promise<Readable> => (await getFileStreamAndMetadata(place)).stream

/** Objects are asked for these whatever they are: when they are awaited, and when they are written as JSON. */
const askedOfAll = new Set<string | symbol>(["then", "toJSON"])

/** An object that says so where it is asked for a member which it has not. */
const strict = <A extends object>(name: string, members: A): A =>
  new Proxy(members, {
    get: (target, key, receiver) => {
      if (typeof key === "symbol" || askedOfAll.has(key) || Reflect.has(target, key)) {
        return Reflect.get(target, key, receiver)
      }
      throw new Error(`@pipedream/platform has no ${name}${key} here`)
    }
  })

/** Sends a request and answers the body of the response; `axios.create` makes clients that do. */
export const axios = strict("axios.", Object.assign(request, { create }))

/** Mixed into the apps of databases, for a prop that holds a query; what it adds to an editor has no counterpart here. */
export const sqlProp = strict("sqlProp.", { methods: {} })

/** Mixed into the apps of databases, for queries through a proxy, which there is none of here. */
export const sqlProxy = strict("sqlProxy.", { methods: {} })

export default strict("", {
  axios,
  ConfigurationError,
  DEFAULT_POLLING_SOURCE_TIMER_INTERVAL,
  getFileStream,
  getFileStreamAndMetadata,
  sqlProp,
  sqlProxy
})
