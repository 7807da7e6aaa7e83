/** What components import as `@pipedream/platform` (`components.md`). Runs in the sandbox, as part of their module. */
import axiosClient, { type AxiosRequestConfig, type AxiosResponse } from "axios"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Readable } from "node:stream"
import type { ReadableStream } from "node:stream/web"

/** A source that polls looks so often unless it says otherwise, in seconds. */
export const DEFAULT_POLLING_SOURCE_TIMER_INTERVAL = 15 * 60

/** What the user has set does not do. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError"
}

interface Request extends AxiosRequestConfig {
  /** Answers the whole response in place of its body. */
  readonly returnFullResponse?: boolean
}

/**
 * Sends a request and answers the body of the response.
 *
 * @param _step the component or step that asks: `this` or `$`
 */
export const axios = async (_step: unknown, { returnFullResponse, ...config }: Request): Promise<unknown> => {
  const response: AxiosResponse<unknown> = await axiosClient.request(config)
  return returnFullResponse === true ? response : response.data
}

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
