import * as EmitId from "@headwater/domain/EmitId"
import type { AccountId } from "@headwater/domain/Id"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { untilAnswered } from "@headwater/log/database/TransientSqlError"
import { StoredFiles } from "@headwater/log/resources/StoredFiles"
import { Data, Effect, Stream } from "effect"
import { createHash } from "node:crypto"
import { EngineLimits } from "../ground/EngineLimits.ts"
import * as FileRoom from "./FileRoom.ts"

/** The account has no room for a file. */
export class NoFileRoom extends Data.TaggedError("NoFileRoom")<{ readonly limitBytes: number }> {}

/** Writes a file of an account from a stream of its bytes, of which a part at a time is in memory. */
export const make = Effect.gen(function*() {
  const files = yield* StoredFiles
  const { filesOfAccount } = yield* EngineLimits
  const noRoom = new NoFileRoom({ limitBytes: filesOfAccount })

  /**
   * @param declared the bytes that the stream is said to have, where that is known beforehand
   * @param takeRoom the room of several files that are written together
   */
  return Effect.fnUntraced(function*<E>(
    accountId: AccountId,
    { contentType, declared = 0, path }: {
      readonly path: string
      readonly contentType: string | null
      readonly declared?: number
    },
    bytes: Stream.Stream<Uint8Array, E>,
    takeRoom = FileRoom.make(filesOfAccount, files.bytesOf(accountId))
  ) {
    const most = filesOfAccount - entryBytes
    if (declared > most) return yield* noRoom
    const content = EmitId.make()
    const hash = createHash("sha256")
    let size = 0
    let held: Array<Uint8Array> = []
    let heldBytes = 0

    const put = Effect.fnUntraced(function*(part: Uint8Array) {
      const place = size / partBytes
      if (!(yield* takeRoom(place, part.length))) return yield* noRoom
      yield* untilAnswered(files.putPart(accountId, { content, place, bytes: part }))
      hash.update(part)
      size += part.length
    })

    return yield* Effect.gen(function*() {
      yield* Stream.runForEach(bytes, (chunk) =>
        Effect.gen(function*() {
          held.push(chunk)
          heldBytes += chunk.length
          if (heldBytes < partBytes) return
          const all = Buffer.concat(held)
          const whole = all.length - all.length % partBytes
          for (let at = 0; at < whole; at += partBytes) yield* put(all.subarray(at, at + partBytes))
          held = [all.subarray(whole)]
          heldBytes = all.length - whole
        }))
      // An empty file takes room too.
      if (heldBytes > 0 || size === 0) yield* put(Buffer.concat(held))
      return yield* untilAnswered(
        files.write(accountId, { path, size, contentType, content, sha256: hash.digest("hex") })
      )
    }).pipe(Effect.onError(() => untilAnswered(files.discard(accountId, content))))
  })
})
