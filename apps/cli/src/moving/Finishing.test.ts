import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Files from "../../test/Files.ts"
import { ApiAccess } from "../access/ApiAccess.ts"
import * as Finishing from "./Finishing.ts"
import * as MovingRecord from "./MovingRecord.ts"

/** A server with one workflow in a project, whose environment variables are by their owners. */
const server = (variables: Readonly<Record<string, ReadonlyArray<string>>>) => {
  const client = {
    environment: {
      list: ({ query }: { query: { program_id?: string; project_id?: string } }) =>
        Effect.succeed({
          data: (variables[query.program_id ?? query.project_id ?? "account"] ?? []).map((name) => ({ name }))
        })
    },
    workflows: { get: () => Effect.succeed({ data: { id: "p_here", project_id: "proj_1", missing_props: [] } }) },
    code: { workflowCode: () => Effect.succeed({ data: { configurable_props: [] } }) }
  }
  return Layer.succeed(ApiAccess, { url: "http://127.0.0.1", call: (use) => use(client as never) as never })
}

const workflow: MovingRecord.Workflow = {
  ref: "workflows/orders",
  name: "Orders",
  from: "orders-p_1",
  wasInactive: false,
  accounts: {},
  stores: {},
  variables: [],
  left: [],
  subscriptions: [],
  withheld: {},
  given: { props: {}, subscriptions: [], active: false }
}

const folderOf = (changed: Partial<MovingRecord.Workflow>) =>
  Files.make({
    "headwater.json": "{\"format\": 1, \"kinds\": [\"data_stores\", \"workflows\"]}",
    "ids.json": "{\"workflows/orders\": \"p_here\"}",
    "moving.json": MovingRecord.textOf({ ...MovingRecord.empty, workflows: { p_1: { ...workflow, ...changed } } })
  })

describe("what a workflow that was moved is given", () => {
  it("goes into files only where a prop is known to be no secret", () => {
    const props = [{ name: "a.text", type: "string" }, { name: "a.key", type: "string", secret: true }]
    assert.deepStrictEqual([...Finishing.secretsAmong(["a.text", "a.key", "a.added"], props)], ["a.key", "a.added"])
  })

  it("is an account for all props that had one there, also in JSON", () => {
    const props = ["a", "b"].map((name) => ({ name: `${name}.slack`, type: "app", app: "slack" }))
    const record = {
      ...workflow,
      accounts: { "a.slack": "apn_1", "b.slack": "apn_1", "off.slack": "apn_1", "off.x": "apn_2" }
    }
    const here = "apn_0VcGpd4F7Lt7FKeHhwy9"
    for (const value of [{ json: here }, { text: here }]) {
      const { faults, values } = Finishing.sorted({ props, record }, new Map([["apn_1", value], ["apn_2", value]]))
      assert.deepStrictEqual(values, {
        "a.slack": { authProvisionId: here },
        "b.slack": { authProvisionId: here }
      })
      assert.match(faults.join(), /^apn_2: the code has no prop any more/)
    }
  })

  it.effect("may be variables of the account, of its project or of its own", () =>
    Effect.gen(function*() {
      const { standings } = yield* Finishing.read(yield* folderOf({ variables: ["A", "B", "C", "D"] }))
      assert.deepStrictEqual(standings[0]?.needs.map(({ name }) => name), ["env.D"])
    }).pipe(
      Effect.provide([server({ account: ["A"], proj_1: ["B"], p_here: ["C"] }), NodeServices.layer])
    ))
})
