import * as Problem from "@headwater/api/Problem"
import * as FileKey from "@headwater/domain/FileKey"
import { partsOf } from "@headwater/domain/RunFile"
import type { StoredFile } from "@headwater/domain/StoredFile"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Effect, Option, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"
import * as PageSandbox from "../endpoint/PageSandbox.ts"

const nameOf = ({ path }: StoredFile): string => encodeURIComponent(path.slice(path.lastIndexOf("/") + 1))

/** A type that a header can have; others are told as bytes. */
const typeOf = ({ contentType }: StoredFile): string =>
  contentType !== null && /^[\x20-\x7e]+$/.test(contentType) ? contentType : "application/octet-stream"

/** `/files/{key}`: a file of an account, for anybody who has its URL, while that works. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const files = yield* StoredFiles
  const { secret } = yield* FileSecret
  const gone = Problem.notFound("file", "with this URL, or it works no more")

  const answer = Effect.gen(function*() {
    const { key: text = "" } = yield* HttpRouter.params
    const key = FileKey.parse(text)
    if (key === undefined || !FileKey.isValid(secret, key, yield* Clock.currentTimeMillis)) return yield* gone
    const found = yield* files.of(key.content)
    if (Option.isNone(found)) return yield* gone
    const file = found.value
    const parts = Stream.fromIterable(Array.from({ length: partsOf(file.size) }, (_, place) => place)).pipe(
      Stream.mapEffect((place) => untilAnswered(files.part(file.accountId, file.content, place))),
      // It was written anew since: the answer ends short of its length, so that nobody takes it for the whole.
      Stream.takeWhile((bytes) => bytes !== undefined),
      Stream.map((bytes) => bytes!)
    )
    return HttpServerResponse.stream(parts, {
      contentType: typeOf(file),
      contentLength: file.size,
      headers: {
        ...PageSandbox.around({}) as Record<string, string>,
        "content-disposition": `inline; filename*=UTF-8''${nameOf(file)}`,
        "cache-control": "private, no-store",
        "x-content-type-options": "nosniff"
      }
    })
  }).pipe(answerFailures, Effect.catch(problemResponse))

  yield* router.add("GET", "/files/:key", answer)
}))
