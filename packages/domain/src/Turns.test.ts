import { assert, it } from "@effect/vitest"
import { AccountTurns } from "./Turns.ts"

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
    *steps(name: string, count: number): Generator<unknown, string> {
      for (let i = 1; i <= count; i++) {
        now += 1
        done.push(`${name}${i}`)
        yield
      }
      return name
    },
    run: ({ until = (): boolean => false } = {}) => {
      while (due.length > 0 && !until()) {
        const next = due.reduce((first, one) => one.at < first.at ? one : first)
        due.splice(due.indexOf(next), 1)
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

it("short pieces of work that wait behind a long one share a turn", () => {
  const { done, run, steps, turns } = makeThread()
  const short = function*(name: string) {
    done.push(name)
    yield
  }
  turns.start("ann", steps("a", 3), () => {}, fail)
  for (let i = 1; i <= 20; i++) turns.start("ann", short(`s${i}`), () => {}, fail)
  let turnsTaken = 0
  run({ until: () => done.includes("s20") || ++turnsTaken > 2 })
  assert.strictEqual(done.at(-1), "s20")
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

it("an account's work does not wait while another's rests", () => {
  const { done, now, run, steps, turns } = makeThread()
  turns.note("bob")
  turns.note("ann")
  const withLongStep = function*() {
    yield* steps("a", 2)
    for (let i = 0; i < 50; i++) steps("A", 1).next()
    yield
    yield* steps("z", 1)
  }
  turns.start("ann", withLongStep(), () => {}, fail)
  run({ until: () => done.includes("A1") })
  const from = now()
  let endedAt = Infinity
  turns.start("bob", steps("b", 4), () => {
    endedAt = now()
  }, fail)
  run()
  assert.isBelow(endedAt - from, 20)
  assert.isBelow(done.indexOf("b4"), done.indexOf("z1"))
})

it("an account that has come to the end of much work rests before it does more", () => {
  const { now, run, steps, turns } = makeThread()
  turns.note("bob")
  turns.note("ann")
  for (let i = 1; i <= 25; i++) {
    let isDone = false
    turns.start("ann", steps("a", 3), () => {
      isDone = true
    }, fail)
    run({ until: () => isDone })
  }
  assert.isAtLeast(now(), 3 * 75)
})

it("an account's turns wait until it has rested from what was done for it all at once", () => {
  const { now, run, steps, turns } = makeThread()
  turns.note("bob")
  turns.note("ann")
  turns.charge("ann", 30)
  turns.charge("ann", 20)
  let isDone = false
  turns.start("ann", steps("a", 1), () => {
    isDone = true
  }, fail)
  assert.isFalse(isDone)
  run()
  assert.isTrue(isDone)
  assert.isAtLeast(now(), 150)
})

it("leaves the thread to others for half of the time at least, however many accounts have work waiting", () => {
  const { now, run, steps, turns } = makeThread()
  turns.note("bob")
  turns.note("ann")
  for (let i = 0; i < 20; i++) turns.start(`account${i}`, steps("s", 20), () => {}, fail)
  const from = now()
  run()
  // Two steps of each account were done at once.
  assert.isAtLeast(now() - from, 20 * 18 * 1.75)
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
