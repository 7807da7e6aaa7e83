import { assert, it } from "@effect/vitest"
import { entryBytes, partBytes } from "@headwater/domain/RunFile"
import { Effect } from "effect"
import * as FileRoom from "./FileRoom.ts"

it.effect("a writer sees what others have taken and given back meanwhile, and no writer takes more than there is", () =>
  Effect.gen(function*() {
    const most = 200 * partBytes
    let others = 0
    let own = 0
    const takeRoom = FileRoom.make(most, Effect.sync(() => others + own))
    const take = Effect.fnUntraced(function*(place: number) {
      const isTaken = yield* takeRoom(place, partBytes)
      if (isTaken) own += partBytes + (place === 0 ? entryBytes : 0)
      return isTaken
    })
    assert.isTrue(yield* take(0))
    others = most - 2 * partBytes
    let taken = 1
    while (yield* take(taken)) taken++
    assert.isBelow(taken, 80)
    others = 0
    assert.isTrue(yield* take(taken))
  }))
