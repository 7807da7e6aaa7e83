import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { ConfigurableProp } from "@headwater/domain/Component"
import { Effect, Option, Queue, Redacted, Terminal } from "effect"
import { ApiAccess } from "./ApiAccess.ts"
import * as PropQuestion from "./PropQuestion.ts"

const keys: Readonly<Record<string, string>> = { "\n": "return", "↓": "down", "⌫": "backspace", " ": "space" }

const inputOf = (character: string): Terminal.UserInput => ({
  input: character === "↓" ? Option.none() : Option.some(character),
  key: { name: keys[character] ?? character, ctrl: false, meta: false, shift: false }
})

/** Asks somebody who types this; answers the value and what was seen meanwhile. */
const asked = Effect.fnUntraced(function*(prop: ConfigurableProp, typed: string) {
  let seen = ""
  const input = yield* Queue.make<Terminal.UserInput>()
  yield* Queue.offerAll(input, [...typed].map(inputOf))
  const terminal = Terminal.make({
    columns: Effect.succeed(80),
    rows: Effect.succeed(24),
    size: Effect.die("nothing is resized"),
    readInput: Effect.succeed(input),
    readLine: Effect.die("lines are typed key by key"),
    display: (text) => Effect.sync(() => void (seen += text))
  })
  const value = yield* PropQuestion.ask(prop).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.provide(ApiAccess.layerOf({ url: "http://127.0.0.1:1", apiKey: Redacted.make("hw_none") }))
  )
  return { value, seen }
})

describe("a question for a prop", () => {
  it.live("is answered by choosing, by typing what fits, or unseen", () =>
    Effect.gen(function*() {
      const options = [{ label: "Northern", value: "north" }, { label: "Southern", value: "south" }]
      const choice = yield* asked({ name: "shop", type: "string", label: "Shop", options }, "↓\n")
      assert.strictEqual(choice.value, "south")
      assert.match(choice.seen, /Shop \(shop\)[^]*Northern[^]*Southern/)
      const several = { name: "tags", type: "string[]", options: ["a", "b", "c"] }
      assert.deepStrictEqual((yield* asked(several, "↓↓↓ ↓ \n")).value, ["b", "c"])
      const number = yield* asked({ name: "pages", type: "integer", max: 5 }, "x\n⌫9\n⌫4\n")
      assert.strictEqual(number.value, 4)
      assert.match(number.seen, /expected JSON of the type integer[^]*expected at most 5/)
      const text = yield* asked({ name: "shop", type: "string" }, "\n12\n")
      assert.strictEqual(text.value, "12")
      assert.match(text.seen, /a value is required/)
      const secret = yield* asked({ name: "token", type: "string", secret: true }, "qx7\n")
      assert.strictEqual(secret.value, "qx7")
      assert.notMatch(secret.seen, /[qx]/)
      assert.strictEqual((yield* asked({ name: "on", type: "boolean" }, "y")).value, true)
      const timer = yield* asked({ name: "timer", type: "$.interface.timer" }, "{\"intervalSeconds\":5}\n")
      assert.deepStrictEqual<unknown>(timer.value, { intervalSeconds: 5 })
    }).pipe(Effect.provide(NodeServices.layer)))
})
