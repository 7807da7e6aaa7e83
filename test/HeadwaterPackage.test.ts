import { assert, it } from "@effect/vitest"
import { firstParty } from "@headwater/components/FirstParty"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule } from "effect"
import { execFile, spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Os from "node:os"
import * as Path from "node:path"
import { promisify } from "node:util"
import * as HeadwaterPackage from "../build/HeadwaterPackage.ts"
import { key, registrySettings } from "./ServerProcess.ts"

const root = Path.resolve(import.meta.dirname, "..")

/** The system's own programs, as one has them who has no clone. */
const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.startsWith(root)).join(":")

const inherited = Object.fromEntries(
  ["NODE_EXTRA_CA_CERTS"].flatMap((name) => process.env[name] === undefined ? [] : [[name, process.env[name]]])
)

it.live("the package starts a server and deploys to it in an empty folder", () =>
  Effect.gen(function*() {
    const folder = yield* TemporaryDirectory.make("package")
    const home = yield* TemporaryDirectory.make("home")
    const archive = yield* Effect.promise(() => HeadwaterPackage.pack(folder))
    const install = (environment: NodeJS.ProcessEnv) =>
      promisify(execFile)("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", archive], {
        cwd: home,
        env: environment
      })
    // npm has what it fetched before, and its settings, in the user's own home.
    yield* Effect.promise(() => install({ ...registrySettings, ...inherited, PATH: path, HOME: Os.homedir() }))

    const port = yield* FreePort.find
    const url = `http://127.0.0.1:${port}`
    const program = Path.join(home, "node_modules/.bin/headwater")
    const installed = Path.join(home, "node_modules/headwater")
    const environment = { ...registrySettings, ...inherited, PATH: path, HOME: home }
    const headwater = (...args: ReadonlyArray<string>) =>
      Effect.promise(async () => {
        const { stdout } = await promisify(execFile)(program, args, {
          cwd: home,
          env: { ...environment, HEADWATER_URL: url, HEADWATER_API_KEY: key }
        })
        return stdout
      })
    const { version } = JSON.parse(
      yield* Effect.promise(() => Fs.readFile(Path.join(installed, "package.json"), "utf8"))
    )
    assert.include(yield* headwater("--version"), `v${version}`)
    assert.include(yield* headwater("--completions", "bash"), "start")

    let said = ""
    const server = spawn(program, ["start"], {
      cwd: home,
      env: {
        ...environment,
        HEADWATER_API_KEY: key,
        HEADWATER_PORT: String(port),
        HEADWATER_WORKERS: "2",
        HEADWATER_LOG: "json"
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    for (const stream of [server.stdout, server.stderr]) stream.on("data", (chunk) => said += String(chunk))
    const ended = new Promise<number | null>((resolve) => server.once("exit", resolve))
    yield* Effect.addFinalizer(() =>
      Effect.promise(() => {
        server.kill("SIGTERM")
        return ended
      })
    )
    yield* Effect.sync(() => said.includes("Headwater listens on")).pipe(
      Effect.repeat({
        until: (listens) => listens || server.exitCode !== null,
        schedule: Schedule.spaced("50 millis")
      })
    )
    assert.isNull(server.exitCode, said)

    const deployed = yield* headwater("deploy", Path.join(installed, "examples/http-requests.mjs"))
    const endpoint = /Endpoint\s+(\S+)/.exec(deployed)?.[1] ?? ""
    // Large enough for the thread that reads large JSON.
    const note = "n".repeat(32 * 1024)
    const posted = yield* Effect.promise(() =>
      fetch(endpoint, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ order: 17, note })
      })
    )
    assert.strictEqual(posted.status, 200)
    const get = (address: string) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}${address}`, { headers: { authorization: `Bearer ${key}` } })
        assert.strictEqual(response.status, 200, address)
        return response.text()
      })
    const events = yield* Effect.map(
      get("/v1/sources/http-requests/event_summaries?expand=event"),
      (text) => Json.listOf(Json.parse(text)["data"])
    ).pipe(Effect.repeat({ until: ({ length }) => length > 0, schedule: Schedule.spaced("50 millis") }))
    Json.assertHolds(events[0]?.["event"]?.["raw_event"], { body: { order: 17, note } })

    const page = yield* get("/console/")
    yield* get(`/console/${/assets\/main[^"]*/.exec(page)?.[0]}`)
    assert.include(yield* get("/docs/operating.md"), "# Operating")
    assert.include(yield* get("/README.md"), "# Headwater")
    for (const { code, key } of yield* firstParty) {
      const found = Json.parse(yield* get(`/v1/components/registry/${key}`))
      assert.strictEqual<unknown>(found["data"]?.["code"], code, `the clone and the package differ in ${key}`)
    }

    server.kill("SIGTERM")
    assert.strictEqual(yield* Effect.promise(() => ended), 0, said)
  }), 300_000)
