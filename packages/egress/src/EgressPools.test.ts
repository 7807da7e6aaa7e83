import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import * as FastCheck from "fast-check"
import * as Client from "../test/Client.ts"
import { openOf } from "../test/Listening.ts"
import * as RawHttp from "../test/RawHttp.ts"
import { ConnectionRoom, type InLine } from "./ConnectionRoom.ts"
import type { EgressConnection } from "./EgressConnection.ts"

const of = (accountId: string) => ({ asker: { ...Client.asker, accountId } })

describe("connections to one origin", () => {
  it.live("that one account's slow requests hold hold up no other account", () =>
    Effect.gen(function*() {
      let isHeld = true
      const held: Array<() => void> = []
      const endpoint = yield* RawHttp.make((socket) => {
        if (isHeld) held.push(() => socket.write(RawHttp.ok))
        else socket.write(RawHttp.ok)
      })
      const url = `http://hooks.example.com:${endpoint.port}/`
      const strangers = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 100 }), () =>
          Client.request(url, { ...of("u_stranger"), timeoutMillis: 60_000 }), { concurrency: "unbounded" })
      )
      yield* Effect.repeat(Effect.sleep("2 millis"), {
        until: () =>
          held.length === 64
      })
      isHeld = false
      const { durationMs } = yield* Client.request(url, of("u_mine"))
      assert.isBelow(durationMs, 15_000)
      assert.strictEqual(openOf(endpoint.sockets).length, 65)
      for (const answer of held) {
        answer()
      }
      assert.lengthOf(yield* Fiber.join(strangers), 100)
      assert.strictEqual(endpoint.sockets.size, 65)
    }).pipe(Effect.provide(Client.layer())))
})

/** A connection that only counts. */
class Counted {
  readonly isIdle = true
  private readonly onOver: () => void

  constructor(onOver: () => void) {
    this.onOver = onOver
  }

  destroy(): void {
    this.onOver()
  }
}

describe("the room for connections", () => {
  const most = 64
  const accounts = ["a", "b", "c", "d", "e", "f"]
  const act = FastCheck.record({
    account: FastCheck.constantFrom(...accounts),
    kind: FastCheck.constantFrom("want", "want", "idle", "close"),
    count: FastCheck.integer({ min: 1, max: 20 })
  })

  it("goes to the next in line where the first needs none any more", () => {
    const room = new ConnectionRoom(8)
    const needing = (count: number) => {
      const one = {
        accountId: "ann",
        count,
        open: 0,
        openMore: () => {
          while (one.count > 0 && room.take(one)) {
            one.count -= 1
            one.open += 1
          }
        }
      }
      one.openMore()
      return one
    }
    needing(2)
    const first = needing(1)
    const next = needing(1)
    first.count = 0
    room.give("ann")
    assert.deepStrictEqual([first.open, next.open], [0, 1])
  })

  /** "e" closes five where others wait: the first that is served closes one of another, which leaves room. */
  const closedBehindOthers = [
    { account: "a", kind: "want", count: 12 },
    { account: "e", kind: "want", count: 3 },
    { account: "e", kind: "want", count: 15 },
    { account: "d", kind: "want", count: 13 },
    { account: "b", kind: "want", count: 14 },
    { account: "e", kind: "close", count: 5 }
  ]

  it("is never exceeded, has a connection for an account that has none, and is used while somebody waits", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.array(act, { maxLength: 80 }), (acts) => {
        const room = new ConnectionRoom(most)
        const busy = new Map(accounts.map((account) => [account, 0]))
        const idle = new Map<string, Set<EgressConnection>>(accounts.map((account) => [account, new Set()]))
        const wanted = new Map(accounts.map((account) => [account, 0]))
        const lines = new Map(accounts.map((accountId): [string, InLine] => {
          const line: InLine = {
            accountId,
            openMore: () => {
              while (wanted.get(accountId)! > 0 && room.take(line)) {
                wanted.set(accountId, wanted.get(accountId)! - 1)
                busy.set(accountId, busy.get(accountId)! + 1)
              }
            }
          }
          return [accountId, line]
        }))
        const openOf = (account: string) => busy.get(account)! + idle.get(account)!.size
        for (const { account, count, kind } of acts) {
          if (kind === "want") {
            const hadNone = openOf(account) === 0
            wanted.set(account, wanted.get(account)! + count)
            lines.get(account)!.openMore()
            if (hadNone) assert.isAbove(openOf(account), 0)
          }
          const ending = kind === "want" ? 0 : count
          for (let i = 0; i < ending && busy.get(account)! > 0; i++) {
            busy.set(account, busy.get(account)! - 1)
            if (kind === "close") {
              room.give(account)
              continue
            }
            const connection = new Counted(() => {
              room.isBusy(account, connection)
              idle.get(account)!.delete(connection)
              room.give(account)
            }) as unknown as EgressConnection
            idle.get(account)!.add(connection)
            room.isIdle(account, connection)
          }
          const total = accounts.reduce((sum, each) => sum + openOf(each), 0)
          assert.isAtMost(total, most)
          for (const each of accounts) {
            assert.isAtMost(openOf(each), most / 4)
            // Who still waits has as many as it may, and none of them is idle.
            if (wanted.get(each)! > 0) {
              assert.isTrue(openOf(each) >= most / 4 || openOf(each) >= most - total, `${each} waits without need`)
              assert.strictEqual(idle.get(each)!.size, 0)
            }
          }
        }
      }),
      { numRuns: 300, examples: [[closedBehindOthers]] }
    )
  })
})
