import { assert, it } from "@effect/vitest"
import * as Output from "./Output.ts"

const id = "dlv_0VcLtyjFlsvDJiD9X27u"

const rows = [
  ["ID", "EVENT", "STATE", "BEGAN (UTC)", "OUTCOME"],
  [id, "1795943962251-0", "delivered", "2026-11-29 09:19:55", "the endpoint answered 500, and said why at some length"]
]

it("a table cuts texts for a narrow terminal, and never ids, times or states", () => {
  const [head, line] = Output.table(rows, 100).split("\n")
  assert.isAtMost(line!.length, 100)
  assert.match(line!, new RegExp(`^${id} +1795943962251-0 +delivered +2026-11-29 09:19:55 +the .*…$`))
  assert.strictEqual(head!.indexOf("OUTCOME"), line!.indexOf("the "))
  assert.match(Output.table(rows, 40), new RegExp(`${id} +1795943962251-0 +delivered +2026-11-29 09:19:55 +the end…`))
  assert.include(Output.table(rows), "at some length")
})
