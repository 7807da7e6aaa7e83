import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { ConfigurableProp } from "@headwater/domain/Component"
import { Effect, Redacted, Terminal } from "effect"
import * as TypedTerminal from "../../test/TypedTerminal.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as PropQuestion from "./PropQuestion.ts"

/** Asks somebody who types this; answers the value and what was seen meanwhile. */
const asked = Effect.fnUntraced(function*(prop: ConfigurableProp, typed: string) {
  const { seen, terminal } = yield* TypedTerminal.make(typed)
  const value = yield* PropQuestion.ask(prop).pipe(
    Effect.provideService(Terminal.Terminal, terminal),
    Effect.provide(ApiAccess.layerOf({ url: "http://127.0.0.1:1", apiKey: Redacted.make("hw_none") }))
  )
  return { value, seen: seen() }
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
