import { assert, it } from "@effect/vitest"
import { defaultLimits } from "./SandboxLimits.ts"
import { StoreChanges } from "./StoreChanges.ts"

it("refuses additions whose sum is beyond the range of numbers, by the name of the key", () => {
  const changes = new StoreChanges(["ds_1"], defaultLimits)
  const add = { _tag: "Add", key: "n", by: Number.MAX_VALUE } as const
  assert.isUndefined(changes.hear("ds_1", add))
  assert.match(changes.hear("ds_1", add)!, /"n" is beyond the range/)
  assert.deepStrictEqual(changes.all, [{ storeId: "ds_1", cleared: false, changes: [add] }])
})
