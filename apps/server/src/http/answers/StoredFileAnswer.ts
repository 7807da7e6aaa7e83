import { OnBehalfOf } from "@headwater/domain/OnBehalfOf"
import { partsOf } from "@headwater/domain/RunFile"
import type { StoredFile } from "@headwater/domain/StoredFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import type { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import * as PageSandbox from "../endpoint/PageSandbox.ts"

const nameOf = ({ path }: StoredFile): string => encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))

/** A type that a header can have; others are told as bytes. */
const typeOf = ({ contentType }: StoredFile): string =>
  contentType !== null && /^[\x20-\x7e]+$/.test(contentType) ? contentType : "application/octet-stream"

/** A file of an account, part by part as the client reads. A page among them runs in an origin of its own. */
export const make = (
  files: StoredFiles["Service"],
  file: StoredFile,
  disposition: "attachment" | "inline"
): HttpServerResponse.HttpServerResponse => {
  const parts = Stream.fromIterable(Array.from({ length: partsOf(file.size) }, (_, place) => place)).pipe(
    Stream.mapEffect((place) => untilAnswered(files.part(file.accountId, file.content, place))),
    // It was written anew since: the answer ends short of its length, so that nobody takes it for the whole.
    Stream.takeWhile((bytes) => bytes !== undefined),
    Stream.map((bytes) => bytes!),
    Stream.provideService(OnBehalfOf, file.accountId)
  )
  return HttpServerResponse.stream(parts, {
    contentType: typeOf(file),
    contentLength: file.size,
    headers: {
      ...PageSandbox.around({}) as Record<string, string>,
      "content-disposition": `${disposition}; filename*=UTF-8''${nameOf(file)}`,
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff"
    }
  })
}
