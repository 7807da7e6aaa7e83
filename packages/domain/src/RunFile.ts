/** The files of a run of a workflow, below its `/tmp`, which each of its steps finds as the one before left them. */

/** A file, a directory or a symbolic link. */
export interface RunFile {
  /** Below `/tmp`, with `/` between names and none at either end. */
  readonly path: string
  /** Its type and its permissions, as stat(2) has them. */
  readonly mode: number
  /** Unix milliseconds. */
  readonly modifiedAt: number
  /** Bytes of a file; 0 of everything else. */
  readonly size: number
  /** The name of its bytes; null if it has none. */
  readonly content: string | null
  /** The path that a link leads to; null if it is none. */
  readonly target: string | null
}

/** The bytes that each entry counts for beside its content, so that there is no end of empty ones. */
export const entryBytes = 4_096

/** The bytes of a file are kept in parts of so many bytes; the last one may be shorter. */
export const partBytes = 256 * 1024

/** A part of the bytes of a name. */
export interface FilePart {
  readonly content: string
  /** Counted from 0. */
  readonly place: number
  readonly bytes: Uint8Array
}

/** The number of parts that a file of some bytes has. */
export const partsOf = (size: number): number => Math.ceil(size / partBytes)

/** The changes of a step to the files of its run. */
export interface RunFileChanges {
  /** Those that are new or other than before. */
  readonly put: ReadonlyArray<RunFile>
  /** Paths at which there is nothing any more. */
  readonly removed: ReadonlyArray<string>
  /** The names of bytes that none of its files has any more. */
  readonly dropped: ReadonlyArray<string>
}

/** The files after a step, each after the directory that it is in. */
export const changed = (files: ReadonlyArray<RunFile>, { put, removed }: RunFileChanges): ReadonlyArray<RunFile> => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  for (const path of removed) byPath.delete(path)
  for (const file of put) byPath.set(file.path, file)
  return [...byPath.values()].toSorted((one, other) => one.path < other.path ? -1 : 1)
}

const isDirectory = ({ mode }: RunFile): boolean => (mode & 0o170000) === 0o040000

/**
 * The changes of a step to files that another step has changed meanwhile. Of a file that both have changed, the later change
 * counts; what is in no directory any more goes.
 */
export const changesOver = (files: ReadonlyArray<RunFile>, changes: RunFileChanges): RunFileChanges => {
  const directories = new Set<string>()
  const isWithin = ({ path }: RunFile) => {
    const end = path.lastIndexOf("/")
    return end < 0 || directories.has(path.slice(0, end))
  }
  const stray = new Set<string>()
  for (const file of changed(files, changes)) {
    if (!isWithin(file)) stray.add(file.path)
    else if (isDirectory(file)) directories.add(file.path)
  }
  const put = changes.put.filter(({ path }) => !stray.has(path))
  return { ...changes, put, removed: [...changes.removed, ...stray] }
}

/** A path that stays below `/tmp` and that a database can keep. */
export const isPath = (path: string): boolean =>
  path.split("/").every((name) => name !== "" && name !== "." && name !== "..")

const lent = "lent:"

/** A name for bytes that a step is lent, such as those of a file attached to its workflow: no file of the run keeps it. */
export const lentName = (content: string): string => `${lent}${content}`

/** The name that lent bytes have elsewhere; undefined of a run's own. */
export const lenderName = (content: string | null): string | undefined =>
  content?.startsWith(lent) === true ? content.slice(lent.length) : undefined
