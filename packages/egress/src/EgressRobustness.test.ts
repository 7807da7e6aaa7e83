import { assert, describe, it } from "@effect/vitest"
import * as BadEndpoints from "@headwater/fixtures/BadEndpoints"
import { authority } from "@headwater/fixtures/TestCertificate"
import { Effect, Result } from "effect"
import { createServer } from "node:http"
import * as Client from "../test/Client.ts"
import * as DnsServer from "../test/DnsServer.ts"
import * as Endurance from "../test/Endurance.ts"
import { listening } from "../test/Listening.ts"
import { NameResolver } from "./NameResolver.ts"

/** Requests to names, one after the other, in batches of so many at once. */
const outcomesOf = (names: ReadonlyArray<string>, port: number, timeoutMillis = 250) =>
  Effect.forEach(names, (name) =>
    Effect.map(
      Effect.result(Client.request(`http://${name}:${port}/`, { timeoutMillis })),
      (ending) => Result.isSuccess(ending) ? String(ending.success.status) : ending.failure.reason
    ), { concurrency: 20 })

const times = (count: number, text: string) => Array.from({ length: count }, () => text)

describe("a name", () => {
  it.live("whose name server never answers, or fails, ends each request as dns in time", () =>
    Effect.gen(function*() {
      const { layer } = yield* DnsServer.make((name) => name.startsWith("silent") ? "silence" : "failure")
      const names = Array.from({ length: 100 }, (_, i) => `${i % 2 === 0 ? "silent" : "failing"}-${i}.example.com`)
      const before = performance.now()
      const outcomes = yield* Effect.provide(outcomesOf(names, 1), Client.over(layer))
      assert.deepStrictEqual(outcomes, times(100, "dns"))
      assert.isBelow(performance.now() - before, 25_000)
    }))

  it.live("that flaps ends each request by what it says then, and holds nothing", () =>
    Effect.gen(function*() {
      const { port } = yield* listening(() => createServer((_, response) => response.end("ok")))
      const said = [["127.0.0.1"], "failure", ["10.0.0.1"], [], ["127.0.0.2", "127.0.0.1"]] as const
      // Each look-up is asked once: it is answered by 0 s, or fails for 2 s.
      const { layer } = yield* DnsServer.make((name) => said[Number(name.split(".")[0]!.split("-")[1])]!)
      const names = Array.from({ length: 100 }, (_, i) => `n${i}-${i % 5}.example.com`)
      const outcomes = yield* Effect.provide(outcomesOf(names, port, 20_000), Client.over(layer))
      assert.deepStrictEqual(
        outcomes,
        names.map((_, i) => ["200", "dns", "refused", "dns", "200"][i % 5])
      )
    }))

  it.live(
    "with hundreds of addresses is tried at a few of them, and reached if one of those answers",
    () =>
      Effect.gen(function*() {
        const { port, sockets } = yield* listening(() => createServer((_, response) => response.end("ok")))
        const dead = Array.from({ length: 300 }, (_, i) => `127.1.${i >> 8}.${i & 255}`)
        const names = NameResolver.layerStatic({
          "dead.example.com": dead,
          "late.example.com": [...dead.slice(0, 3), "127.0.0.1", ...dead.slice(3)]
        })
        yield* Effect.gen(function*() {
          assert.deepStrictEqual(yield* outcomesOf(times(100, "dead.example.com"), port, 20_000), times(100, "connect"))
          assert.deepStrictEqual(yield* outcomesOf(times(100, "late.example.com"), port, 20_000), times(100, "200"))
        }).pipe(Effect.provide(Client.over(names)))
        assert.isAtMost(sockets.size, 64)
      })
  )
})

describe("an endpoint that", () => {
  for (const kind of BadEndpoints.allKinds) {
    const { outcome } = BadEndpoints.kinds[kind]
    it.live(
      `${kind.replaceAll("-", " ")} ends each request as ${outcome} in time, and holds no socket`,
      () =>
        Effect.gen(function*() {
          const found = yield* Endurance.of(kind, { count: 100, concurrency: 50, timeoutMillis: 250 })
          assert.deepStrictEqual(found.outcomes, { [outcome]: 100 })
          if (outcome === "timeout") assert.isBelow(found.longestMs, 10_000)
          assert.isAtMost(found.socketsLeft, outcome === "200" ? 50 : 0)
        }).pipe(Effect.provide(Client.layer(authority)))
    )
  }
})
