import * as RealTime from "@headwater/domain/RealTime"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { Context, Effect, Layer, Schema } from "effect"
import type { LinkedFile, ModuleImport, ModulePosition } from "./BundlerProtocol.ts"
import { ModuleBundler, ModuleFaulty, type ModuleUnread } from "./ModuleBundler.ts"
import * as ModulePath from "./ModulePath.ts"
import * as SourcePlaces from "./SourcePlaces.ts"

/** The text is no URL that may be fetched. */
export class RemoteUrlRefused extends Schema.TaggedError<RemoteUrlRefused>()("RemoteUrlRefused", {
  message: Schema.String
}) {}

/** A module and what it imports come to more bytes than are fetched. */
export class RemoteModulesTooLarge extends Schema.TaggedError<RemoteModulesTooLarge>()("RemoteModulesTooLarge", {
  limitBytes: Schema.Int
}) {}

/** One module, made of those that were fetched. */
export interface RemoteModule {
  /** As it was fetched, byte for byte, where it imports nothing from its origin. */
  readonly code: string
  /**
   * The places of `code` in the files that it was written in; lines and columns count from 1. Files are called by the
   * path of their URL.
   */
  readonly place: SourcePlaces.SourcePlaces
}

export interface RemoteModuleRequest {
  /** On whose behalf. */
  readonly accountId: string
  readonly url: string
  /** Bytes of all files together. */
  readonly maxBytes: number
  readonly userAgent: string
}

export interface RemoteModulesOptions {
  /** For all files together, in milliseconds. */
  readonly fetchMillis?: number
  readonly maxFiles?: number
}

const concurrentFetches = 8

/** Specifiers that mean a place on the web; all others mean something to the sandbox, or to nobody. */
const isPlace = (specifier: string): boolean => /^(\.{0,2}\/|https?:)/i.test(specifier)

/** A file to fetch, and the first import that asks for it. */
interface Wanted {
  readonly url: URL
  readonly file: string
  readonly by: ModuleImport | undefined
}

/** The statuses by which servers say that there is no such file. */
const absent: ReadonlySet<number> = new Set([403, 404, 410])

/** A URL without the name and the password in it. */
const shown = (url: URL): string => Object.assign(new URL(url), { username: "", password: "" }).href

/** The URLs of a module whose import leaves its extension out, or names the file that it is compiled to. */
const alternatives = (url: URL, from: string): ReadonlyArray<URL> => {
  const candidates = ModulePath.candidates(url.pathname)
  // A name with an extension is no folder's, and asking costs a request each.
  const likely = ModulePath.extensionOf(url.pathname) === undefined ? candidates : candidates.slice(0, 2)
  const own = ModulePath.extensionOf(from) ?? ""
  return likely
    .filter((pathname) => pathname !== url.pathname)
    .toSorted((a, b) => Number(b.endsWith(own)) - Number(a.endsWith(own)))
    .map((pathname) => Object.assign(new URL(url), { pathname }))
}

/** Fetches a component's module, and what that imports from the same origin, through the egress guard. */
export class RemoteModules extends Context.Service<RemoteModules, {
  load(
    request: RemoteModuleRequest
  ): Effect.Effect<RemoteModule, RemoteUrlRefused | RemoteModulesTooLarge | ModuleFaulty | ModuleUnread>
}>()("@headwater/sandbox/RemoteModules") {
  static readonly layer = (
    options: RemoteModulesOptions = {}
  ): Layer.Layer<RemoteModules, never, EgressGuard | EgressHttp> =>
    Layer.effect(RemoteModules, make(options)).pipe(Layer.provide(ModuleBundler.layer))
}

const make = Effect.fnUntraced(function*({ fetchMillis = 15_000, maxFiles = 100 }: RemoteModulesOptions) {
  const guard = yield* EgressGuard
  const http = yield* EgressHttp
  const bundler = yield* ModuleBundler

  const load = Effect.fnUntraced(function*({ accountId, maxBytes, url, userAgent }: RemoteModuleRequest) {
    const origin = yield* Effect.mapError(
      guard.checkUrl(url),
      ({ message }) => new RemoteUrlRefused({ message })
    )
    const deadline = (yield* RealTime.elapsed) + fetchMillis
    const fileOf = makeNames()
    let bytes = 0

    const fetch = Effect.fnUntraced(function*({ by, file: asked, url: first }: Wanted) {
      const failed = (why: string) =>
        new ModuleFaulty({
          message: by === undefined
            ? `${shown(first)} can't be fetched: ${why}`
            : `${JSON.stringify(by.specifier)} can't be fetched from ${shown(first)}: ${why}`,
          at: by?.at ?? start(asked)
        })
      const late = failed(`not all files arrived within ${fetchMillis} ms`)
      const get = Effect.fnUntraced(function*(url: URL) {
        const left = deadline - (yield* RealTime.elapsed)
        if (left <= 0) return yield* late
        const answer = yield* http.request({
          asker: { accountId, use: "component" },
          method: "GET",
          url: url.href,
          headers: { "accept": "text/javascript, */*;q=0.5", "accept-encoding": "identity", "user-agent": userAgent },
          timeoutMillis: left,
          maxBodyBytes: maxBytes - bytes
        }).pipe(
          Effect.mapError((error) =>
            error.reason === "refused" && by === undefined
              ? new RemoteUrlRefused({ message: error.message })
              : error.reason === "timeout"
              ? late
              : failed(error.message)
          )
        )
        return { url, answer }
      })

      let got = yield* get(first)
      const places = by === undefined || !absent.has(got.answer.status) ? [] : alternatives(first, by.at.file)
      for (const place of places) {
        const other = yield* get(place)
        if (absent.has(other.answer.status)) continue
        got = other
        break
      }
      const { answer, url } = got
      if (answer.status >= 300 && answer.status < 400) {
        return yield* failed(`it answered ${answer.status}, and redirects are not followed`)
      }
      if (answer.status !== 200) return yield* failed(`it answered ${answer.status}`)
      const encoding = answer.headers["content-encoding"] ?? "identity"
      if (encoding !== "identity") return yield* failed(`it came in the encoding ${JSON.stringify(encoding)}`)
      bytes += answer.body.length
      if (answer.bodyTruncated || bytes > maxBytes) {
        return yield* new RemoteModulesTooLarge({ limitBytes: maxBytes })
      }
      const file = url === first ? asked : fileOf(url)
      return { file, url, text: yield* readText(file, answer.body) }
    })

    /** The place that an import means, if it is one to be fetched. */
    const resolve = Effect.fnUntraced(function*(from: URL, { at, specifier }: ModuleImport) {
      if (!isPlace(specifier)) return undefined
      const found = URL.parse(specifier, from.href)
      const fault = found === null
        ? "is not a valid URL"
        : found.origin === origin.origin
        ? undefined
        : `leaves the origin ${origin.origin}`
      if (fault !== undefined) return yield* new ModuleFaulty({ message: `${JSON.stringify(specifier)} ${fault}`, at })
      return found ?? undefined
    })

    const files = new Map<string, LinkedFile>()
    /** The files that were there, by those that were asked for. */
    const found = new Map<string, string>()
    const entry = fileOf(origin)
    let wanted: ReadonlyArray<Wanted> = [{ url: origin, file: entry, by: undefined }]
    while (wanted.length > 0) {
      const next = new Map<string, Wanted>()
      const fetched = yield* Effect.forEach(wanted, fetch, { concurrency: concurrentFetches })
      for (const [index, { file, text, url }] of fetched.entries()) {
        found.set(wanted[index]!.file, file)
        if (files.has(file)) continue
        const links: Array<readonly [string, string]> = []
        const extension = /\.(json|py)$/i.exec(url.pathname)?.[1]?.toLowerCase()
        const type = extension === "json" || extension === "py" ? extension : "js"
        const { file: module, imports } = yield* bundler.read({ file, type, text })
        for (const by of imports) {
          const target = yield* resolve(url, by)
          if (target === undefined) continue
          const imported = fileOf(target)
          links.push([by.specifier, imported])
          if (!next.has(imported)) next.set(imported, { url: target, file: imported, by })
        }
        files.set(file, { ...module, links })
      }
      wanted = [...next.values()].filter(({ file }) => !found.has(file))
      const beyond = wanted[maxFiles - found.size]
      if (beyond?.by !== undefined) {
        return yield* new ModuleFaulty({ message: `The component has over ${maxFiles} files`, at: beyond.by.at })
      }
    }

    const alone = files.get(entry)!
    if (alone.links.length === 0 && alone.type !== "py") {
      return { code: alone.text, place: (line: number, column: number) => ({ file: entry, line, column }) }
    }
    const linked = [...files.values()].map(({ links, ...module }) => ({
      ...module,
      links: links.map(([specifier, file]) => [specifier, found.get(file)!] as const)
    }))
    const bundle = yield* bundler.bundle({ entry, files: linked, standIns: {} })
    return { code: bundle.code, place: SourcePlaces.make(bundle.map, start(entry)) }
  })

  return RemoteModules.of({ load })
})

const start = (file: string): ModulePosition => ({ file, line: 1, column: 1 })

/** Names files by their path: what is in a query may be secret. */
const makeNames = () => {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  return ({ pathname, search }: URL): string => {
    const known = names.get(pathname + search)
    if (known !== undefined) return known
    let name = pathname
    for (let count = 2; taken.has(name); count++) name = `${pathname}#${count}`
    names.set(pathname + search, name)
    taken.add(name)
    return name
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const readText = (file: string, bytes: Uint8Array): Effect.Effect<string, ModuleFaulty> =>
  Effect.try({
    try: () => utf8.decode(bytes),
    catch: () => new ModuleFaulty({ message: "The module is not UTF-8 text", at: start(file) })
  }).pipe(Effect.flatMap((text) => {
    const nul = text.indexOf("\u0000")
    if (nul === -1) return Effect.succeed(text)
    const lines = text.slice(0, nul).split("\n")
    const at = { file, line: lines.length, column: lines.at(-1)!.length + 1 }
    return Effect.fail(new ModuleFaulty({ message: "The module holds the NUL character", at }))
  }))
