import { assert, it } from "@effect/vitest"
import { AccountLines } from "./AccountLines.ts"

interface Item {
  readonly name: string
  readonly cost: number
}

const linesOf = (...items: ReadonlyArray<readonly [account: string, name: string, cost: number]>) => {
  const lines = new AccountLines<Item>(10, ({ cost }) => cost)
  for (const [account, name, cost] of items) lines.put(account, { name, cost })
  return lines
}

const takeAll = (lines: AccountLines<Item>) => Array.from({ length: lines.size }, () => lines.take()?.name).join(" ")

it("an account that comes late has its turn next, however much another has waiting", () => {
  const lines = linesOf(["ann", "a1", 10], ["ann", "a2", 10], ["ann", "a3", 10])
  assert.strictEqual(lines.take()?.name, "a1")
  lines.put("bob", { name: "b1", cost: 10 })
  assert.strictEqual(takeAll(lines), "b1 a2 a3")
})

it("accounts get about as much of what is scarce, whatever the size of their items", () => {
  const lines = linesOf(
    ["ann", "A1", 30],
    ["ann", "A2", 30],
    ...Array.from({ length: 8 }, (_, i) => ["bob", `b${i + 1}`, 5] as const)
  )
  assert.strictEqual(takeAll(lines), "A1 b1 b2 b3 b4 b5 b6 A2 b7 b8")
})

it("an account alone in line owes nothing for what it took", () => {
  const lines = linesOf(["ann", "a1", 1_000], ["ann", "a2", 1_000])
  assert.strictEqual(lines.take()?.name, "a1")
  assert.strictEqual(lines.take()?.name, "a2")
  lines.put("ann", { name: "a3", cost: 1 })
  lines.put("bob", { name: "b1", cost: 1 })
  assert.strictEqual(takeAll(lines), "a3 b1")
})

it("an account that rests is passed by and keeps its place and its items", () => {
  const lines = linesOf(["ann", "a1", 10], ["ann", "a2", 10], ["bob", "b1", 10])
  assert.strictEqual(lines.take(new Set(["ann"]))?.name, "b1")
  assert.isUndefined(lines.take(new Set(["ann"])))
  assert.strictEqual(takeAll(lines), "a1 a2")
})
