import { assert, describe, it } from "@effect/vitest"
import { beginning } from "@headwater/log/work/Cursors"
import { defaults } from "../ground/EngineLimits.ts"
import { FeedRoom } from "./FeedRoom.ts"
import { type Lane, Lanes } from "./Lanes.ts"

const address = (emitterId: string) => ({ emitterId, subscriptionId: "sub_a", stream: "" })

const lanesOf = (emitters: ReadonlyArray<string>, mostIdle = 1_000) => {
  const lanes = new Lanes(new FeedRoom(defaults), mostIdle)
  for (const emitterId of emitters) {
    lanes.add(address(emitterId), beginning)
    lanes.makeReady(emitterId)
  }
  return lanes
}

/** Has a lane's feeds know that there is nothing in front of them. */
const readToTheEnd = ({ feeds }: Lane) => {
  for (const feed of feeds.values()) Object.assign(feed, { behind: false })
}

describe("lanes", () => {
  it("give each emitter its turn, and no emitter two at a time", () => {
    const lanes = lanesOf(["dc_a", "dc_b"])
    const first = lanes.take()!
    lanes.makeReady("dc_a")
    const second = lanes.take()!
    assert.deepStrictEqual([first.emitterId, second.emitterId, lanes.take()], ["dc_a", "dc_b", undefined])
    lanes.putBack(second, true)
    lanes.putBack(first, false)
    assert.deepStrictEqual([lanes.take()?.emitterId, lanes.take()?.emitterId], ["dc_b", "dc_a"])
  })

  it("keep so many that have nothing to send, and those whose cursors are being moved", () => {
    const emitters = Array.from({ length: 50 }, (_, i) => `dc_${i}`)
    const lanes = lanesOf(emitters, 10)
    const taken = emitters.map(() => lanes.take()!)
    for (const lane of taken) readToTheEnd(lane)
    const moving = taken.slice(0, 30)
    for (const lane of moving) lane.commits = 1
    for (const lane of taken) lanes.putBack(lane, false)
    assert.strictEqual(lanes.size, 30)
    for (const lane of moving) {
      lane.commits = 0
      lanes.dropIfIdle(lane)
    }
    assert.strictEqual(lanes.size, 10)
    assert.isUndefined(lanes.feed(address("dc_0")))
    assert.isDefined(lanes.feed(address("dc_29")))
  })

  it("pass by those that are held, and forget them where there are many", () => {
    const lanes = lanesOf(["dc_a", "dc_b", "dc_c"], 1)
    lanes.holdAll(new Map([["dc_b", 2]]))
    const first = lanes.take()!
    lanes.hold("dc_a")
    lanes.putBack(first, true)
    assert.deepStrictEqual([lanes.take()?.emitterId, lanes.take()], ["dc_c", undefined])
    lanes.release("dc_b")
    assert.isUndefined(lanes.take())
    lanes.release("dc_b")
    assert.strictEqual(lanes.take()?.emitterId, "dc_b")
    lanes.dropIfIdle(first)
    assert.isUndefined(lanes.feed(address("dc_a")))
    assert.strictEqual(lanes.size, 2)
  })

  it("that are held keep nothing of the log, which may be another one when they go on", () => {
    const lanes = lanesOf(["dc_a"])
    const lane = lanes.take()!
    readToTheEnd(lane)
    const [feed] = lane.feeds.values()
    const event = { emitterId: "dc_a", stream: "", n: 1, id: 1n, emitId: "e", hops: 0, meta: {}, payload: "1" }
    feed!.offer([event])
    lanes.putBack(lane, true)
    assert.isDefined(feed!.peek())
    lanes.hold("dc_a")
    assert.isUndefined(feed!.peek())
    lanes.release("dc_a")
    assert.strictEqual(lanes.take(), lane)
    assert.isTrue(feed!.mayHaveMore)
  })
})
