import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { fileURLToPath } from "node:url"
import type { FetchHandler } from "./TestNetwork.ts"

/** A request and its answer in a file, as a person would write them. */
export interface Exchange {
  readonly request: {
    readonly method: string
    readonly url: string
    /** JSON, or else text; left out where there is none. */
    readonly body?: unknown
  }
  readonly response: {
    readonly status: number
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: unknown
  }
}

export interface RecordingOptions {
  /** Texts that the file must not show, by names that it shows instead: `{ token: process.env.TOKEN }`. */
  readonly secrets?: Readonly<Record<string, string | undefined>>
  /** Asks the real servers and writes the file, in place of answering out of it. Default: where `HEADWATER_RECORD` is set. */
  readonly record?: boolean
  /** The function that asks the real servers. */
  readonly fetch?: FetchHandler
}

/** Headers that say nothing about the answer itself, or that may hold a secret. */
const isKept = (name: string): boolean =>
  !/^(date|connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie|server|via|age|x-request-id|cf-.*|report-to|nel|alt-svc|strict-transport-security|.*(token|secret|key|auth|session).*)$/
    .test(name)

/** Parameters of a URL that are secrets by their names. */
const secretParameter = /^(.*(token|secret|password|signature|api_?key).*|key|sig|code)$/i

const hidden = "<hidden>"

const hide = (text: string, secrets: ReadonlyArray<readonly [string, string]>): string =>
  secrets.reduce((shown, [name, secret]) => shown.replaceAll(secret, `<${name}>`), text)

const urlOf = (text: string, secrets: ReadonlyArray<readonly [string, string]>): string => {
  const url = new URL(text)
  for (const name of new Set(url.searchParams.keys())) {
    if (secretParameter.test(name)) url.searchParams.set(name, hidden)
  }
  if (url.password !== "") url.password = "hidden"
  return hide(decodeURIComponent(url.href.replaceAll("%25", "%2525")), secrets)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const shown = (text: string, secrets: ReadonlyArray<readonly [string, string]>) =>
  text === "" ? {} : { body: parsed(hide(text, secrets)) }

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/**
 * A handler that answers out of a file of exchanges. Requests are matched by method, URL and body; where several are alike,
 * in their order, and the last again and again.
 */
export const recorded = (file: string | URL, options: RecordingOptions = {}): FetchHandler => {
  const path = file instanceof URL ? fileURLToPath(file) : Path.resolve(file)
  const secrets = Object.entries(options.secrets ?? {}).filter((one): one is [string, string] => (one[1] ?? "") !== "")
  const isRecording = options.record ?? (process.env["HEADWATER_RECORD"] ?? "") !== ""
  const ask = options.fetch ?? ((request: Request) => fetch(request))
  const made: Array<Exchange> = []
  const used = new Map<Exchange, number>()
  let exchanges: Promise<ReadonlyArray<Exchange>> | undefined

  const read = async (): Promise<ReadonlyArray<Exchange>> => {
    try {
      return JSON.parse(await Fs.readFile(path, "utf8")) as ReadonlyArray<Exchange>
    } catch (cause) {
      throw new Error(`The recording ${path} can't be read. HEADWATER_RECORD=1 makes a new one`, { cause })
    }
  }

  const record = async (request: Request, asked: Exchange["request"]): Promise<Response> => {
    const response = await ask(request)
    const text = await response.text()
    const headers = Object.fromEntries([...response.headers].filter(([name]) => isKept(name)))
    made.push({ request: asked, response: { status: response.status, headers, ...shown(text, secrets) } })
    await Fs.mkdir(Path.dirname(path), { recursive: true })
    await Fs.writeFile(path, `${JSON.stringify(made, null, 2)}\n`)
    return new Response(text === "" ? null : text, { status: response.status, headers })
  }

  return async (request) => {
    const body = await request.clone().text()
    const asked = { method: request.method, url: urlOf(request.url, secrets), ...shown(body, secrets) }
    if (isRecording) return record(request, asked)
    const fitting = (await (exchanges ??= read())).filter(({ request }) =>
      request.method === asked.method && request.url === asked.url && isSame(request.body, asked.body)
    )
    const times = (one: Exchange) => used.get(one) ?? 0
    const next = fitting.find((one) => times(one) === 0) ?? fitting.at(-1)
    if (next === undefined) throw new Error(`${path} has no answer to ${asked.method} ${asked.url}`)
    used.set(next, times(next) + 1)
    const { response } = next
    const text = response.body === undefined || typeof response.body === "string"
      ? response.body ?? null
      : JSON.stringify(response.body)
    const headers = {
      ...(typeof response.body === "object" ? { "content-type": "application/json" } : {}),
      ...response.headers
    }
    return new Response(text, { status: response.status, headers })
  }
}
