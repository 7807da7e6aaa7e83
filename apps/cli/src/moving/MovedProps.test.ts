import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import * as MovedProps from "./MovedProps.ts"

const of = (props: Readonly<Record<string, Schema.Json>>) =>
  MovedProps.of(props, "send", ["get", "send", "later"], ([prop]) => Object.keys(props).indexOf(String(prop)) + 10)

describe("the props of a step", () => {
  it("keep plain values, expressions and values with labels", () => {
    const given = {
      text: "Order {{steps.get.$return_value.id}}",
      urgent: true,
      col_0000: "{{steps.trigger.event.body}}",
      channel: { __lv: { label: "General", value: "C1" } },
      template: "{{#if late}}",
      nothing: null
    }
    const { nothing: _, ...kept } = given
    assert.deepStrictEqual(of(given).values, kept)
    assert.deepStrictEqual(of(given).findings, [])
  })

  it("tell of accounts and data stores, and of what was sealed", () => {
    const found = of({
      slack: { authProvisionId: "apn_1" },
      store: { storeId: "ds_1" },
      token: { _enc: "x" },
      _enc: { password: "y" }
    })
    assert.deepStrictEqual(found.accounts, { slack: "apn_1" })
    assert.deepStrictEqual(found.stores, { store: "ds_1" })
    assert.deepStrictEqual(found.values, { store: { storeId: "data_stores/ds_1" } })
    assert.deepStrictEqual(found.findings.map(({ kind, line }) => [kind, line]), [
      ["missing", 10],
      ["missing", 11],
      ["missing", 12],
      ["missing", 9]
    ])
  })

  it("make a query whose expressions become parameters", () => {
    const value = "select {{steps.get.id}}"
    assert.deepStrictEqual(
      of({ sql: { value, query: "select ?", params: ["{{steps.get.id}}"], usePreparedStatements: true } }).values,
      { sql: { query: value, usePreparedStatements: true } }
    )
    assert.deepStrictEqual(of({ sql: { value } }).values, { sql: { query: value, usePreparedStatements: false } })
  })

  it("leave out expressions that the server refuses, and say which", () => {
    const found = of({ a: "{{ steps.later.x }}", b: "{{ event.body }}", c: "{{ steps.get. }}" })
    assert.deepStrictEqual(found.values, {})
    assert.deepStrictEqual(found.findings.map(({ kind, line }) => [kind, line]), [["failed", 10], ["failed", 11], [
      "failed",
      12
    ]])
  })

  it("have the declarations that a step in Python comes with", () => {
    const slack = { type: "app", app: "slack" }
    assert.deepStrictEqual(of({ __configurableProps: [{ name: "slack", ...slack }, "odd"] }).declared, [
      { name: "slack", declaration: slack }
    ])
    assert.deepStrictEqual(of({ __configurableProps: { slack } }).declared, [{ name: "slack", declaration: slack }])
  })

  it("keep a value whose name is one of an object's own", () => {
    const { values } = of(JSON.parse("{\"__proto__\": \"a\", \"constructor\": \"b\"}"))
    assert.deepStrictEqual(Object.entries(values), [["__proto__", "a"], ["constructor", "b"]])
  })
})
