/** An index of Python packages (PEP 503 and 691). */
import { Data, Effect } from "effect"
import { createHash } from "node:crypto"
import http from "node:http"
import https from "node:https"
import { rootCertificates } from "node:tls"
import { compare } from "./PythonRequirement.ts"

/** The index can't be reached, or answers what can't be read. */
export class IndexFailure extends Data.TaggedError("IndexFailure")<{ readonly message: string }> {}

/** A file that the index has of a package. */
export interface IndexFile {
  readonly filename: string
  readonly version: string
  readonly url: string
  readonly sha256: string | undefined
  /** The versions of Python that it is for, such as `>=3.9`. */
  readonly requiresPython: string
}

export interface PackageIndexOptions {
  readonly url: string
  /** PEM of authorities to trust beside the public ones. */
  readonly extraCa?: string
}

/** For one answer, in milliseconds and bytes. */
const answerMillis = 30_000
const mostPageBytes = 32 * 1024 * 1024
const mostFileBytes = 32 * 1024 * 1024
const mostRedirects = 5

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: Buffer
  readonly url: string
}

const get = (
  { extraCa }: PackageIndexOptions,
  url: string,
  mostBytes: number,
  signal: AbortSignal,
  redirects = 0
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith("https:") ? https : http
    const sent = request(url, {
      signal,
      headers: { accept: "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1", "user-agent": "Headwater" },
      ...(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] })
    }, (answer) => {
      const { headers, statusCode: status = 0 } = answer
      if (status >= 300 && status < 400 && headers.location !== undefined && redirects < mostRedirects) {
        answer.resume()
        const next = new URL(headers.location, url).href
        return resolve(
          get({ url, ...(extraCa === undefined ? {} : { extraCa }) }, next, mostBytes, signal, redirects + 1)
        )
      }
      const chunks: Array<Buffer> = []
      let bytes = 0
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > mostBytes) answer.destroy(new Error(`the answer has over ${mostBytes} bytes`))
      })
      answer.on("error", reject)
      answer.on("end", () => resolve({ status, type: headers["content-type"] ?? "", body: Buffer.concat(chunks), url }))
    })
    sent.on("error", reject)
    sent.end()
  })

const ask = (options: PackageIndexOptions, url: string, mostBytes: number) =>
  Effect.tryPromise({
    try: (signal) => get(options, url, mostBytes, AbortSignal.any([signal, AbortSignal.timeout(answerMillis)])),
    catch: (error) => new IndexFailure({ message: error instanceof Error ? error.message : String(error) })
  })

const wheelForm = /^[^-]+-([^-]+)(?:-[^-]+)?-([^-]+)-([^-]+)-([^-]+)\.whl$/

/** The version of a wheel that is pure Python, as its name tells; none of any other file. */
const versionIn = (filename: string): string | undefined => {
  const [, version, python = "", abi, platform] = wheelForm.exec(filename) ?? []
  const isPure = abi === "none" && platform === "any" &&
    python.split(".").some((tag) => /^(py3|py314|cp314)$/.test(tag))
  return isPure ? version : undefined
}

const decoded = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", `"`).replaceAll("&amp;", "&")

interface Listed {
  readonly filename: string
  readonly url: string
  readonly hashes?: { readonly sha256?: string }
  readonly "requires-python"?: string | null
  readonly yanked?: unknown
}

const listedInHtml = (html: string): ReadonlyArray<Listed> =>
  [...html.matchAll(/<a\b([^>]*)>([^<]*)<\/a>/gi)].flatMap(([, attributes = "", filename = ""]) => {
    const of = (name: string) => new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(attributes)
    const href = of("href")
    if (href === null) return []
    const [url = "", fragment = ""] = decoded(href[1] ?? href[2] ?? "").split("#")
    const sha256 = /^sha256=([0-9a-f]{64})$/i.exec(fragment)?.[1]
    const requires = of("data-requires-python")
    return [{
      filename: filename.trim(),
      url,
      hashes: sha256 === undefined ? {} : { sha256 },
      "requires-python": requires === null ? null : decoded(requires[1] ?? requires[2] ?? ""),
      yanked: /\bdata-yanked\b/i.test(attributes)
    }]
  })

const listedIn = ({ body, type }: Answer): ReadonlyArray<Listed> => {
  const text = body.toString("utf8")
  return type.includes("json")
    ? (JSON.parse(text) as { readonly files: ReadonlyArray<Listed> }).files
    : listedInHtml(text)
}

export interface PackageIndex {
  /** The wheels of a package that are pure Python, newest first, and true if it has others; undefined if there is none. */
  readonly filesOf: (
    name: string
  ) => Effect.Effect<
    { readonly files: ReadonlyArray<IndexFile>; readonly hasOthers: boolean } | undefined,
    IndexFailure
  >
  /** The bytes of a file, which have its checksum. */
  readonly download: (file: IndexFile) => Effect.Effect<Buffer, IndexFailure>
}

export const make = (options: PackageIndexOptions): PackageIndex => ({
  filesOf: Effect.fnUntraced(function*(name) {
    const answer = yield* ask(options, `${options.url.replace(/\/$/, "")}/${name}/`, mostPageBytes)
    if (answer.status === 404) return undefined
    if (answer.status !== 200) return yield* new IndexFailure({ message: `the index answered ${answer.status}` })
    const listed = yield* Effect.try({
      try: () => listedIn(answer),
      catch: () => new IndexFailure({ message: `what the index says of ${name} can't be read` })
    })
    const files = listed.flatMap((each): ReadonlyArray<IndexFile> => {
      const version = versionIn(each.filename)
      if (version === undefined || (each.yanked !== undefined && each.yanked !== false)) return []
      return [{
        filename: each.filename,
        version,
        url: new URL(each.url, answer.url).href,
        sha256: each.hashes?.sha256?.toLowerCase(),
        requiresPython: each["requires-python"] ?? ""
      }]
    })
    return {
      files: files.toSorted((one, other) => compare(other.version, one.version)),
      hasOthers: listed.length > files.length
    }
  }),
  download: Effect.fnUntraced(function*({ filename, sha256, url }) {
    const { body, status } = yield* ask(options, url, mostFileBytes)
    if (status !== 200) return yield* new IndexFailure({ message: `${filename}: the index answered ${status}` })
    const found = createHash("sha256").update(body).digest("hex")
    if (sha256 !== undefined && found !== sha256) {
      return yield* new IndexFailure({ message: `${filename} does not have the checksum that the index gives` })
    }
    return body
  })
})
