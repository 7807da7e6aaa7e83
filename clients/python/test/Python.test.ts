import { assert, layer } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Layer } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { apiKey, root, Server, sinkOf, steps } from "../../../packages/client/test/ScenarioServer.ts"
import * as Section from "../../../test/documents/Section.ts"
import * as Walkthrough from "../../../test/documents/Walkthrough.ts"
import { InstalledClient } from "./InstalledClient.ts"

const scenario = Path.join(root, "packages/client/test/scenario.json")

const counted = `export default { props: { http: "$.interface.http" }, run({ body }) { this.$emit(body) } }`

const follow = `
import json, sys
from headwater_client import Headwater
url, key, source = sys.argv[1:]
for event in Headwater(url, key).tail(source=source, after="0-0"):
    print(json.dumps(event["event"]["raw_event"], separators=(",", ":")), flush=True)
`

const post = (url: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  )

const services = Layer.merge(Server.layer, InstalledClient.layer)

layer(services, { excludeTestServices: true, timeout: "120 seconds" })("the Python client", (it) => {
  it.effect("holds its unit tests", () =>
    Effect.gen(function*() {
      const { run } = yield* InstalledClient
      const { code, stderr } = yield* run(["-m", "unittest", "discover"], import.meta.dirname)
      assert.strictEqual(code, 0, stderr)
      assert.match(stderr, /^Ran [1-9]\d* tests/m)
    }))

  it.effect("does the scenario", () =>
    Effect.gen(function*() {
      const { run } = yield* InstalledClient
      const { url } = yield* Server
      const args = ["scenario.py", scenario, url, apiKey, yield* sinkOf]
      assert.deepStrictEqual(yield* run(args, import.meta.dirname), { code: 0, stdout: `${steps}\n`, stderr: "" })
    }))

  it.effect("follows a log over a crash of the server: each event once, in order", () =>
    Effect.gen(function*() {
      const { environment } = yield* InstalledClient
      const server = yield* Server
      const { data: source } = yield* server.api("POST", "/sources", { component_code: counted, name: "Counted" })
      const endpoint = Json.textOf(source!["configured_props"]!["http"]!["endpoint_url"])
      const args = ["-c", follow, server.url, apiKey, Json.textOf(source!["id"])]
      const follower = spawn("python3", args, { env: environment })
      yield* Effect.addFinalizer(() => Effect.sync(() => follower.kill()))
      const lines = createInterface(follower.stdout)[Symbol.asyncIterator]()
      const isFollowed = Effect.fnUntraced(function*(counts: ReadonlyArray<number>) {
        for (const count of counts) yield* post(endpoint, { count })
        for (const count of counts) {
          assert.strictEqual((yield* Effect.promise(() => lines.next())).value, JSON.stringify({ count }))
        }
      })
      yield* isFollowed([1, 2, 3])
      yield* server.kill
      yield* server.start
      yield* isFollowed([4, 5, 6])
    }))

  it.effect("is what docs/clients.md shows", () =>
    Effect.gen(function*() {
      const { environment } = yield* InstalledClient
      const server = yield* Server
      const whole = yield* Effect.promise(() => Fs.readFile(Path.join(root, "docs/clients.md"), "utf8"))
      const document = Section.of(whole, "With Python")
      const examples = [...document.matchAll(/^```python\n# (\S+)\n([\s\S]*?)^```$/gm)]
      assert.strictEqual(examples.length, whole.split("```python\n").length - 1)
      const directory = yield* TemporaryDirectory.make("python-examples")
      for (const [, file, code] of examples) {
        yield* Effect.promise(() => Fs.writeFile(Path.join(directory, file!), code!))
      }
      const port = yield* FreePort.find
      assert.isAbove(yield* Walkthrough.walk(document, { server, directory, port, environment }), examples.length)
    }))
})
