import { CurrentAccount } from "@headwater/api/Authorization"
import type { FileResource } from "@headwater/api/FilesApi"
import { HeadwaterApi } from "@headwater/api/HeadwaterApi"
import * as Pagination from "@headwater/api/Pagination"
import * as Problem from "@headwater/api/Problem"
import * as Storable from "@headwater/domain/Storable"
import { isOfEvents, longestContentType, onlyOfEvents, type StoredFile, urlMillis } from "@headwater/domain/StoredFile"
import * as FileStore from "@headwater/engine/FileStore"
import * as FileUpload from "@headwater/engine/FileUpload"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as StoredFileAnswer from "../answers/StoredFileAnswer.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { RateLimiting } from "../conventions/RateLimiting.ts"
import { noFileRoom } from "./NoRoomProblem.ts"

const resourceOf = (
  { contentType, createdAt, id, path, sha256, size, updatedAt }: StoredFile
): FileResource => ({ id, path, size, content_type: contentType, sha256, created_at: createdAt, updated_at: updatedAt })

/** The type that a request says; that of clients that only say that there is one is none. */
const typeOf = ({ headers }: HttpServerRequest.HttpServerRequest): string | null => {
  const type = Storable.toText(headers["content-type"] ?? "").slice(0, longestContentType)
  return type === "" || type.startsWith("*/") ? null : type
}

export const layer = HttpApiBuilder.group(
  HeadwaterApi,
  "files",
  Effect.fnUntraced(function*(handlers) {
    const files = yield* StoredFiles
    const upload = yield* FileUpload.make
    const urlOf = yield* FileStore.makeUrlOf
    const rate = yield* RateLimiting

    const fileAt = Effect.fnUntraced(function*(path: string) {
      const found = yield* files.at(yield* CurrentAccount, path)
      if (Option.isNone(found)) return yield* Problem.notFound("file", path)
      return found.value
    })

    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ query: { prefix = "", ...query } }) {
        const { items, totalCount } = yield* files.page(yield* CurrentAccount, prefix, Pagination.pageRequest(query))
        return Pagination.page(items.map(resourceOf), totalCount)
      }, answerFailures),
      delete: Effect.fnUntraced(function*({ query: { path } }) {
        const { accountId } = yield* fileAt(path)
        yield* files.remove(accountId, path)
      }, answerFailures),
      url: Effect.fnUntraced(function*({ query: { path } }) {
        const now = yield* Clock.currentTimeMillis
        const url = yield* urlOf(yield* fileAt(path))
        return { data: { url, expires_at_ms: now + urlMillis } }
      }, answerFailures)
    })
      .handleRaw(
        "read",
        Effect.fnUntraced(function*({ query: { path } }) {
          return StoredFileAnswer.make(files, yield* fileAt(path), "attachment")
        }, answerFailures)
      )
      .handleRaw(
        "write",
        Effect.fnUntraced(function*({ query: { path }, request }) {
          const accountId = yield* CurrentAccount
          if (isOfEvents(path)) return yield* Problem.invalid([{ path: "path", message: onlyOfEvents }])
          const bytes = Stream.orDie(request.stream).pipe(
            Stream.tap((chunk) => Effect.sync(() => rate.noteBytes(accountId, chunk.length)))
          )
          const declared = Number(request.headers["content-length"] ?? 0)
          const file = yield* upload(accountId, { path, contentType: typeOf(request), declared }, bytes).pipe(
            Effect.catchTag("NoFileRoom", noFileRoom)
          )
          return HttpServerResponse.jsonUnsafe({ data: resourceOf(file) })
        }, answerFailures)
      )
  })
)
