import { isPath, partBytes, partsOf, type RunFile, type RunFileChanges } from "@headwater/domain/RunFile"
import * as Storable from "@headwater/domain/Storable"
import { Effect } from "effect"
import type { RunFiles } from "./Run.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"

/** The longest path that a link leads to, in bytes of UTF-8. */
const maxTargetBytes = 4_095

/** A file as a run tells of it; `content` is the number of bytes that it has handed over, or the name of kept ones. */
export type ToldFile = Omit<RunFile, "content"> & { readonly content: string | number | null }

interface HandedOver {
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
      files?.entries.flatMap(({ content, size }) => content === null ? [] : [[content, size] as const]) ?? []
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
    if (isFirst) this.#handedOver.push({ bytes: 0, isWhole: false })
    const file = this.#handedOver[content]
    const isNext = file !== undefined && place === partsOf(file.bytes) && !file.isWhole
    if (!isNext || bytes.length === 0 || bytes.length > partBytes) {
      return Effect.succeed({ code: "EINVAL", message: "These are not the next bytes of a file" })
    }
    file.bytes += bytes.length
    file.isWhole = bytes.length < partBytes
    this.#bytes += bytes.length
    if (this.#bytes > this.#limits.fileBytes) {
      return Effect.succeed({ code: "ENOSPC", message: "The files take too much" })
    }
    return Effect.map(
      files.write(nameOf(files, content), place, bytes),
      (isTaken) => isTaken ? undefined : { code: "ENOSPC", message: full }
    )
  }

  /** Takes what the files are. Answers the reason if no run of ours says such a thing. */
  hear(put: ReadonlyArray<ToldFile>, removed: ReadonlyArray<string>): string | undefined {
    const files = this.#files
    if (files === undefined) return "no files are kept here"
    const made: Array<RunFile> = []
    for (const { content: told, ...file } of put) {
      const content = typeof told === "number" ? nameOf(files, told) : told
      const size = typeof told === "number" ? this.#handedOver[told]?.bytes : told === null ? 0 : this.#known.get(told)
      if (size !== file.size) return `the bytes of /tmp/${file.path} are not there`
      if (!isPath(file.path)) return `/tmp/${file.path} is no path`
      if (!Storable.isKey(file.path)) return `ENAMETOOLONG: the path /tmp/${file.path.slice(0, 100)}… can't be kept`
      if (!isTarget(file.target)) return `ENAMETOOLONG: the target of the link /tmp/${file.path} can't be kept`
      made.push({ ...file, content })
    }
    const gone = new Set([...removed, ...made.map(({ path }) => path)])
    const left = [...files.entries.filter(({ path }) => !gone.has(path)), ...made]
    const used = new Set(left.map(({ content }) => content))
    const dropped = [...this.#known.keys()].filter((content) => !used.has(content))
    this.changes = { put: made, removed, dropped }
    return undefined
  }

  /** Each entry counts for some bytes. */
  get #mostEntries(): number {
    return Math.ceil(this.#limits.fileBytes / 4_096)
  }
}

const full = "The account has no room for the files of its runs"

/** Names are never used again, so that nobody who comes late can change what they stand for. */
const nameOf = ({ attempt }: RunFiles, content: number): string => `${attempt}-${content}`

const isTarget = (target: string | null): boolean =>
  target === null || Storable.isText(target) && Buffer.byteLength(target) <= maxTargetBytes
