import type { FileResource } from "@headwater/api/FilesApi"
import { get, put, remove, type Single, urlOf } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"

export type File = Pick<FileResource, "id" | "path" | "size" | "content_type" | "updated_at">

export const all = (signal: AbortSignal): Promise<WholeList.WholeList<File>> =>
  WholeList.read<File>(["files"], ["id", "path", "size", "content_type", "updated_at"], signal)

/** Writes a file, in place of the one at the path. */
export const write = (path: string, file: Blob) => put(["files", "content"], { query: { path }, file })

export const drop = ({ path }: Pick<File, "path">): Promise<void> => remove(["files", "content"], { query: { path } })

/** The address at which the reader, who is signed in, downloads a file. */
export const downloadOf = ({ path }: Pick<File, "path">): string => urlOf(["files", "content"], { path }).href

/** A URL at which anybody can read a file for a while. */
export const openUrlOf = async ({ path }: Pick<File, "path">, signal: AbortSignal): Promise<string> =>
  (await get<Single<{ readonly url: string }>>(["files", "url"], { query: { path }, signal })).data.url
