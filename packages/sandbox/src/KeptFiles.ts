import * as EmitId from "@headwater/domain/EmitId"
import {
  entryBytes,
  isPath,
  lenderName,
  partBytes,
  partsOf,
  type RunFile,
  type RunFileChanges
} from "@headwater/domain/RunFile"
import * as Storable from "@headwater/domain/Storable"
import { Effect } from "effect"
import type { RunFiles } from "./Run.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"

/** The longest path that a link leads to, in bytes of UTF-8. */
const maxTargetBytes = 4_095

/** A file as a run tells of it; `content` is the number of bytes that it has handed over, or the name of kept ones. */
export type ToldFile = Omit<RunFile, "content"> & { readonly content: string | number | null }

interface HandedOver {
  /** Never used again, so that nobody who comes late can change what it stands for. */
  readonly name: string
  bytes: number
  isWhole: boolean
}

/** The files that a step leaves to the next one, held against its limits: their bytes, and then what they are. */
export class KeptFiles {
  readonly #files: RunFiles | undefined
  readonly #limits: SandboxLimits
  readonly #handedOver: Array<HandedOver> = []
  readonly #known: ReadonlyMap<string, number>
  #bytes = 0
  changes: RunFileChanges | undefined

  /** @param files those that the run has; none if it keeps none */
  constructor(files: RunFiles | undefined, limits: SandboxLimits) {
    this.#files = files
    this.#limits = limits
    this.#known = new Map(
      files?.entries.flatMap(({ content, size }) =>
        content === null || lenderName(content) !== undefined ? [] : [[content, size] as const]
      ) ?? []
    )
  }

  /** Takes bytes of a file, in their order. Answers the reason if there is no room for them. */
  put(
    content: number,
    place: number,
    base64: string
  ): Effect.Effect<{ readonly code: string; readonly message: string } | undefined> {
    const files = this.#files
    if (files === undefined) return Effect.succeed({ code: "EACCES", message: "No files are kept here" })
    const bytes = Buffer.from(base64, "base64")
    const isFirst = content === this.#handedOver.length && content < this.#mostEntries
    if (isFirst) this.#handedOver.push({ name: EmitId.make(), bytes: 0, isWhole: false })
    const file = this.#handedOver[content]
    const isNext = file !== undefined && place === partsOf(file.bytes) && !file.isWhole
    if (!isNext || bytes.length === 0 || bytes.length > partBytes) {
      return Effect.succeed({ code: "EINVAL", message: "These are not the next bytes of a file" })
    }
    file.bytes += bytes.length
    file.isWhole = bytes.length < partBytes
    this.#bytes += bytes.length
    if (this.#bytes > this.#limits.fileBytes) {
      return Effect.succeed({ code: "ENOSPC", message: tooMuch })
    }
    return Effect.map(
      files.write(file.name, place, bytes),
      (isTaken) => isTaken ? undefined : { code: "ENOSPC", message: full }
    )
  }

  /** Takes what the files are. Answers the reason if no run of ours says such a thing. */
  hear(put: ReadonlyArray<ToldFile>, removed: ReadonlyArray<string>): string | undefined {
    const files = this.#files
    if (files === undefined) return "no files are kept here"
    const made: Array<RunFile> = []
    for (const { content: told, ...file } of put) {
      const found = this.#contentOf(told)
      if (found?.bytes !== file.size) return `the bytes of /tmp/${file.path} are not there`
      if (!isPath(file.path)) return `/tmp/${file.path} is no path`
      if (!Storable.isKey(file.path)) return `ENAMETOOLONG: the path /tmp/${file.path.slice(0, 100)}… can't be kept`
      if (!isTarget(file.target)) return `ENAMETOOLONG: the target of the link /tmp/${file.path} can't be kept`
      made.push({ ...file, content: found.name })
    }
    const paths = new Set(made.map(({ path }) => path))
    if (paths.size < made.length) return "two of its files are at the same path"
    const before = new Set(files.entries.map(({ path }) => path))
    if (!removed.every((path) => before.has(path))) return "a file is removed that was not there"
    const gone = new Set([...removed, ...paths])
    const left = [...files.entries.filter(({ path }) => !gone.has(path)), ...made]
    const bytes = left.reduce((sum, { size }) => sum + entryBytes + size, entryBytes)
    if (bytes > this.#limits.fileBytes) return `ENOSPC: ${tooMuch}`
    const used = new Set(left.map(({ content }) => content))
    const dropped = [...this.#known.keys()].filter((content) => !used.has(content))
    this.changes = { put: made, removed, dropped }
    return undefined
  }

  #contentOf(
    told: ToldFile["content"]
  ): { readonly name: string | null; readonly bytes: number | undefined } | undefined {
    if (typeof told === "number") return this.#handedOver[told]
    return { name: told, bytes: told === null ? 0 : this.#known.get(told) }
  }

  get #mostEntries(): number {
    return Math.ceil(this.#limits.fileBytes / entryBytes)
  }
}

const tooMuch = "the files take too much"

const full = "The account has no room for the files of its runs"

const isTarget = (target: string | null): boolean =>
  target === null || Storable.isText(target) && Buffer.byteLength(target) <= maxTargetBytes
