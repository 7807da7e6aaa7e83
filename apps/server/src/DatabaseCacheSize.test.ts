import { assert, it } from "@effect/vitest"
import * as DatabaseCacheSize from "./DatabaseCacheSize.ts"

const gibibyte = 1024 ** 3

it("the database keeps a quarter of the memory beyond 2 GiB, and neither very little nor very much", () => {
  const sizes = [0.5, 2, 4, 24, 512].map((gibibytes) => DatabaseCacheSize.ofMemory(gibibytes * gibibyte))
  assert.deepStrictEqual(sizes, [128, 128, 512, 5_632, 8_192])
})

it("a limit that is below the machine's memory counts as its memory", () => {
  const sizes = [0, 4, 64].map((limit) => DatabaseCacheSize.within(limit * gibibyte, 24 * gibibyte))
  assert.deepStrictEqual(sizes, [5_632, 512, 5_632])
})
