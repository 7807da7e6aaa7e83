import { assert } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import { assertInvalid, assertProblem, assertRecent, ContractServer, type It } from "./ContractServer.ts"

const finding = { kind: "missing", file: "a-p_1/workflow.yaml", line: 7, message: "asks for an account" }

const report = {
  workflows: [{
    moved_from: "p_1",
    name: "A",
    from: "a-p_1",
    ref: "workflows/a",
    workflow_id: null,
    came: { triggers: 1, steps: 2, props: 0, files: 2 },
    findings: [finding],
    needs: [{ kind: "account", name: "step.chat", message: "an account", is_required: true }],
    endpoints: [{ trigger: "hi_1", old_url: null, url: "https://new.example/http/x" }]
  }],
  findings: []
}

/** api.md, "Imports". */
export const rows = (it: It): void => {
  it.effect("extension: reports of imports are set, listed, read and removed, within their room", () =>
    Effect.gen(function*() {
      const { fresh } = yield* ContractServer
      const client = yield* fresh("imports")
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/imports"), [])
      const set = yield* client.ok("PUT", "/imports/my%20shop", { report })
      assert.hasAllKeys(set, ["name", "created_at", "updated_at", "report"])
      Json.assertHolds(set, { name: "my shop", report })
      assertRecent(set["updated_at"])
      assert.deepStrictEqual(yield* client.ok("GET", "/imports/my%20shop/"), set)
      const { report: _, ...summary } = set
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/imports"), [summary])
      assert.deepStrictEqual<unknown>(yield* client.ok("GET", "/imports/my%20shop?include=name"), { name: "my shop" })
      const empty = { workflows: [], findings: [] }
      Json.assertHolds(yield* client.ok("PUT", "/imports/my%20shop", { report: empty }), {
        created_at: set["created_at"],
        report: empty
      })
      const faulty = { ...report, findings: [{ ...finding, kind: "other", line: -1 }] }
      const refused = yield* client.send("PUT", "/imports/other", { body: { report: faulty } })
      assertInvalid(refused, "report.findings.0.kind", "report.findings.0.line")
      assertInvalid(yield* client.send("PUT", `/imports/${"n".repeat(101)}`, { body: { report } }), "name")
      assertProblem(yield* client.send("PUT", "/imports/a%00b", { body: { report } }), 404, "not_found")
      const long = { ...finding, message: "m".repeat(10_000) }
      const large = { workflows: [], findings: Array.from({ length: 500 }, () => long) }
      assertProblem(yield* client.send("PUT", "/imports/large", { body: { report: large } }), 413, "payload_too_large")
      assert.strictEqual((yield* client.send("DELETE", "/imports/my%20shop")).status, 204)
      for (const method of ["GET", "DELETE"]) {
        assertProblem(yield* client.send(method, "/imports/my%20shop"), 404, "not_found")
      }
    }))
}
