/**
 * A run's files as its steps in Python see them: the interpreter's `/tmp`, which each run has for itself. It has the same
 * space as the files of steps in JavaScript.
 */
import { entryBytes, partBytes, type RunFile } from "@headwater/domain/RunFile"
import type { RunDirectory } from "./Files.ts"
import type { Entry } from "./FileSystem.ts"
import type { Interpreter } from "./Interpreter.ts"
import { Space } from "./Space.ts"

/** A file, a directory or a link of the interpreter, by what is used of it here. */
interface FileNode {
  readonly mode: number
  /** Unix milliseconds. */
  mtime: number
  /** Of a directory, what is in it by name. */
  contents: Uint8Array | Record<string, FileNode>
  usedBytes: number
  link: string | undefined
  readonly mount: Mount
  /** The name under which its bytes are kept, for as long as they are the same. */
  kept: string | undefined
}

interface Mount {
  readonly root: FileNode
  readonly opts: { readonly space?: Space }
}

type Write = (
  stream: { readonly node: FileNode },
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
  canOwn?: boolean
) => number

/** The file system in memory that the interpreter comes with. */
interface Memory {
  readonly createNode: (parent: FileNode, name: string, mode: number, device: number) => FileNode
  readonly ops_table: {
    readonly dir: {
      readonly node: {
        mknod: (parent: FileNode, name: string, mode: number, device: number) => FileNode
        symlink: (parent: FileNode, name: string, target: string) => FileNode
      }
    }
    readonly file: {
      readonly node: { setattr: (node: FileNode, changes: { readonly size?: number }) => void }
      readonly stream: { write: Write }
    }
  }
  readonly stream_ops: { write: Write }
}

interface FileSystems {
  readonly mount: (type: Memory, options: Mount["opts"], place: string) => FileNode
  readonly unmount: (place: string) => void
  readonly ErrnoError: new(code: number) => Error
  readonly filesystems: { readonly MEMFS: Memory }
}

const place = "/tmp"

/** The interpreter's number for ENOSPC. */
const noSpace = 51

const formatBits = 0o170000
const isDirectory = ({ mode }: FileNode): boolean => (mode & formatBits) === 0o040000
const isFile = ({ mode }: FileNode): boolean => (mode & formatBits) === 0o100000
const isLink = ({ mode }: FileNode): boolean => (mode & formatBits) === 0o120000

/** All below a directory that a run can keep, each after the directory that it is in. */
function* entriesOf(directory: FileNode, before = ""): Generator<readonly [path: string, node: FileNode]> {
  for (const [name, node] of Object.entries(directory.contents as Record<string, FileNode>)) {
    if (!isDirectory(node) && !isFile(node) && !isLink(node)) continue
    yield [before + name, node]
    if (isDirectory(node)) yield* entriesOf(node, `${before}${name}/`)
  }
}

const sizeOf = (node: FileNode): number => isFile(node) ? node.usedBytes : 0

/** Has what is written into a run's files take their space, and bytes that are changed be others than those that are kept. */
const limit = ({ ErrnoError, filesystems: { MEMFS } }: FileSystems): void => {
  const { ops_table: { dir, file }, stream_ops } = MEMFS
  const { mknod, symlink } = dir.node
  const { setattr } = file.node
  const { write } = file.stream
  const take = ({ mount }: FileNode, bytes: number) => {
    if (bytes > 0 && mount.opts.space?.take(bytes) === false) throw new ErrnoError(noSpace)
  }
  dir.node.mknod = (parent, ...given) => {
    take(parent, entryBytes)
    return mknod(parent, ...given)
  }
  dir.node.symlink = (parent, ...given) => {
    take(parent, entryBytes)
    return symlink(parent, ...given)
  }
  file.node.setattr = (node, changes) => {
    if (changes.size !== undefined) {
      take(node, changes.size - node.usedBytes)
      node.kept = undefined
    }
    setattr(node, changes)
  }
  file.stream.write = stream_ops.write = (stream, buffer, offset, length, position, canOwn) => {
    take(stream.node, position + length - stream.node.usedBytes)
    stream.node.kept = undefined
    return write(stream, buffer, offset, length, position, canOwn)
  }
}

export class PythonFiles implements RunDirectory {
  readonly #fs: FileSystems
  readonly #root: FileNode
  readonly #space: Space
  /** Those that were put in place, by path. */
  readonly #directories: Map<string, FileNode>
  #isOpen = true

  private constructor(fs: FileSystems, maxBytes: number) {
    this.#fs = fs
    this.#space = new Space(maxBytes, () => this.#measure())
    this.#root = fs.mount(fs.filesystems.MEMFS, { space: this.#space }, place)
    this.#directories = new Map([["", this.#root]])
  }

  /** Prepares an interpreter. Answers a function that gives a run an empty `/tmp` of so many bytes, in place of the last one. */
  static readonly of = ({ FS }: Interpreter): (maxBytes: number) => PythonFiles => {
    limit(FS)
    let last: PythonFiles | undefined
    return (maxBytes) => {
      last?.close()
      return last = new PythonFiles(FS, maxBytes)
    }
  }

  get entries(): ReadonlyArray<Entry> {
    return [...entriesOf(this.#root)].map(([path, node]) => {
      const size = sizeOf(node)
      return {
        path,
        mode: node.mode,
        modifiedAt: Math.trunc(node.mtime),
        size,
        content: node.kept ?? null,
        target: isLink(node) ? node.link ?? "" : null,
        part: (index) =>
          Buffer.from(
            (node.contents as Uint8Array).subarray(index * partBytes, Math.min(size, (index + 1) * partBytes))
          )
      }
    })
  }

  add({ content, mode, modifiedAt, path, size, target }: RunFile, parts: ReadonlyArray<Uint8Array>): void {
    const cut = path.lastIndexOf("/")
    const parent = this.#directories.get(path.slice(0, Math.max(cut, 0)))!
    const { mtime } = parent
    const node = this.#fs.filesystems.MEMFS.createNode(parent, path.slice(cut + 1), mode, 0)
    parent.mtime = mtime
    this.#space.take(entryBytes + size)
    if (isDirectory(node)) this.#directories.set(path, node)
    if (isLink(node)) node.link = target ?? ""
    if (isFile(node)) {
      const bytes = new Uint8Array(size)
      let position = 0
      for (const part of parts) {
        bytes.set(part, position)
        position += part.length
      }
      node.contents = bytes
      node.usedBytes = size
    }
    node.mtime = modifiedAt
    node.kept = content ?? undefined
  }

  /** Takes the files away. */
  close(): void {
    if (this.#isOpen) this.#fs.unmount(place)
    this.#isOpen = false
  }

  #measure(): number {
    let bytes = 0
    for (const [, node] of entriesOf(this.#root)) bytes += entryBytes + sizeOf(node)
    return bytes
  }
}
