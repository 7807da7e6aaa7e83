import { assert, describe, it } from "@effect/vitest"
import { LineReader } from "./LineReader.ts"

const push = (reader: LineReader, ...chunks: ReadonlyArray<string>) =>
  chunks.flatMap((chunk) => reader.push(Buffer.from(chunk)))

describe("LineReader", () => {
  it("takes the lines that begin with the secret, however they are cut, and drops the others", () => {
    const reader = new LineReader(100, "key:")
    assert.deepStrictEqual(push(reader, "key:a\nnot\n", "\nke", "y:b", "c\n", "noise\nkey:d"), ["a", "bc"])
    assert.deepStrictEqual(push(reader, "\n"), ["d"])
    assert.deepStrictEqual(push(reader, "xkey:e\n", "KEY:f\n", "key:\n"), [])
  })

  it("keeps characters whole that a chunk cuts", () => {
    const reader = new LineReader(100, "k")
    const bytes = Buffer.from("kü€\n")
    assert.deepStrictEqual([...bytes].flatMap((byte) => reader.push(Buffer.from([byte]))), ["ü€"])
  })

  it("overflows on a line without end, and on much that is not ours", () => {
    const endless = new LineReader(10, "k")
    push(endless, "k234567890")
    assert.isFalse(endless.overflowed)
    push(endless, "1")
    assert.isTrue(endless.overflowed)
    const stray = new LineReader(10, "k")
    push(stray, "12345\n", "123456\n")
    assert.isTrue(stray.overflowed)
  })
})
