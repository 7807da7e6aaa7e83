import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as Yaml from "yaml"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"
import * as TypeCheck from "../code/TypeCheck.ts"

const modules = Path.resolve(import.meta.dirname, "../../../../node_modules")

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater init", (it) => {
  it.effect("source: writes one that works as it is, and never over another", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* TemporaryDirectory.make("init")
      const written = yield* headwater(folder, "init", "source", "orders", "--json")
      assert.deepStrictEqual<unknown>(HeadwaterCommand.jsonOf(written), { file: "orders/source.mjs" })
      const deployed = HeadwaterCommand.jsonOf(
        yield* headwater(folder, "deploy", "orders", "--prop", "greeting=Hi", "--json")
      )
      Json.assertHolds(deployed, { name: "orders", new: true })
      yield* Effect.promise(() =>
        fetch(Json.textOf(deployed["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{\"name\": \"Ann\"}"
        })
      )
      const [event] = yield* events(Json.textOf(deployed["id"]), 1)
      assert.deepStrictEqual<unknown>(event!["event"]!["raw_event"], { text: "Hi, Ann", count: 1 })

      const path = Path.join(folder, "orders/source.mjs")
      yield* Effect.promise(() => Fs.writeFile(path, "export default {}"))
      HeadwaterCommand.assertRefused(
        yield* headwater(folder, "init", "source", "orders"),
        /orders\/source\.mjs exists already/
      )
      assert.strictEqual(yield* Effect.promise(() => Fs.readFile(path, "utf8")), "export default {}")
    }), HeadwaterCommand.patienceMs)

  it.effect("workflow: writes one that works as it is", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* TemporaryDirectory.make("init")
      const written = yield* headwater(folder, "init", "workflow", "large", "--json")
      assert.deepStrictEqual<unknown>(HeadwaterCommand.jsonOf(written), { file: "large/workflow.mjs" })
      const deployed = HeadwaterCommand.jsonOf(
        yield* headwater(folder, "deploy", "large", "--prop", "limit=50", "--prop", "tell.greeting=Hi", "--json")
      )
      Json.assertHolds(deployed, { name: "large", new: true })
      const send = (body: unknown) =>
        Effect.promise(() =>
          fetch(Json.textOf(deployed["endpoint_url"]), {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(body)
          })
        )
      yield* send({ total: 49 })
      yield* send({ total: 60 })
      const found = yield* events(Json.textOf(deployed["id"]), 1)
      assert.deepStrictEqual<unknown>(found.map(({ event }) => event!["raw_event"]), [
        { text: "Hi, 10 over the limit", total: 60 }
      ])
    }), HeadwaterCommand.patienceMs)

  it.effect(
    "writes a project that a fresh repository checks without a server, also with packages from archives",
    () =>
      Effect.gen(function*() {
        const { headwater } = yield* RunningServer
        const folder = yield* TemporaryDirectory.make("init")
        const project = Path.join(folder, "shop")
        yield* Effect.promise(async () => {
          await Fs.mkdir(project)
          await Fs.writeFile(Path.join(folder, "headwater-0.1.0.tgz"), "archive")
          const devDependencies = { headwater: "file:../headwater-0.1.0.tgz", typescript: "^7.0.0" }
          await Fs.writeFile(Path.join(project, "package.json"), JSON.stringify({ devDependencies }))
        })
        const { code, stderr } = yield* headwater(project, "init", ".")
        assert.strictEqual(code, 0, stderr)
        const read = (path: string) => Effect.promise(() => Fs.readFile(Path.join(project, path), "utf8"))
        const written = Json.parse(yield* read("package.json"))
        Json.assertHolds(written, { engines: { node: ">=20" } })
        Json.assertHolds(written["devDependencies"], {
          headwater: "file:packages/headwater-0.1.0.tgz",
          typescript: "^7.0.0"
        })
        assert.strictEqual(yield* read("packages/headwater-0.1.0.tgz"), "archive")
        const { jobs } = Yaml.parse(yield* read(".github/workflows/deploy.yml"))
        const asking = jobs.deploy.steps.filter(({ run = "" }) => /check|deploy/.test(run))
        assert.lengthOf(asking, 2)
        for (const step of asking) {
          assert.include(step.if, "env.HEADWATER_URL != '' && env.HEADWATER_API_KEY != ''", step.run)
        }
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect("writes a project whose source and workflow are right, and run as they are", () =>
    Effect.gen(function*() {
      const { events, headwater } = yield* RunningServer
      const folder = yield* TemporaryDirectory.make("init")
      const written = HeadwaterCommand.jsonOf(yield* headwater(folder, "init", "My shop", "--json"))
      Json.assertHolds(written, { folder: "My shop" })
      const project = Path.join(folder, "My shop")
      const content = Json.parse(yield* Effect.promise(() => Fs.readFile(Path.join(project, "package.json"), "utf8")))
      Json.assertHolds(content, { name: "my-shop" })
      HeadwaterCommand.assertRefused(yield* headwater(folder, "init", "My shop"), /My shop is not empty: it has \S+\. /)

      const source = Path.join(project, "orders.ts")
      const noCompiler = yield* Effect.flip(TypeCheck.check(source))
      assert.match(noCompiler.message, /has no TypeScript\. Install it with: npm install --save-dev typescript/)
      yield* Effect.promise(() => Fs.symlink(modules, Path.join(project, "node_modules")))
      for (const file of [source, Path.join(project, "large-orders/workflow.ts")]) {
        assert.deepStrictEqual(yield* TypeCheck.check(file), [])
      }

      const orders = HeadwaterCommand.jsonOf(
        yield* headwater(project, "deploy", "orders.ts", "--prop", "minimum=10", "--json")
      )
      const large = HeadwaterCommand.jsonOf(yield* headwater(project, "deploy", "large-orders", "--json"))
      Json.assertHolds(large, { name: "large-orders", new: true })
      yield* Effect.promise(() =>
        fetch(Json.textOf(orders["endpoint_url"]), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: `{"order": 17, "total": 30}`
        })
      )
      const [event] = yield* events(Json.textOf(orders["id"]), 1)
      assert.deepStrictEqual<unknown>(event!["event"]!["raw_event"], { order: 17, total: 30, count: 1 })

      const text = yield* Effect.promise(() => Fs.readFile(source, "utf8"))
      yield* Effect.promise(() => Fs.writeFile(source, text.replace("default: 0", `default: "none"`)))
      const faults = yield* TypeCheck.check(source)
      assert.deepStrictEqual(faults.map(({ code, column, line }) => ({ code, column, line })), [
        { code: "TS2322", line: 19, column: 7 }
      ])
      yield* Effect.promise(() => Fs.appendFile(source, "export const text: string = 17\n"))
      const checked = yield* headwater(project, "check", "orders.ts")
      assert.strictEqual(checked.code, 1)
      const [ofTypes, ofServer, ...others] = checked.stdout.trim().split("\n")
      assert.match(ofTypes!, /^orders\.ts:\d+:14: Type 'number' is not assignable to type 'string'\. \(TS2322\)$/)
      assert.match(ofServer!, /^orders\.ts:19:7: props\.minimum\.default must be an integer\. /)
      assert.deepStrictEqual(others, [])
      HeadwaterCommand.assertRefused(
        yield* headwater(project, "deploy", "orders.ts"),
        /orders\.ts:19:7: props\.minimum/
      )
    }).pipe(Effect.provide(NodeServices.layer)), HeadwaterCommand.patienceMs)

  it.effect("keeps what a package.json says that npm has written", () =>
    Effect.gen(function*() {
      const folder = yield* TemporaryDirectory.make("init")
      const present = {
        name: "mine",
        type: "commonjs",
        scripts: { test: "echo \"Error: no test specified\" && exit 1", check: "true" },
        dependencies: { headwater: "file:../headwater.tgz" }
      }
      const path = Path.join(folder, "package.json")
      yield* Effect.promise(() => Fs.writeFile(path, JSON.stringify(present)))
      const init = CommandInProcess.run(["init", folder, "--json"], { env: {} })
      HeadwaterCommand.jsonOf(yield* init)
      const { dependencies, devDependencies, name, scripts, type } = Json.parse(
        yield* Effect.promise(() => Fs.readFile(path, "utf8"))
      )
      assert.deepStrictEqual<unknown>({ name, type, dependencies }, {
        name: "mine",
        type: "module",
        dependencies: present.dependencies
      })
      Json.assertHolds(scripts, { test: "node --test", check: "true" })
      assert.doesNotHaveAnyKeys(devDependencies, ["headwater"])
      assert.containsAllKeys(devDependencies, ["@headwater/testing", "typescript"])
      // What was written is not written over.
      HeadwaterCommand.assertRefused(yield* init, /is not empty: it has/)
    }), HeadwaterCommand.patienceMs)

  it.effect("is refused, and comes to its end, where no folder can be", () =>
    Effect.gen(function*() {
      const { headwater } = yield* RunningServer
      for (const kind of ["source", "workflow"]) {
        HeadwaterCommand.assertRefused(
          yield* headwater("/", "init", kind, "/proc/x"),
          /Cannot create \/proc\/x: ENOENT/
        )
      }
    }), HeadwaterCommand.patienceMs)
})
