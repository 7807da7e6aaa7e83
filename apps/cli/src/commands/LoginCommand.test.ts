import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ServerProcess from "../../../../test/ServerProcess.ts"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const component = { "a.mjs": "export default { run() {} }" }

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("a user's API key", (it) => {
  it.effect(
    "is kept by login, once the server knows it, where only the user can read it",
    () =>
      Effect.gen(function*() {
        const { nobody, server } = yield* RunningServer
        const cwd = yield* Files.make(component)
        const file = Path.join(nobody["XDG_CONFIG_HOME"]!, "headwater/config.json")
        const headwater = (args: ReadonlyArray<string>, input = "") =>
          HeadwaterCommand.run(args, nobody, { cwd, input })
        const deploy = headwater(["deploy", "a.mjs", "--json"])
        const unknown = yield* deploy
        HeadwaterCommand.assertRefused(unknown, /no API key for http:\/\/127\.0\.0\.1:8787: set HEADWATER_API_KEY, or/)
        assert.include(unknown.stderr, file)

        HeadwaterCommand.assertRefused(
          yield* headwater(["login", "--url", server.url], "hw_wrong"),
          /refuses the API key/
        )
        const login = yield* headwater(["login", "--url", `${server.url}/`, "--json"], `${ServerProcess.key}\n`)
        Json.assertHolds(HeadwaterCommand.jsonOf(login), { url: server.url, username: "admin", file })
        const { mode } = yield* Effect.promise(() => Fs.stat(file))
        assert.strictEqual(mode & 0o777, 0o600)
        Json.assertHolds(HeadwaterCommand.jsonOf(yield* deploy), { name: "a", new: true })

        const logout = yield* headwater(["logout"])
        assert.include(logout.stdout, `Removed the key for ${server.url} from this machine. It stays valid.`)
        assert.isFalse(yield* Effect.promise(() => Fs.access(file).then(() => true, () => false)))
        HeadwaterCommand.assertRefused(yield* deploy, /no API key/)
        assert.include((yield* headwater(["logout"])).stdout, "There was no key")
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "comes from the environment before the file, and is told to no other server than its own",
    () =>
      Effect.gen(function*() {
        const { server } = yield* RunningServer
        const folder = yield* Files.make(component)
        const XDG_CONFIG_HOME = yield* TemporaryDirectory.make("config")
        const deploy = (environment: Readonly<Record<string, string>>) =>
          CommandInProcess.run(["deploy", "a.mjs"], { env: { XDG_CONFIG_HOME, ...environment }, cwd: folder })
        const keep = (content: unknown) =>
          Files.write(XDG_CONFIG_HOME, { "headwater/config.json": JSON.stringify(content) })

        yield* keep({ url: server.url, apiKey: ServerProcess.key })
        assert.strictEqual((yield* deploy({})).code, 0)
        HeadwaterCommand.assertRefused(yield* deploy({ HEADWATER_API_KEY: "hw_wrong" }), /refuses the API key/)
        yield* keep({ url: "https://events.example.com", apiKey: ServerProcess.key })
        HeadwaterCommand.assertRefused(
          yield* deploy({ HEADWATER_URL: server.url }),
          /is for https:\/\/events\.example\.com, not for http:\/\/127/
        )
        yield* keep({ apiKey: ServerProcess.key })
        assert.strictEqual((yield* deploy({ HEADWATER_URL: server.url })).code, 0)
        HeadwaterCommand.assertRefused(yield* deploy({ HEADWATER_URL: "http://127.0.0.1:1" }), /can't be reached/, 3)
        yield* Files.write(XDG_CONFIG_HOME, { "headwater/config.json": ServerProcess.key })
        const broken = yield* deploy({})
        HeadwaterCommand.assertRefused(broken, /config\.json is not JSON of the form/)
        assert.notInclude(broken.stderr, ServerProcess.key)
      }),
    HeadwaterCommand.patienceMs
  )
})
