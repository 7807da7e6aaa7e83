/** An index of Python packages (PEP 503 and 691). */
import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { Data, Duration, Effect, Schema } from "effect"
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
  /** Without it, nothing tells that a file is the index's. */
  readonly sha256: string | undefined
  /** The versions of Python that it is for, such as `>=3.9`. */
  readonly requiresPython: string
}

export interface PackageIndexOptions {
  readonly url: string
  /** PEM of authorities to trust beside the public ones. */
  readonly extraCa?: string
}

/** For one answer, with the redirects that lead to it. */
const answerTime = Duration.seconds(30)
const mostPageBytes = 32 * 1024 * 1024
const mostFileBytes = 32 * 1024 * 1024
const mostRedirects = 5

const requestHeaders = {
  accept: "application/vnd.pypi.simple.v1+json, text/html;q=0.5, */*;q=0.1",
  "accept-encoding": "identity",
  "user-agent": "Headwater"
}

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  readonly body: Uint8Array
}

const tooLong = (mostBytes: number) => new IndexFailure({ message: `the answer has over ${mostBytes} bytes` })

/** Asks the index itself, which the operator chose: it may be where the egress guard lets nobody go. */
const askIndex = (url: string, mostBytes: number, extraCa: string | undefined) =>
  Effect.callback<Answer, IndexFailure>((resume) => {
    const fail = ({ message }: Error) => resume(Effect.fail(new IndexFailure({ message })))
    const ca = extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }
    const { request } = url.startsWith("https:") ? https : http
    const sent = request(url, { headers: requestHeaders, ...ca }, (answer) => {
      const { headers, statusCode: status = 0 } = answer
      const chunks: Array<Buffer> = []
      let bytes = 0
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes > mostBytes) answer.destroy(tooLong(mostBytes))
      })
      answer.on("error", fail)
      answer.on("end", () => resume(Effect.succeed({ status, headers, body: Buffer.concat(chunks) })))
    })
    sent.on("error", fail)
    sent.end()
    return Effect.sync(() => void sent.destroy())
  })

/** Asks whatever the index leads to elsewhere, as everything is asked that the operator did not choose. */
const askElsewhere = Effect.fnUntraced(function*(client: EgressHttp["Service"], url: string, mostBytes: number) {
  const answer = yield* client.request({
    asker: { accountId: yield* OnBehalfOf, use: "component" },
    method: "GET",
    url,
    headers: requestHeaders,
    timeoutMillis: Duration.toMillis(answerTime),
    maxBodyBytes: mostBytes
  }).pipe(Effect.mapError(({ message }) => new IndexFailure({ message })))
  if (answer.bodyTruncated) return yield* tooLong(mostBytes)
  return answer
})

const wheelForm = /^(?!.{256})[\w.]+-([\w.!+]+)(?:-\d[\w.]*)?-([\w.]+)-([\w.]+)-([\w.]+)\.whl$/

/** The version of a wheel that is pure Python, as its name tells; none of any other file. */
const versionIn = (filename: string): string | undefined => {
  const [, version, python = "", abi, platform] = wheelForm.exec(filename) ?? []
  const isPure = abi === "none" && platform === "any" &&
    python.split(".").some((tag) => /^(py3|py314|cp314)$/.test(tag))
  return isPure ? version : undefined
}

const decoded = (text: string): string =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", `"`).replaceAll("&amp;", "&")

const Listed = Schema.Struct({
  filename: Schema.String,
  url: Schema.String,
  hashes: Schema.optionalKey(Schema.Struct({ sha256: Schema.optionalKey(Schema.String) })),
  "requires-python": Schema.optionalKey(Schema.NullOr(Schema.String)),
  yanked: Schema.optionalKey(Schema.Union([Schema.Boolean, Schema.String]))
})
type Listed = typeof Listed.Type

const decodePage = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Struct({ files: Schema.Array(Listed) })))

const listedInHtml = (html: string): ReadonlyArray<Listed> =>
  [...html.matchAll(/<a\b([^<>]*)>([^<]*)<\/a>/gi)].flatMap(([, attributes = "", filename = ""]) => {
    const of = (name: string) => new RegExp(`\\b${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i").exec(attributes)
    const href = of("href")
    if (href === null) return []
    const [url = "", fragment = ""] = decoded(href[1] ?? href[2] ?? "").split("#")
    const sha256 = /^sha256=(.*)$/.exec(fragment)?.[1]
    const requires = of("data-requires-python")
    return [{
      filename: filename.trim(),
      url,
      hashes: sha256 === undefined ? {} : { sha256 },
      "requires-python": requires === null ? null : decoded(requires[1] ?? requires[2] ?? ""),
      yanked: /\bdata-yanked\b/i.test(attributes)
    }]
  })

/** None of what the index says of a file that can't be installed: one that is no pure wheel, or was withdrawn. */
const fileOf = (listed: Listed, page: string): ReadonlyArray<IndexFile> => {
  const { filename, hashes, "requires-python": requiresPython, yanked = false } = listed
  const version = versionIn(filename)
  const url = URL.parse(listed.url, page)
  if (version === undefined || url === null || yanked !== false) return []
  const sha256 = hashes?.sha256?.toLowerCase()
  return [{ filename, version, url: url.href, sha256, requiresPython: requiresPython ?? "" }]
}

export interface PackageIndex {
  /** The wheels of a package that are pure Python, newest first; undefined if there is no such package. */
  readonly filesOf: (name: string) => Effect.Effect<ReadonlyArray<IndexFile> | undefined, IndexFailure>
  /** The bytes of a file, which have its checksum. */
  readonly download: (file: IndexFile) => Effect.Effect<Buffer, IndexFailure>
}

export const make = Effect.fnUntraced(function*({ extraCa, url: root }: PackageIndexOptions) {
  const client = yield* EgressHttp
  const { origin } = new URL(root)

  /** Goes where redirects lead. */
  const get = Effect.fnUntraced(
    function*(first: string, mostBytes: number) {
      for (let url = first, redirects = 0;; redirects++) {
        const answer = yield* new URL(url).origin === origin
          ? askIndex(url, mostBytes, extraCa)
          : askElsewhere(client, url, mostBytes)
        const { headers: { location }, status } = answer
        const leadsOn = status >= 300 && status < 400 && typeof location === "string" && redirects < mostRedirects
        if (!leadsOn) return { ...answer, url }
        const next = URL.parse(location, url)
        if (next === null) return yield* new IndexFailure({ message: "the index redirects to what is no URL" })
        url = next.href
      }
    },
    Effect.timeoutOrElse({
      duration: answerTime,
      orElse: () =>
        Effect.fail(
          new IndexFailure({ message: `there was no answer within ${Duration.toSeconds(answerTime)} seconds` })
        )
    })
  )

  return {
    filesOf: Effect.fnUntraced(function*(name) {
      const { body, headers, status, url } = yield* get(`${root.replace(/\/$/, "")}/${name}/`, mostPageBytes)
      if (status === 404) return undefined
      if (status !== 200) return yield* new IndexFailure({ message: `the index answered ${status}` })
      const text = Buffer.from(body).toString("utf8")
      const listed = String(headers["content-type"]).includes("json")
        ? (yield* Effect.mapError(
          decodePage(text),
          () => new IndexFailure({ message: `what the index says of ${name} can't be read` })
        )).files
        : listedInHtml(text)
      return listed.flatMap((each) => fileOf(each, url))
        .toSorted((one, other) => compare(other.version, one.version))
    }),
    download: Effect.fnUntraced(function*({ filename, sha256, url }) {
      const { body, status } = yield* get(url, mostFileBytes)
      if (status !== 200) return yield* new IndexFailure({ message: `${filename}: the index answered ${status}` })
      if (createHash("sha256").update(body).digest("hex") !== sha256) {
        return yield* new IndexFailure({ message: `${filename} does not have the checksum that the index gives` })
      }
      return Buffer.from(body)
    })
  } satisfies PackageIndex
})
