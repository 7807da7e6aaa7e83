/**
 * The files of an account, which stay until somebody removes them, or for as long as the event that they came with: `$.files`
 * of its code, and `/files` of the API.
 */
import type { AccountId, FileId, ProgramId } from "./Id.ts"
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

/** The folder of the files of events. The server alone writes there, and removes them with the events of the account. */
const eventFolder = "$events/"

/** The folder of the files of what came to a program. */
export const eventFolderOf = (programId: ProgramId): string => `${eventFolder}${programId}/`

/** True for a path at which only the server writes. */
export const isOfEvents = (path: string): boolean => path.startsWith(eventFolder)

/** The reason for refusing to write there. */
export const onlyOfEvents = "only the server writes below $events/"

/** The longest time for which a URL in an event works, in milliseconds; it ends with the file too. */
export const eventUrlMillis = 366 * 24 * 3_600_000

/** The size from which on a file goes into the operator's bucket if there is one, in bytes. */
export const largeBytes = 1024 * 1024

/** A file is there in objects of so many parts, of which the last one may be shorter. */
export const partsOfObject = 32

/** True if a text can be the path of a file. */
export const isFilePath = (path: string): boolean => isPath(path) && Storable.isKey(path)

/** The form of a path. */
export const filePathExpected =
  `a path of names with / between them, none of them empty, . or .., of at most ${Storable.maxKeyBytes} bytes`

/** The longest type of a file, in characters: what is longer is cut. */
export const longestContentType = 255
