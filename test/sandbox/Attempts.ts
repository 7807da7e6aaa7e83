import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { componentOf, HostileServer } from "./HostileServer.ts"

/** A component that tries each way in turn and emits how each went: what it got, or the error. */
const componentOfWays = (ways: ReadonlyArray<string>): string =>
  componentOf(`
    const builtin = (name) => process.getBuiltinModule("node:" + name)
    const opened = (emitter) => new Promise((resolve, reject) =>
      emitter.on("error", reject).on("connect", resolve).on("response", resolve).on("exit", resolve))
    const tried = []
    for (const attempt of [${ways.map((way) => `async () => ${way}`).join(",\n")}]) {
      try { tried.push("GOT " + await attempt()) }
      catch (error) { tried.push(String(error?.code ?? error?.name) + ": " + String(error?.message)) }
    }
    this.$emit(tried)`)

/**
 * Has one run try all of them, and the neighbour go on meanwhile.
 *
 * @param ways expressions that are awaited; `event.body` is what is given as `event`, `builtin` one of Node's modules, and
 *   `opened` waits for a socket, request or child
 * @param expected what each has to fail with
 */
export const assertFail = Effect.fnUntraced(function*(ways: ReadonlyArray<string>, event: unknown, expected: RegExp) {
  const { neighbour, run } = yield* HostileServer
  const { emitted, errors } = yield* run(componentOfWays(ways), { body: event })
  assert.deepStrictEqual(errors, [])
  const tried = Json.listOf(emitted[0]!).map(Json.textOf)
  assert.lengthOf(tried, ways.length)
  for (const [index, outcome] of tried.entries()) {
    assert.notMatch(outcome, /^GOT/, ways[index]!)
    assert.match(outcome, expected, ways[index]!)
  }
  yield* neighbour.undisturbed
})
