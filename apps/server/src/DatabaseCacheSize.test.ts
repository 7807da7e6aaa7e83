import { assert, it } from "@effect/vitest"
import * as DatabaseCacheSize from "./DatabaseCacheSize.ts"

const gibibyte = 1024 ** 3

it("the database keeps a quarter of the memory beyond 2 GiB, and neither very little nor very much", () => {
  const sizes = [0.5, 2, 4, 24, 512].map((gibibytes) => DatabaseCacheSize.ofMemory(gibibytes * gibibyte))
  assert.deepStrictEqual(sizes, [128, 128, 512, 5_632, 8_192])
})

it("there is a size for the machine that this runs on", () => {
  const size = DatabaseCacheSize.here()
  assert.isTrue(Number.isInteger(size) && size >= 128 && size <= 8_192, String(size))
})
