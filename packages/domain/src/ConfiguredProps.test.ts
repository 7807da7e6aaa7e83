import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { ConfigurableProp } from "./Component.ts"
import * as ConfiguredProps from "./ConfiguredProps.ts"

const timer = { name: "timer", type: "$.interface.timer" }
const http = { name: "http", type: "$.interface.http" }
const db = { name: "db", type: "$.service.db" }

const resolved = (
  declared: ReadonlyArray<ConfigurableProp>,
  given: Record<string, unknown>,
  existing?: ConfiguredProps.ConfiguredValues
) => Result.getOrThrow(ConfiguredProps.resolve(declared, existing, given))

const refused = (
  declared: ReadonlyArray<ConfigurableProp>,
  given: Record<string, unknown>,
  existing?: ConfiguredProps.ConfiguredValues
) => {
  const result = ConfiguredProps.resolve(declared, existing, given)
  return Result.isFailure(result) ? result.failure : []
}

describe("ConfiguredProps.resolve", () => {
  it("asks for a required value and names it", () => {
    assert.deepStrictEqual(refused([{ name: "url", type: "string" }], {}), [
      { path: "configured_props.url", message: "is required" }
    ])
  })

  it("asks for no value that is optional, has a default, or comes from the engine", () => {
    const declared = [
      { name: "a", type: "string", optional: true },
      { name: "b", type: "integer", default: 3 },
      { name: "c", type: "$.interface.apphook" },
      { name: "d", type: "something.new" },
      http,
      db
    ]
    assert.deepStrictEqual(resolved(declared, {}), { props: { b: 3 }, timers: {}, hasEndpoint: true })
  })

  it.each([
    ["string", 1],
    ["string[]", "a"],
    ["string[]", [1]],
    ["integer", 1.5],
    ["integer", "1"],
    ["integer[]", [1, "2"]],
    ["boolean", "true"],
    ["object", []],
    ["object", "{}"]
  ])("refuses for %s the value %j", (type, value) => {
    assert.deepStrictEqual(refused([{ name: "x", type }], { x: value }).map(({ path }) => path), [
      "configured_props.x"
    ])
  })

  it("passes values of unknown types through untouched", () => {
    const value = { any: ["thing", null] }
    assert.deepStrictEqual(resolved([{ name: "x", type: "something.new" }], { x: value }).props, { x: value })
  })

  it("holds integers to min and max, element by element", () => {
    const declared = [{ name: "x", type: "integer[]", min: 1, max: 5 }]
    assert.deepStrictEqual(resolved(declared, { x: [1, 5] }).props, { x: [1, 5] })
    assert.deepStrictEqual(refused(declared, { x: [1, 6] }), [
      { path: "configured_props.x", message: "element 1: expected at most 5" }
    ])
  })

  it("holds values to static options, labelled or not", () => {
    const declared = [{ name: "x", type: "string", options: ["a", { label: "B", value: "b" }] }]
    assert.deepStrictEqual(resolved(declared, { x: "b" }).props, { x: "b" })
    assert.strictEqual(refused(declared, { x: "B" }).length, 1)
  })

  it("takes a static value over everything and refuses another", () => {
    const declared = [{ name: "x", type: "string", static: "fixed" }]
    assert.deepStrictEqual(resolved(declared, {}, { props: { x: "old" }, timers: {} }).props, { x: "fixed" })
    assert.strictEqual(refused(declared, { x: "other" }).length, 1)
    assert.deepStrictEqual(resolved([{ name: "x", type: "string", static: null }], { x: "given" }).props, {
      x: "given"
    })
  })

  it.each([
    [{ name: "x", type: "object", static: { a: 1, b: [2] } }, { b: [2], a: 1 }, { a: 1, b: [3] }],
    [{ ...timer, name: "x", static: { intervalSeconds: 60 } }, { interval_seconds: 60, cron: null }, {
      intervalSeconds: 6
    }],
    [{ ...timer, name: "x", static: { cron: "0 9 * * 1" } }, { cron: "0 9 * * 1", timezone: "UTC" }, {
      intervalSeconds: 60
    }]
  ])("takes a static value back in any form, and no other: %j", (prop, same, other) => {
    assert.deepStrictEqual(refused([prop], { x: same }), [])
    assert.deepStrictEqual(refused([prop], { x: other }), [
      { path: "configured_props.x", message: "is fixed by the component" }
    ])
  })

  it("refuses names the component does not declare, Object's own among them", () => {
    const given = JSON.parse(`{"nope": 1, "__proto__": 1, "constructor": 1}`) as Record<string, unknown>
    assert.deepStrictEqual(refused([], given).map(({ path }) => path), [
      "configured_props.nope",
      "configured_props.__proto__",
      "configured_props.constructor"
    ])
  })

  it("refuses a value for an interface, but takes back what a response showed", () => {
    assert.strictEqual(refused([http], { http: "x" }).length, 1)
    assert.deepStrictEqual(refused([http, db], { http: { endpoint_url: "http://x" } }), [])
  })

  it("reads the settings of an HTTP interface, and keeps a token that is not given again", () => {
    const settings = { event: "body", response: { status: 202, body: { taken: true } }, token: "t0ken" }
    const first = resolved([http], { http: settings })
    assert.deepStrictEqual(first.props, { http: settings })
    const change = (value: unknown, existing = first) => resolved([http], { http: value }, existing).props["http"]
    const shown = ConfiguredProps.render([http], first, "http://here/http/k")
    assert.deepStrictEqual(shown, {
      http: { endpoint_url: "http://here/http/k", event: "body", response: settings.response, has_token: true }
    })
    assert.deepStrictEqual(change(shown["http"]), settings)
    assert.deepStrictEqual(change({ endpoint_url: "x" }), settings)
    assert.deepStrictEqual(change({ event: "raw" }), { event: "raw", token: "t0ken" })
    assert.deepStrictEqual(change({ event: "raw", token: null }), { event: "raw" })
    assert.isUndefined(change(null))
  })

  it.each([
    [{ event: "half" }],
    [{ response: { status: 99 } }],
    [{ response: { headers: { "Clear-Site-Data": "*" } } }],
    [{ token: "two words" }],
    [{ tokens: [] }],
    [[]]
  ])("refuses %j as the settings of an HTTP interface", (given) => {
    assert.deepStrictEqual(refused([http], { http: given }).map(({ path }) => path), ["configured_props.http"])
  })

  it("keeps values that are not given, replaces those that are, and takes back those that are null", () => {
    const declared = [
      { name: "a", type: "string" },
      { name: "b", type: "string" },
      { name: "c", type: "string", default: "code" }
    ]
    const existing = { props: { a: "1", b: "2", c: "3", gone: "4" }, timers: {} }
    assert.deepStrictEqual(resolved(declared, { b: "new", c: null }, existing).props, {
      a: "1",
      b: "new",
      c: "code"
    })
  })

  it.each([
    [{ intervalSeconds: 60 }, { intervalSeconds: 60 }],
    [{ interval_seconds: 60, cron: null }, { intervalSeconds: 60 }],
    [{ cron: "0 9 * * 1" }, { cron: "0 9 * * 1" }],
    [{ cron: "0 9 * * 1", timezone: "Europe/Berlin", interval_seconds: null }, {
      cron: "0 9 * * 1",
      timezone: "Europe/Berlin"
    }]
  ])("reads the timer %j", (given, expected) => {
    assert.deepStrictEqual(resolved([timer], { timer: given }).timers, { timer: expected })
  })

  it.each([
    [60],
    [{}],
    [{ intervalSeconds: 0 }],
    [{ intervalSeconds: 60, cron: "0 9 * * 1" }],
    [{ cron: "every day" }],
    [{ cron: "0 9 * * 1", timezone: "Mars/Olympus" }]
  ])("refuses the timer %j", (given) => {
    assert.deepStrictEqual(refused([timer], { timer: given }).map(({ path }) => path), ["configured_props.timer"])
  })

  it("takes the code's own timer, and asks for one where it has none", () => {
    const own = { ...timer, default: { intervalSeconds: 900 } }
    assert.deepStrictEqual(resolved([own], {}).timers, { timer: { intervalSeconds: 900 } })
    assert.deepStrictEqual(refused([timer], {}), [{ path: "configured_props.timer", message: "is required" }])
  })
})

describe("ConfiguredProps.render", () => {
  const declared = [
    timer,
    { ...timer, name: "cron" },
    http,
    db,
    { name: "url", type: "string" },
    { name: "token", type: "string", secret: true }
  ]
  const values = {
    props: { url: "http://x", token: "s" },
    timers: { timer: { intervalSeconds: 60 }, cron: { cron: "0 9 * * 1" } }
  }

  it("shows timers and endpoints as the reference does, and no secret", () => {
    assert.deepStrictEqual(ConfiguredProps.render(declared, values, "http://here/http/k"), {
      timer: { cron: null, interval_seconds: 60 },
      cron: { cron: "0 9 * * 1", interval_seconds: null, timezone: "UTC" },
      http: { endpoint_url: "http://here/http/k" },
      url: "http://x"
    })
  })

  it("shows what can be sent back without changing anything", () => {
    const shown = ConfiguredProps.render(declared, values, "http://here/http/k")
    const again = resolved(declared, shown, values)
    assert.deepStrictEqual(again.props, values.props)
    assert.deepStrictEqual(ConfiguredProps.render(declared, again, "http://here/http/k"), shown)
  })
})

describe("ConfiguredProps.oversized", () => {
  it("names the value that is larger than the limit, counted in bytes", () => {
    assert.strictEqual(ConfiguredProps.oversized({ a: "x", b: "äää" }, 7), "b")
    assert.isUndefined(ConfiguredProps.oversized({ a: "ääx" }, 7))
  })
})
