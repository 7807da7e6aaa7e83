/** The files of an account, which stay until somebody removes them: `$.files` of its code, and `/files` of the API. */
import type { AccountId, FileId } from "./Id.ts"
import { isPath } from "./RunFile.ts"
import * as Storable from "./Storable.ts"

export interface StoredFile {
  readonly id: FileId
  readonly accountId: AccountId
  /** Unique in the account: names with `/` between them and at neither end. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  readonly contentType: string | null
  /** The name of its bytes, which has others when the file is written anew. */
  readonly content: string
  /** The SHA-256 of its bytes in hexadecimal digits; null of one that was written before there were checksums. */
  readonly sha256: string | null
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A file as code finds it. */
export type FileOutline = Pick<StoredFile, "path" | "size" | "contentType" | "content" | "updatedAt">

/** The time for which a URL of a file works, in milliseconds. */
export const urlMillis = 30 * 60_000

/** True if a text can be the path of a file. */
export const isFilePath = (path: string): boolean => isPath(path) && Storable.isKey(path)

/** The reason for refusing a path. */
export const filePathExpected = `a path has names with / between them, none of them empty, . or .., and at most ${
  Storable.maxKeyBytes.toLocaleString("en-US")
} bytes`

/** The longest type of a file, in characters: what is longer is cut. */
export const longestContentType = 255
