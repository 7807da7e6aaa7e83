import * as Problem from "@headwater/api/Problem"
import * as FileKey from "@headwater/domain/FileKey"
import { Suspensions } from "@headwater/engine/Suspensions"
import { FileSecret } from "@headwater/log/access/FileSecret"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Clock, Effect, Option } from "effect"
import { HttpRouter } from "effect/http"
import * as StoredFileAnswer from "../answers/StoredFileAnswer.ts"
import { answerFailures } from "../conventions/FailureProblem.ts"
import { problemResponse } from "../conventions/ProblemResponse.ts"

/** `/files/{key}`: a file of an account, for anybody who has its URL, while that works. */
export const layer = HttpRouter.use(Effect.fnUntraced(function*(router) {
  const files = yield* StoredFiles
  const suspensions = yield* Suspensions
  const { secret } = yield* FileSecret
  const gone = Problem.notFound("file", "with this URL, or it works no more")

  const answer = Effect.gen(function*() {
    const { key: text = "" } = yield* HttpRouter.params
    const key = FileKey.parse(text)
    if (key === undefined || !FileKey.isValid(secret, key, yield* Clock.currentTimeMillis)) return yield* gone
    const found = yield* files.of(key.content)
    if (Option.isNone(found) || suspensions.isSuspended(found.value.accountId)) return yield* gone
    return StoredFileAnswer.make(files, found.value, "inline")
  }).pipe(answerFailures, Effect.catch(problemResponse))

  yield* router.add("GET", "/files/:key", answer)
}))
