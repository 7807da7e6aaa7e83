import { assert, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as EventId from "./EventId.ts"

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

const clock = between(0, 8_796_093_022_207)

it.prop("ids strictly increase whatever the clock does", [Schema.Array(clock)], ([times]) => {
  let last: EventId.EventId = 0n
  for (const now of times) {
    const id = EventId.next(last, now)
    assert.isTrue(id > last)
    assert.isTrue(EventId.milliseconds(id) >= now)
    last = id
  }
})

it.prop("an id reads back from its text", [clock, between(0, 1_048_575)], ([ms, seq]) => {
  const id = EventId.make(ms, seq)
  assert.strictEqual(EventId.format(id), `${ms}-${seq}`)
  assert.deepStrictEqual(EventId.parse(`${ms}-${seq}`), Option.some(id))
})

it("text of another form is no id", () => {
  for (const text of ["", "1", "1-", "-1", "1-2-3", "a-b", "1-1048576", "12345678901234-0", " 1-0"]) {
    assert.isTrue(Option.isNone(EventId.parse(text)), text)
  }
})

it("text beyond every id reads as one that the database holds", () => {
  assert.deepStrictEqual(
    EventId.parse("9999999999999-1048575"),
    Option.some(EventId.make(8_796_093_022_207, 1_048_575))
  )
  assert.strictEqual(EventId.make(8_796_093_022_207, 1_048_575), 2n ** 63n - 1n)
})
