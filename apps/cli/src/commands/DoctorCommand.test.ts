import { assert, layer } from "@effect/vitest"
import * as FreePort from "@headwater/fixtures/FreePort"
import * as Json from "@headwater/fixtures/Json"
import * as Loopback from "@headwater/fixtures/Loopback"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect } from "effect"
import * as Path from "node:path"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

/** What a command found, by name. */
const findings = ({ stdout }: HeadwaterCommand.Ended): Readonly<Record<string, Json.Json>> =>
  Object.fromEntries(Json.listOf(Json.parse(stdout)["checks"]).map((check) => [Json.textOf(check["name"]), check]))

/** A server that is not Headwater, or whose clock is wrong. */
const strange = (lateMs: number, status: string) =>
  Loopback.serve((_, response) => {
    response.setHeader("date", new Date(Date.now() - lateMs).toUTCString())
    response.end(JSON.stringify({ status }))
  })

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater doctor", (it) => {
  it.effect(
    "says that a running server and what it stands on are well, and what to do where something is not",
    () =>
      Effect.gen(function*() {
        const { environment, nobody } = yield* RunningServer
        const doctor = (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) =>
          HeadwaterCommand.run(["doctor", ...args], env)
        const well = yield* doctor(environment, "--json")
        assert.deepStrictEqual([well.code, well.stderr], [0, ""])
        Json.assertHolds(Json.parse(well.stdout), { well: true })
        const found = findings(well)
        assert.hasAllKeys(found, ["server", "clock", "key", "versions", "database", "disk", "sandbox", "egress"])
        assert.match(
          Json.textOf(found["versions"]!["message"]),
          /^Server .*, Node .*, Deno .*, Postgres .*; this command /
        )
        const text = yield* doctor(environment)
        assert.match(text.stdout, /^ok {8}server {5}http:\S+ answers within \d+ ms and takes work\.\n/)

        const keyless = yield* doctor({ ...nobody, HEADWATER_URL: environment["HEADWATER_URL"]! })
        assert.strictEqual(keyless.code, 1)
        assert.match(keyless.stdout, /\nFAILED {4}key {8}There is no API key for .*\n {21}An operator makes a key with/)
        assert.strictEqual(keyless.stderr, "headwater: Not well: key\n")
        const wrong = yield* doctor({ ...environment, HEADWATER_API_KEY: "hw_00000000000000000000" })
        assert.match(wrong.stdout, /\nFAILED {4}key {8}.* refuses the API key/)

        const late = yield* strange(120_000, "ok")
        const behind = yield* doctor({ ...environment, HEADWATER_URL: late })
        assert.match(
          behind.stdout,
          /\nFAILED {4}clock {6}The server's clock is 1(19|20)\.\d s behind this one\.\n {21}Let NTP/
        )
        const other = yield* strange(0, "fine")
        const notOurs = yield* doctor({ ...environment, HEADWATER_URL: other })
        assert.match(notOurs.stdout, /^FAILED {4}server {5}http:\S+ does not answer like a Headwater server/)
      }),
    HeadwaterCommand.patienceMs
  )

  it.effect(
    "examines the machine where no server is, with the settings that one would have",
    () =>
      Effect.gen(function*() {
        const { nobody, server } = yield* RunningServer
        const folder = yield* TemporaryDirectory.make("doctor")
        const away = {
          ...nobody,
          HEADWATER_URL: `http://127.0.0.1:${yield* FreePort.find}`,
          HEADWATER_DATA_DIR: Path.join(folder, "data")
        }
        const registry = { HEADWATER_NPM_REGISTRY: server.url }
        const doctor = (env: Readonly<Record<string, string>>) =>
          HeadwaterCommand.run(["doctor", "--json"], { ...away, ...registry, ...env }, { cwd: folder })
        const none = yield* doctor({ HEADWATER_ODD: "1" })
        assert.deepStrictEqual([none.code, none.stderr], [1, "headwater: Not well: server\n"])
        const found = findings(none)
        assert.hasAllKeys(found, ["server", "settings", "database", "disk", "sandbox", "egress", "versions"])
        assert.match(Json.textOf(found["server"]!["message"]), /nothing listens there \(ECONNREFUSED\)/)
        Json.assertHolds(found["settings"], { state: "warning", message: "HEADWATER_ODD is no setting of Headwater." })
        assert.match(Json.textOf(found["database"]!["message"]), /^There is no database in .*data yet/)
        assert.match(Json.textOf(found["sandbox"]!["message"]), /^deno \d.* runs here\.$/)
        Json.assertHolds(found["egress"], { state: "ok" })

        const gone = findings(
          yield* doctor({
            DATABASE_URL: "postgres://a:secret@127.0.0.1:1/b",
            HEADWATER_SECRET_KEY: Buffer.alloc(32, 7).toString("base64")
          })
        )
        Json.assertHolds(gone["database"], { state: "failed" })
        assert.match(Json.textOf(gone["database"]!["message"]), /ECONNREFUSED/)
        assert.notInclude(JSON.stringify(gone), "secret@")
        const invalid = findings(yield* doctor({ HEADWATER_PORT: "x" }))
        assert.match(Json.textOf(invalid["settings"]!["message"]), /^HEADWATER_PORT: must be a whole number/)
      }),
    HeadwaterCommand.patienceMs
  )
})
