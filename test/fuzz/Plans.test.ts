import { assert, it } from "@effect/vitest"
import * as Document from "@headwater/api/Document"
import * as FastCheck from "fast-check"
import { operationsOf } from "./ApiDocument.ts"
import * as Plan from "./Plan.ts"
import * as Plans from "./Plans.ts"

const operations = operationsOf(Document.make("http://127.0.0.1:8787"))

const sample = (seed: number, numRuns: number): ReadonlyArray<Plan.Plan> =>
  FastCheck.sample(Plans.of(operations), { seed, numRuns })

it("the same seed sends the same requests, byte for byte, and another seed others", () => {
  const bytes = (seed: number) => sample(seed, 200).map(({ content }) => Plan.render(content).toString("latin1"))
  assert.deepStrictEqual(bytes(1), bytes(1))
  assert.notDeepEqual(bytes(1), bytes(2))
})

it("every operation of the document is asked for in order, nearly so, and with hostility", () => {
  assert.isAbove(operations.length, 20)
  const plans = sample(3, 30_000)
  for (const mode of ["valid", "nearly", "hostile"] as const) {
    const asked = new Set(plans.filter((plan) => plan.mode === mode).map(({ operation }) => operation))
    assert.deepStrictEqual(operations.map(({ id }) => id).filter((id) => !asked.has(id)), [], mode)
  }
})
