/** The files of an account, which stay until somebody removes them: `$.files` of its code, and `/files` of the API. */
import type { AccountId, FileId } from "./Id.ts"

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
  /** Unix seconds. */
  readonly createdAt: number
  readonly updatedAt: number
}

/** A file as code finds it. */
export type FileOutline = Pick<StoredFile, "path" | "size" | "contentType" | "content" | "updatedAt">

/** The time for which a URL of a file works, in milliseconds. */
export const urlMillis = 30 * 60_000
