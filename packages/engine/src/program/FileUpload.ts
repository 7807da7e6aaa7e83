import * as EmitId from "@headwater/domain/EmitId"
import type { AccountId } from "@headwater/domain/Id"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Effect, Option, Stream } from "effect"
import { createHash } from "node:crypto"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"

/**
 * Writes a file of an account from a stream of its bytes, of which a part at a time is in memory. Answers none where the account
 * has no room for it. Nothing stays of a file that did not come to its end.
 */
export const make = Effect.gen(function*() {
  const files = yield* StoredFiles
  const { filesOfAccount } = yield* EngineLimits

  /** @param declared the bytes that the stream is said to have, where that is known beforehand */
  return Effect.fnUntraced(function*<E>(
    accountId: AccountId,
    { contentType, declared = 0, path }: {
      readonly path: string
      readonly contentType: string | null
      readonly declared?: number
    },
    bytes: Stream.Stream<Uint8Array, E>
  ) {
    if (declared > filesOfAccount - entryBytes) return Option.none()
    const takeRoom = FileRoom.make(filesOfAccount, files.bytesOf(accountId))
    const content = EmitId.make()
    const hash = createHash("sha256")
    let size = 0
    let held: Array<Uint8Array> = []
    let heldBytes = 0

    /** Answers false if there is no room for the part. */
    const put = Effect.fnUntraced(function*(part: Uint8Array) {
      const place = size / partBytes
      if (!(yield* takeRoom(place, part.length))) return false
      yield* untilAnswered(files.putPart(accountId, { content, place, bytes: part }))
      hash.update(part)
      size += part.length
      return true
    })

    const take = Effect.fnUntraced(function*(chunk: Uint8Array) {
      held.push(chunk)
      heldBytes += chunk.length
      if (heldBytes < partBytes) return true
      const all = Buffer.concat(held)
      const whole = all.length - all.length % partBytes
      for (let at = 0; at < whole; at += partBytes) {
        if (!(yield* put(all.subarray(at, at + partBytes)))) return false
      }
      held = [all.subarray(whole)]
      heldBytes = all.length - whole
      return true
    })

    const discard = untilAnswered(files.discard(accountId, content))
    return yield* Effect.gen(function*() {
      const hasRoom = (yield* Stream.runFold(
        Stream.takeUntil(Stream.mapEffect(bytes, take), (fits) => !fits),
        () => true,
        (_, fits) => fits
        // An empty file takes room too.
      )) && (heldBytes === 0 && size > 0 || (yield* put(Buffer.concat(held))))
      if (!hasRoom) return yield* Effect.as(discard, Option.none())
      const file = { path, size, contentType, content, sha256: hash.digest("hex") }
      return Option.some(yield* untilAnswered(files.write(accountId, file)))
    }).pipe(Effect.onError(() => discard))
  })
})
