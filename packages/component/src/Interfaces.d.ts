/** A file of the account: `$.files.open(path)`. It need not be there yet. */
export interface StoredFile {
  /** Names with `/` between them. */
  readonly path: string
  createReadStream(): Promise<any>
  /** The file is there, or has its new content, once the stream has finished. */
  createWriteStream(contentType?: string, contentLength?: number): Promise<any>
  toBuffer(): Promise<any>
  toEncodedString(encoding?: string, start?: number, end?: number): Promise<string>
  /** Writes it to a file in `/tmp`. */
  toFile(localPath: string): Promise<void>
  /** A URL at which anybody can read it for half an hour. */
  toUrl(): Promise<string>
  fromFile(localPath: string, contentType?: string): Promise<StoredFile>
  fromReadableStream(stream: any, contentType?: string, contentLength?: number): Promise<StoredFile>
  /** Downloads it. `options` are those of `fetch`. */
  fromUrl(url: string, options?: any): Promise<StoredFile>
  delete(): Promise<void>
  toJSON(): { readonly path: string }
}

/** A file, or a directory, which is there as long as a file is below it. */
export interface StoredEntry {
  readonly path: string
  readonly name: string
  /** Bytes of a file. */
  readonly size: number | undefined
  readonly modifiedAt: Date | undefined
  isFile(): boolean
  isDirectory(): boolean
}

/** `$.files`, and `this.<prop>` of a prop of the type `dir`: files of the account, which stay until they are removed. */
export interface FileStore {
  open(path: string): StoredFile
  /** The file of which a step has returned a description. */
  openDescriptor(descriptor: { readonly path: string }): StoredFile
  /** The entries of a directory, which is the root unless one is named. */
  dir(path?: string): AsyncIterableIterator<StoredEntry>
}

/** What `run` gets of a prop of the type `$.interface.http`. `Body` is what the sender sends. */
export interface HttpEvent<Body = any> {
  readonly method: string
  /** The path below the endpoint, as sent; `/` for the endpoint itself. */
  readonly path: string
  /** By name; a list if a name came more than once. */
  readonly query: Readonly<Record<string, string | ReadonlyArray<string>>>
  /** Names in lower case. The values of a name that came several times are one text, but those of `set-cookie` a list. */
  readonly headers: Readonly<Record<string, string> & { readonly "set-cookie"?: any }>
  /** The body as text, by its charset; missing without a body. */
  readonly bodyRaw?: string
  /** The body's bytes in base64, if they are not those of `bodyRaw` in UTF-8. */
  readonly bodyBase64?: string
  /** The body, parsed if it is JSON or a form. */
  readonly body: Body
  readonly client_ip: string
  /** The whole URL. */
  readonly url: string
}

type HeaderValue = string | number | boolean | null | undefined

/** An answer to a request. A header with a list is sent once for each of its values. */
export interface HttpResponse {
  /** 200 if missing. */
  readonly status?: number | string | undefined
  readonly headers?:
    | Readonly<Record<string, HeaderValue | ReadonlyArray<HeaderValue>>>
    | Iterable<readonly [string, string]>
    | undefined
  /** What is neither text nor bytes is sent as JSON. */
  readonly body?: unknown
}

/** The way in which a prop of the type `$.interface.http` takes requests. */
export interface HttpSettings {
  /** The event: the whole request, its body alone, or the request with its body as text and no header as a list. */
  readonly event?: "whole" | "body" | "raw" | undefined
  /** `accepted`: 200 once the request is durable. `run`: the code responds. Or an answer that is always the same. */
  readonly response?:
    | "accepted"
    | "run"
    | {
      readonly status?: number | undefined
      readonly headers?: Readonly<Record<string, string>> | undefined
      /** What is no text is sent as JSON. */
      readonly body?: unknown
    }
    | undefined
  /** Requests have to name it: `Authorization: Bearer <token>`. */
  readonly token?: string | undefined
}

/** `this.<prop>` of a prop of the type `$.interface.http`. */
export interface HttpInterface {
  /** The URL that takes requests. */
  readonly endpoint: string
  /** Answers the request of this run, if the prop has `customResponse`; the first call counts. */
  respond(response: HttpResponse): Promise<void>
}

/** When a timer is due; `intervalSeconds` is from 1 to 31,622,400, and `timezone` is `UTC` if missing. */
export type Timer =
  | { readonly intervalSeconds: number; readonly cron?: undefined; readonly timezone?: undefined }
  | { readonly cron: string; readonly timezone?: string | undefined; readonly intervalSeconds?: undefined }

/** A time in a time zone, in parts and as texts. */
export interface ZonedTime {
  /** `month` is from 1. */
  readonly date: { readonly year: number; readonly month: number; readonly day: number }
  readonly time: {
    readonly hour: number
    readonly minute: number
    readonly second: number
    readonly millisecond: number
  }
  /** The time and the timestamp with the offset of the zone. */
  readonly iso8601: { readonly date: string; readonly time: string; readonly timestamp: string }
  readonly pretty: { readonly date: string; readonly time: string; readonly time_24h: string }
  /** Sunday is 0, and begins the week. */
  readonly metadata: { readonly day_name: string; readonly day_of_week: number; readonly start_of_week: string }
  /** IANA name. */
  readonly timezone: string
}

/** What `run` gets of a prop of the type `$.interface.timer`; `timestamp` is when the tick was due, in Unix seconds. */
export type TimerEvent =
  & (
    | { readonly timestamp: number; readonly interval_seconds: number; readonly cron?: undefined }
    | { readonly timestamp: number; readonly cron: string; readonly interval_seconds?: undefined }
  )
  /** That time in the timer's time zone, and in UTC. */
  & { readonly timezone_configured: ZonedTime; readonly timezone_utc: ZonedTime }

/** An address as a header has it, with those in it one by one. */
export interface MailAddresses {
  readonly value: ReadonlyArray<{ readonly address?: string; readonly name: string }>
  readonly text: string
  readonly html: string
}

/** What `run` gets of a prop of the type `$.interface.email`. */
export interface MailEvent {
  /** Empty if the message has no such part. */
  readonly body: { readonly text: string; readonly html: string }
  /** Names in lower case. The sender can have written anything into them. */
  readonly headers: {
    readonly subject?: string
    readonly from?: MailAddresses
    readonly to?: MailAddresses
    readonly cc?: MailAddresses
    readonly [name: string]: any
  }
  readonly attachments: ReadonlyArray<{
    readonly filename: string
    readonly contentType: string
    /** Bytes. */
    readonly size: number
    /** In base64. */
    readonly content: string
    readonly contentTruncated: boolean
    readonly contentId?: string
  }>
  /** The addresses of the SMTP transaction. `tag` is what stands behind a `+`. */
  readonly envelope: { readonly from: string; readonly to: string; readonly tag: string | null }
}

/** `this.<prop>` of a prop of the type `$.interface.email`. */
export interface MailInterface {
  /** The address that takes e-mail; null where the server takes none. */
  readonly address: string | null
}

/** `this.<prop>` of a prop of the type `$.interface.apphook`. */
export interface Apphook {
  /** The URL that takes the app's events. */
  readonly endpoint: string
}

/** `this.<prop>` of a prop of the type `$.service.db`. `Shape` has the stored values by key. */
export interface Store<Shape = Record<string, any>> {
  /** The value that was stored, as JSON keeps it; `undefined` if there is none. */
  get<Key extends keyof Shape & string>(key: Key): Shape[Key] | undefined
  /** Stores a JSON value; `undefined` removes the key. Throws when the source would store over 1 MiB. */
  set<Key extends keyof Shape & string>(key: Key, value: Shape[Key] | undefined): void
}

/** `this.<prop>` of a prop of the type `data_store`: what sources and workflows of the account share. */
export interface DataStore {
  /** The value, or `undefined` if there is none. */
  get(key: string): Promise<any>
  /** Stores a JSON value of at most 1 MiB. `ttl`: seconds after which it is removed; else it stays. */
  set(key: string, value: unknown, options?: { readonly ttl?: number | null | undefined }): Promise<void>
  /** Changes the seconds after which a key is removed; `null`: it stays. */
  setTtl(key: string, seconds: number | null): Promise<void>
  has(key: string): Promise<boolean>
  delete(key: string): Promise<void>
  /** Removes all keys. */
  clear(): Promise<void>
  /** In no certain order. */
  keys(): Promise<ReadonlyArray<string>>
  /** For `for await`; awaited, it is a list. */
  entries():
    & AsyncIterableIterator<readonly [key: string, value: any]>
    & PromiseLike<ReadonlyArray<readonly [key: string, value: any]>>
  size(): Promise<number>
  /** Reads page by page. */
  [Symbol.asyncIterator](): AsyncIterableIterator<readonly [key: string, value: any]>
  /** Adds a number, 1 if left out, and answers the sum. Throws if the value is no number. */
  increment(key: string, by?: number): Promise<number>
  /** Stores the value if the key has the expected one, `undefined` for none, and answers whether it did. */
  compareAndSet(
    key: string,
    expected: unknown,
    value: unknown,
    options?: { readonly ttl?: number | null | undefined }
  ): Promise<boolean>
}

/** What goes with an emitted event. */
export interface EmitMetadata {
  /** What `dedupe` goes by. An object counts as its JSON. */
  readonly id?: string | number | object | null | undefined
  /** The stream; without it the default stream. */
  readonly name?: string | null | undefined
  /** Text for people. */
  readonly summary?: string | null | undefined
  /** When it happened: Unix milliseconds or seconds, an ISO 8601 text or a `Date`. A run's emits are sorted by it. */
  readonly ts?: number | string | Date | null | undefined
  /** When to emit it, if that is in the future, in Unix milliseconds. */
  readonly delivery_ts?: number | Date | null | undefined
}

/** Emits an event, which is any JSON value. The run need not wait for it. */
export type Emit = (event: unknown, metadata?: EmitMetadata) => Promise<void>

/** The answer to a request that a user has put together. */
export interface HttpRequestAnswer {
  /** The body, parsed if it is JSON. */
  readonly data: any
  readonly status: number
  readonly statusText: string
  readonly headers: Readonly<Record<string, any>>
  readonly config: Readonly<Record<string, any>>
}

/** `this.<prop>` of a prop of the type `http_request`: the request that the user has put together. */
export interface HttpRequest {
  readonly [member: string]: any
  /** Sends the request with these changes. A status other than 2xx throws an error with the answer as `response`. */
  execute(changes?: Readonly<Record<string, unknown>>): Promise<HttpRequestAnswer>
}
