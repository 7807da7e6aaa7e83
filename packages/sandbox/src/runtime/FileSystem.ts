/**
 * A run's files, in memory: `/tmp`, and nothing beside it. A process loads this module when code first asks it for a file
 * (`Files.ts`), since that takes tens of milliseconds.
 */
import { entryBytes, partBytes, type RunFile } from "@headwater/domain/RunFile"
import { createError, type Link, Node, Superblock } from "@jsonjoy.com/fs-core"
import { Volume } from "@jsonjoy.com/fs-node"
import { Space } from "./Space.ts"

const { alloc, concat, from } = Buffer
const { ceil, floor, max, min } = Math

const chunkBytes = 64 * 1024

const take = (space: Space | undefined, bytes: number): void => {
  if (space?.take(bytes) === false) throw createError("ENOSPC", "write")
}

/** The bytes of a file, in chunks, so that a file that grows is not copied. */
class Content extends Node {
  readonly #space: Space | undefined
  #chunks: Array<Buffer> = []
  #length = 0
  /** The name under which its bytes are kept, for as long as they are the same. */
  kept: string | undefined

  constructor(ino: number, mode: number, space: Space | undefined) {
    super(ino, mode)
    this.#space = space
  }

  override getSize(): number {
    return this.#length
  }

  override getBuffer(): Buffer {
    return concat(this.#chunks, this.#length)
  }

  override getString(encoding: BufferEncoding = "utf8"): string {
    return this.getBuffer().toString(encoding)
  }

  override setBuffer(bytes: Buffer): void {
    this.truncate()
    this.write(bytes)
  }

  override setString(text: string): void {
    this.setBuffer(from(text))
  }

  override read(into: Uint8Array, offset = 0, length = into.byteLength, position = 0): number {
    const count = max(0, min(length, into.byteLength - offset, this.#length - position))
    const target = from(into.buffer, into.byteOffset, into.byteLength)
    this.#pass(position, count, (chunk, start, end, done) => chunk.copy(target, offset + done, start, end))
    return count
  }

  override write(bytes: Buffer, offset = 0, length = bytes.length, position = 0): number {
    const count = min(length, bytes.length - offset)
    if (count <= 0) return 0
    this.#reserve(position + count)
    this.#pass(
      position,
      count,
      (chunk, start, end, done) => bytes.copy(chunk, start, offset + done, offset + done + end - start)
    )
    this.touch()
    return count
  }

  override truncate(length = 0): void {
    const size = max(0, length)
    if (size > this.#length) this.#reserve(size)
    else {
      const last = ceil(size / chunkBytes)
      this.#chunks = this.#chunks.slice(0, last)
      this.#chunks[last - 1]?.fill(0, size - (last - 1) * chunkBytes)
      this.#length = size
    }
    this.touch()
  }

  override touch(): void {
    this.kept = undefined
    super.touch()
  }

  /** Makes it so long at least; what was not written is 0. */
  #reserve(length: number): void {
    if (length <= this.#length) return
    take(this.#space, length - this.#length)
    const count = ceil(length / chunkBytes)
    while (this.#chunks.length < count) this.#chunks.push(alloc(this.#chunks.length + 1 < count ? chunkBytes : 0))
    for (const [index, chunk] of this.#chunks.entries()) {
      const wanted = min(chunkBytes, length - index * chunkBytes)
      if (chunk.length < wanted) this.#chunks[index] = grown(chunk, wanted)
    }
    this.#length = length
  }

  /** Goes over the chunks of a part. */
  #pass(
    position: number,
    count: number,
    each: (chunk: Buffer, start: number, end: number, done: number) => void
  ): void {
    let done = 0
    while (done < count) {
      const index = floor((position + done) / chunkBytes)
      const start = position + done - index * chunkBytes
      const end = min(chunkBytes, start + count - done)
      each(this.#chunks[index]!, start, end, done)
      done += end - start
    }
  }
}

/** The first chunk of a small file is small; it doubles until it is as large as the others. */
const grown = (chunk: Buffer, wanted: number): Buffer => {
  const larger = alloc(min(chunkBytes, max(wanted, chunk.length * 2)))
  chunk.copy(larger)
  return larger
}

const isAbroad = (path: string): boolean => !/^\/+tmp(\/|$)/.test(path) && /[^/]/.test(path)

/** The parts of `process` that it asks for: it is nobody, in the root. */
const system = {
  cwd: () => "/",
  emitWarning: () => {},
  env: {},
  getuid: () => 65_534,
  getgid: () => 65_534,
  platform: "linux"
}

const refuse = (): never => {
  throw createError("EACCES", "open", "/")
}

/** Files with a space that they share, at `/tmp` alone. */
class Tree extends Superblock {
  declare space: Space | undefined

  constructor(maxBytes: number) {
    super({ process: system })
    this.root.createChild("tmp", this.createNode(0o041777))
    // The root has no other entry, whatever is said of its permissions.
    this.root.getNode().perm = 0o111
    Object.assign(this.root, { setChild: refuse, deleteChild: refuse })
    this.space = new Space(maxBytes, () => this.#measure())
  }

  override createNode(mode: number): Node {
    take(this.space, entryBytes)
    // Not among the `inodes`, which keep what is removed.
    return new Content(++this.ino, mode, this.space)
  }

  /** Of what is elsewhere nobody is to learn whether it is there. */
  override walk(...given: Parameters<Superblock["walk"]>): ReturnType<Superblock["walk"]> {
    const [place, , , , name = "open"] = given
    const found = super.walk(...given)
    if (found.ok || found.err.code !== "ENOENT" || typeof place !== "string" || !isAbroad(place)) return found
    const error = createError("EACCES", name, place)
    return { ...found, err: { ...found.err, code: "EACCES", message: error.message, toError: () => error } }
  }

  get temporary(): Link {
    return this.root.getChild("tmp")!
  }

  #measure(): number {
    const seen = new Set<Node>()
    let bytes = 0
    for (const [, link] of entriesOf(this.temporary)) {
      seen.add(link.getNode())
      bytes += entryBytes
    }
    for (const { node } of Object.values(this.fds)) seen.add(node)
    for (const node of seen) bytes += node.getSize()
    return bytes
  }
}

/** All below a directory, each after the one that it is in. */
function* entriesOf(directory: Link, before = ""): Generator<readonly [path: string, link: Link]> {
  for (const [name, link] of directory.children) {
    if (link === undefined || name === "." || name === "..") continue
    yield [before + name, link]
    if (link.getNode().isDirectory()) yield* entriesOf(link, `${before}${name}/`)
  }
}

/** The functions, which read unless something else is said. */
const functionsOf = (tree: Tree): Volume => {
  const volume = new Volume(tree)
  const { open, openSync } = volume
  volume.openSync = (path, flags = "r", mode) => openSync(path, flags, mode)
  volume.open = (path: unknown, ...rest: Array<unknown>) => {
    const given = typeof rest[0] === "function" ? ["r", ...rest] : [rest[0] ?? "r", ...rest.slice(1)]
    return Reflect.apply(open, volume, [path, ...given]) as void
  }
  return volume
}

/** A file as it is now. */
export interface Entry extends RunFile {
  /** Its bytes from a position on, as many as a part has at most. */
  readonly part: (place: number) => Buffer
}

export class FileSystem {
  readonly #tree: Tree
  /** The functions of `node:fs`, on these files. */
  readonly functions: Volume

  constructor(maxBytes: number) {
    this.#tree = new Tree(maxBytes)
    this.functions = functionsOf(this.#tree)
  }

  /** Every entry below `/tmp`, each after the directory that it is in. */
  get entries(): ReadonlyArray<Entry> {
    return [...entriesOf(this.#tree.temporary)].map(([path, link]) => {
      const node = link.getNode() as Content
      const size = node.isFile() ? node.getSize() : 0
      return {
        path,
        mode: node.mode,
        modifiedAt: node.mtime.getTime(),
        size,
        content: node.kept ?? null,
        target: node.isSymlink() ? node.symlink : null,
        part: (place) => {
          const bytes = alloc(min(partBytes, size - place * partBytes))
          node.read(bytes, 0, bytes.length, place * partBytes)
          return bytes
        }
      }
    })
  }

  /** Puts an entry in place. Its directory is there already, and its bytes come in parts. */
  add({ content, mode, modifiedAt, path, target }: RunFile, parts: ReadonlyArray<Uint8Array>): void {
    const names = path.split("/")
    const name = names.pop()!
    const directory = this.#tree.getResolvedLinkOrThrow(`/tmp/${names.join("/")}`, "open")
    const node = this.#tree.createNode(mode) as Content
    if (target !== null) node.symlink = target
    const around = directory.getNode()
    const { mtime } = around
    directory.createChild(name, node)
    around.mtime = mtime
    let position = 0
    for (const part of parts) position += node.write(from(part), 0, part.length, position)
    node.mtime = new Date(modifiedAt)
    node.kept = content ?? undefined
  }
}
