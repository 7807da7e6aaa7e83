import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as Loopback from "@headwater/fixtures/Loopback"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Files from "../../test/Files.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const project = (url: string) => ({
  "sums-p_C1/workflow.yaml": `schema: workflow/2022.04
name: Sums
triggers:
- id: hi_C1
steps:
- namespace: add
  uses: ./add/entry.js
- namespace: ask
  uses: ./ask/entry.js
- namespace: nothing
  uses: ./nothing/entry.js
`,
  "sums-p_C1/add/entry.js": `export default defineComponent({
  async run({ steps, $ }) {
    const { lines } = steps.trigger.event.body
    $.export("$summary", \`added \${lines.length}\`)
    return { total: lines.reduce((all, each) => all + each, 0), at: new Date().toISOString(), id: crypto.randomUUID() }
  }
})
`,
  "sums-p_C1/ask/entry.js": `export default defineComponent({
  async run() {
    return (await fetch(${JSON.stringify(url)})).json()
  }
})
`,
  "sums-p_C1/nothing/entry.js": "export default defineComponent({ async run() {} })\n"
})

const there = (total: number) => ({
  event: { method: "POST", path: "/", headers: {}, body: { lines: [5, 9] } },
  exports: {
    add: {
      $summary: "added 2",
      $return_value: { total, at: "2025-01-02T03:04:05.678Z", id: "0b9d8a3e-1111-4222-8333-444455556666" }
    },
    ask: { $return_value: { answer: 42 } }
  }
})

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater import compare", (it) => {
  it.effect(
    "runs an event that ran there once more, shows what differs, and keeps nothing",
    () =>
      Effect.gen(function*() {
        const { headwater, server } = yield* RunningServer
        let asked = 0
        const url = yield* Loopback.serve((_, response) => {
          asked++
          response.writeHead(200, { "content-type": "application/json" }).end("{\"answer\":42}")
        })
        const place = yield* TemporaryDirectory.make("moving")
        const run = (...args: ReadonlyArray<string>) => headwater(place, "import", ...args)
        yield* run("pipedream", yield* Files.make(project(url)), "--yes")
        yield* Files.write(place, {
          "same.json": JSON.stringify(there(14)),
          "archive/workflows/p_C1.events.json": JSON.stringify([
            { id: "1-0", event: there(14) },
            { id: "2-0", event: there(15) }
          ])
        })

        const same = yield* run("compare", "sums", "--event", "same.json", "--requests")
        assert.strictEqual(same.code, 0, same.stdout + same.stderr)
        assert.match(same.stdout, /0 differences, and 2 times or ids/)
        assert.match(same.stdout, /add\.\$return_value\.at \(time\)/)
        assert.strictEqual(asked, 1)
        assert.strictEqual((yield* run("compare", "sums", "--event", "same.json", "--requests", "--strict")).code, 1)

        const archived = yield* run("compare", "p_C1", "--event", "archive", "--requests", "--json")
        assert.strictEqual(archived.code, 1)
        const { compared, different } = JSON.parse(archived.stdout)
        assert.strictEqual(different, 1)
        assert.deepInclude(compared[1].differences, {
          path: "add.$return_value.total",
          there: 15,
          here: 14,
          incidental: null
        })
        assert.strictEqual(compared[1].event_id, "2-0")

        asked = 0
        const refused = yield* run("compare", "sums", "--event", "same.json")
        assert.strictEqual(refused.code, 1)
        assert.match(refused.stdout, /error here: .*\(in the step ask\)/)
        assert.match(refused.stdout, /ask\.\$return_value\n +there +\{"answer":42\}\n +here +nothing/)
        assert.strictEqual(asked, 0, "it sends nothing unless that is asked for")
        assert.deepStrictEqual(Json.listOf((yield* server.api("GET", "/workflows/sums/runs"))["data"]), [])
        assert.match((yield* run("compare", "sums", "--event", "none.json")).stderr, /--event: /)
      }),
    240_000
  )
})
