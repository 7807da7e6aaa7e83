import { assert, layer } from "@effect/vitest"
import { firstParty } from "@headwater/components/FirstParty"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Context, Effect, Layer, Schedule } from "effect"
import { execFile, spawn } from "node:child_process"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { pack, published } from "../build/Archive.ts"
import * as Walkthrough from "./documents/Walkthrough.ts"
import { key, registrySettings } from "./ServerProcess.ts"

const root = Path.resolve(import.meta.dirname, "..")

const patience = 600_000

/** The system's own programs, as one has them who has no clone. */
const path = (process.env["PATH"] ?? "").split(":").filter((folder) => !folder.startsWith(root)).join(":")

const inherited = Object.fromEntries(
  ["HOME", "NODE_EXTRA_CA_CERTS"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
)

const npmSettings = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" }

const readDocument = (name: string) => Effect.promise(() => Fs.readFile(Path.join(root, "docs", name), "utf8"))

/** What a program prints; fails where it does not end well. */
const run = (program: string, args: ReadonlyArray<string>, cwd: string, env: Readonly<Record<string, string>>) =>
  Effect.callback<string>((resume) => {
    const child = execFile(
      program,
      args,
      { cwd, env },
      (error, stdout, stderr) =>
        resume(error === null ? Effect.succeed(stdout) : Effect.die(new Error(`${error.message}\n${stdout}${stderr}`)))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The folder of somebody who has followed the guide up to the start of a server, and that server. */
class Shop extends Context.Service<Shop, {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly url: string
  /** What a page of the guide says after the start of the server. */
  readonly rest: string
  /** `SIGTERM`; answers the exit code. */
  readonly stop: Effect.Effect<number | null>
}>()("headwater/test/Shop") {
  static readonly layer = Layer.effect(
    Shop,
    Effect.gen(function*() {
      const above = yield* TemporaryDirectory.make("guide")
      const folder = Path.join(above, "shop")
      yield* Effect.promise(() => pack(published, Path.join(above, "packages")))
      const port = yield* FreePort.find
      const url = `http://127.0.0.1:${port}`
      const environment = {
        ...registrySettings,
        ...inherited,
        ...npmSettings,
        PATH: path,
        XDG_CONFIG_HOME: yield* TemporaryDirectory.make("config"),
        XDG_CACHE_HOME: yield* TemporaryDirectory.make("cache")
      }
      const [before = "", rest = ""] = (yield* readDocument("begin.md")).split("## Start a server\n")
      yield* Walkthrough.walk(before, { server: { url }, directory: above, port, environment })

      let said = ""
      const server = spawn(Path.join(folder, "node_modules/.bin/headwater"), ["start"], {
        cwd: folder,
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
      const stop = Effect.promise(() => {
        server.kill("SIGTERM")
        return ended
      })
      yield* Effect.addFinalizer(() => stop)
      yield* Effect.sync(() => said.includes("Headwater listens on")).pipe(
        Effect.repeat({
          until: (listens) => listens || server.exitCode !== null,
          schedule: Schedule.spaced("50 millis")
        }),
        Effect.timeoutOption("2 minutes")
      )
      assert.include(said, "Headwater listens on")
      assert.isNull(server.exitCode, said)
      return Shop.of({ folder, environment, url, rest, stop })
    })
  )
}

/** The blocks that begin with the name of a file. */
const filesOf = (document: string): ReadonlyArray<readonly [name: string, text: string]> =>
  [...document.matchAll(/^```js\n(?<text>\/\/ (?<name>\S+)\n[^]*?)^```$/gm)].map(({ groups }) =>
    [groups!["name"]!, groups!["text"]!] as const
  )

layer(Shop.layer, { excludeTestServices: true, timeout: patience })(
  "the packages, outside of this repository",
  (it) => {
    it.effect("are what docs/begin.md shows", () =>
      Effect.gen(function*() {
        const { environment, folder, rest, url } = yield* Shop
        const port = Number(new URL(url).port)
        assert.isAbove(yield* Walkthrough.walk(rest, { server: { url }, directory: folder, port, environment }), 5)
      }), patience)

    it.effect("run the tests that docs/testing.md shows", () =>
      Effect.gen(function*() {
        const { environment, folder } = yield* Shop
        const examples = Path.join(folder, "examples")
        yield* Effect.promise(() => Fs.mkdir(examples))
        for (const [name, text] of filesOf(yield* readDocument("testing.md"))) {
          yield* Effect.promise(() => Fs.writeFile(Path.join(examples, name), text))
        }
        const args = ["--test", "--test-isolation=none", "--test-reporter=tap"]
        const said = yield* run(Path.join(folder, "node_modules/.bin/node"), args, examples, environment)
        assert.match(said, /^# pass 5$/m)
      }), patience)

    it.effect(
      "serve the console, the documents and the same components as a clone, and take large events",
      () =>
        Effect.gen(function*() {
          const { environment, folder, stop, url } = yield* Shop
          const headwater = (...args: ReadonlyArray<string>) =>
            run(Path.join(folder, "node_modules/.bin/headwater"), args, folder, {
              ...environment,
              HEADWATER_URL: url,
              HEADWATER_API_KEY: key
            })
          const installed = Path.join(folder, "node_modules/headwater")
          const { version } = JSON.parse(
            yield* Effect.promise(() => Fs.readFile(Path.join(installed, "package.json"), "utf8"))
          )
          assert.include(yield* headwater("--version"), `v${version}`)
          assert.include(yield* headwater("--completions", "bash"), "start")

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
          assert.include(yield* get("/console/docs/operating"), "<h1 id=\"operating\">")
          yield* get("/docs/images/console/overview-light.png")
          for (const { code, key } of yield* firstParty) {
            const found = Json.parse(yield* get(`/v1/components/registry/${key}`))
            assert.strictEqual<unknown>(found["data"]?.["code"], code, `the clone and the package differ in ${key}`)
          }
          assert.strictEqual(yield* stop, 0)
        }),
      patience
    )
  }
)
