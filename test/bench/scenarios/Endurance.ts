import * as BadEndpoints from "@headwater/fixtures/BadEndpoints"
import { authority } from "@headwater/fixtures/TestCertificate"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Client from "../../../packages/egress/test/Client.ts"
import * as Requests from "../../../packages/egress/test/Endurance.ts"
import { BenchFailed } from "../BenchFailed.ts"

/** Bytes of the heap in use, after a collection where Node lets one be asked for. */
const heapUsed = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const line = (cells: ReadonlyArray<string>) =>
  cells.map((cell, index) => index === 0 ? cell.padEnd(28) : cell.padStart(index === 1 ? 24 : 10)).join(" ")

const measure = (
  kind: BadEndpoints.Kind,
  options: { readonly each: number; readonly at: number; readonly timeout: number }
) =>
  Effect.gen(function*() {
    const { outcome } = BadEndpoints.kinds[kind]
    const heap = heapUsed()
    const startedAt = performance.now()
    const found = yield* Requests.of(kind, {
      count: options.each,
      concurrency: options.at,
      timeoutMillis: options.timeout
    })
    const { longestMs, outcomes, socketsLeft } = found
    yield* Console.log(line([
      kind,
      Object.entries(outcomes).map(([name, count]) => `${count} ${name}`).join(", "),
      ((performance.now() - startedAt) / 1_000).toFixed(1),
      longestMs.toFixed(0),
      String(socketsLeft),
      ((heapUsed() - heap) / 1_048_576).toFixed(1)
    ]))
    return socketsLeft === 0 && outcomes[outcome] === options.each ? [] : [kind]
  }).pipe(Effect.provide(Client.layer(authority)))

/** Requests to endpoints that do something wrong, through the egress layer alone. Fails where one leaves something behind. */
export const command = Command.make("endurance", {
  each: Flag.Int("each").pipe(Flag.withDescription("Requests to each kind of endpoint"), Flag.withDefault(10_000)),
  at: Flag.Int("at").pipe(Flag.withDescription("How many of them at once"), Flag.withDefault(200)),
  timeout: Flag.Int("timeout").pipe(Flag.withDescription("Milliseconds for a request"), Flag.withDefault(500)),
  only: Flag.Literals("only", BadEndpoints.allKinds).pipe(
    Flag.withDescription("This kind of endpoint; may be repeated. All, if none is given"),
    Flag.atLeast(0)
  )
}, ({ only, ...options }) =>
  Effect.gen(function*() {
    yield* Console.log(line(["endpoint", "ended as", "seconds", "longest ms", "sockets", "heap MB"]))
    const chosen = only.length > 0 ? only : BadEndpoints.allKinds
    const faulty = (yield* Effect.forEach(chosen, (kind) => measure(kind, options))).flat()
    if (faulty.length > 0) return yield* new BenchFailed({ message: `Not as it should be: ${faulty.join(", ")}` })
  })).pipe(Command.withDescription("What many requests to endpoints that hang, break off or lie leave behind"))
