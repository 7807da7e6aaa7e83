import { assert, it } from "@effect/vitest"
import { most } from "@headwater/api/Warnings"
import { Schema, SchemaIssue } from "effect"
import * as UnknownNames from "./UnknownNames.ts"

it("unknown fields are looked at until enough are found", () => {
  const { ast } = Schema.Struct({ name: Schema.String })
  let looks = 0
  const pointer = (index: number): SchemaIssue.Issue => {
    const pointer = new SchemaIssue.Pointer([], new SchemaIssue.UnexpectedKey(ast, 1))
    const get = () => {
      looks++
      return [`field${index}`]
    }
    return Object.defineProperty(pointer, "path", { get })
  }
  const others = Array.from({ length: 1_000 }, (_, index) => pointer(index + 1))
  const told = UnknownNames.ofFields(new SchemaIssue.Composite(ast, [pointer(0), ...others]))
  assert.deepStrictEqual([told.length, looks], [most, most])
})
