import { assert, it } from "@effect/vitest"
import { AccountTurns, type Steps } from "./Turns.ts"

/** A thread whose time passes by the steps that are done on it, and what it is to do later, which `run` does. */
const makeThread = () => {
  let now = 0
  const due: Array<{ readonly at: number; readonly callback: () => void }> = []
  const done: Array<string> = []
  return {
    turns: new AccountTurns({ now: () => now, later: (callback, ms) => void due.push({ at: now + ms, callback }) }),
    done,
    now: () => now,
    /** Work of so many steps of a millisecond each. */
    *steps(name: string, count: number): Steps<string> {
      for (let i = 1; i <= count; i++) {
        now += 1
        done.push(`${name}${i}`)
        yield
      }
      return name
    },
    run: () => {
      for (let next = due.shift(); next !== undefined; next = due.shift()) {
        now = Math.max(now, next.at)
        next.callback()
      }
    }
  }
}

const fail = (error: unknown) => {
  throw error
}

it("work that takes no longer than a turn is done at once", () => {
  const { done, steps, turns } = makeThread()
  let result: string | undefined
  turns.start("ann", steps("a", 1), (name) => {
    result = name
  }, fail)
  assert.deepStrictEqual([result, done], ["a", ["a1"]])
})

it("while one account has much work waiting, another's goes next, and its own goes on in its order", () => {
  const { done, run, steps, turns } = makeThread()
  const ended: Array<string> = []
  const start = (account: string, name: string, count: number) =>
    turns.start(account, steps(name, count), (result) => ended.push(result), fail)
  start("ann", "a", 6)
  start("ann", "A", 2)
  start("bob", "b", 4)
  assert.deepStrictEqual(done, ["a1", "a2", "b1", "b2"])
  run()
  assert.deepStrictEqual(done.slice(4).join(" "), "a3 a4 b3 b4 a5 a6 A1 A2")
  assert.deepStrictEqual(ended, ["b", "a", "A"])
})

it("leaves the thread to others for most of the time while another account is there, and for none while there is not", () => {
  const alone = makeThread()
  alone.turns.note("ann")
  alone.turns.start("ann", alone.steps("a", 20), () => {}, fail)
  alone.run()
  assert.strictEqual(alone.now(), 20)
  const beside = makeThread()
  beside.turns.note("bob")
  beside.turns.note("ann")
  beside.turns.start("ann", beside.steps("a", 20), () => {}, fail)
  beside.run()
  assert.isAtLeast(beside.now(), 60)
})

it("work that fails says so, and the next goes on", () => {
  const { run, steps, turns } = makeThread()
  const ended: Array<unknown> = []
  const broken = function*() {
    const before = steps("a", 3)
    while (before.next().done !== true) yield
    throw new Error("broken")
  }
  turns.start("ann", broken(), () => {}, (error) => ended.push(error))
  turns.start("ann", steps("b", 1), (name) => ended.push(name), fail)
  run()
  assert.deepStrictEqual(ended, [new Error("broken"), "b"])
})
