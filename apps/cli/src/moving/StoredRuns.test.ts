import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Path from "node:path"
import * as Files from "../../test/Files.ts"
import * as StoredRuns from "./StoredRuns.ts"

const event = { order: 7 }
const exports = { add: { $return_value: 14 } }
const run = (id: string | null) => ({ id, event, exports })

describe("runs that are stored there", () => {
  it("are read in each form in which the service shows them", () => {
    const steps = { trigger: { event, context: {} }, ...exports }
    for (const value of [{ event, exports }, { event, steps: exports }, { steps }, steps, { event: steps }]) {
      assert.deepStrictEqual(StoredRuns.runsIn(value), [run(null)])
    }
    const list = [{ id: "1-0", event: { event, exports } }, { id: "2-0", event: { raw_event: 1 } }, {
      id: "3-0",
      steps
    }]
    assert.deepStrictEqual(StoredRuns.runsIn(list), [run("1-0"), run("3-0")])
    assert.deepStrictEqual(StoredRuns.runsIn({ page_info: {}, data: list }), [run("1-0"), run("3-0")])
    for (const value of [null, 1, "a", [], {}, { event }, { exports }, { event: null }, { trigger: {} }]) {
      assert.deepStrictEqual(StoredRuns.runsIn(value), [])
    }
  })

  it.effect("come from a file, or from that of the workflow in an archive, with all digits of the event", () =>
    Effect.gen(function*() {
      const text = "{\"event\": {\"order\": 12345678901234567890}, \"exports\": {}}"
      const folder = yield* Files.make({
        "workflows/p_1.events.json": `[${text}]`,
        "a.json": text,
        "b.json": "{",
        "c.json": "{}"
      })
      for (const place of [folder, Path.join(folder, "a.json")]) {
        const [read] = yield* StoredRuns.read(place, "p_1")
        assert.strictEqual(JSON.stringify(read?.event), "{\"order\":12345678901234567890}")
      }
      const refused = (place: string) =>
        Effect.map(Effect.flip(StoredRuns.read(place, "p_2")), ({ message }) => message)
      assert.match(yield* refused(folder), /p_2\.events\.json/)
      assert.match(yield* refused(Path.join(folder, "b.json")), /b\.json is not JSON/)
      assert.match(yield* refused(Path.join(folder, "c.json")), /has no event with what the steps exported/)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)))
})
