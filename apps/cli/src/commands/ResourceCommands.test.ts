import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect } from "effect"
import * as CommandInProcess from "../../test/CommandInProcess.ts"
import * as Files from "../../test/Files.ts"
import * as HeadwaterCommand from "../../test/HeadwaterCommand.ts"
import { RunningServer } from "../../test/RunningServer.ts"

const files = {
  "orders.mjs": `export default {
    name: "Orders",
    key: "orders",
    props: { http: "$.interface.http" },
    run(event) { this.$emit(event.body) }
  }`,
  "large.mjs": `export default { name: "Large", run({ steps }) { return steps.trigger.event } }`,
  "secrets.json": `{"authorization": "Bearer 12345678"}`
}

layer(RunningServer.layer, { excludeTestServices: true, timeout: "120 seconds" })("headwater about things", (it) => {
  const setup = Effect.gen(function*() {
    const { environment, server } = yield* RunningServer
    const cwd = yield* Files.make(files)
    const run = (...args: ReadonlyArray<string>) => CommandInProcess.run(args, { env: environment, cwd })
    const told = (...args: ReadonlyArray<string>) =>
      Effect.map(run(...args), ({ code, stderr, stdout }) => {
        assert.deepStrictEqual([code, stderr], [0, ""], args.join(" "))
        return stdout
      })
    const json = (...args: ReadonlyArray<string>) => Effect.map(run(...args, "--json"), HeadwaterCommand.jsonOf)
    return { cwd, environment, json, run, server, told }
  })

  it.effect("an empty list says how to make the first, and each thing is made, shown, changed, paused and deleted", () =>
    Effect.gen(function*() {
      const { json, run, told } = yield* setup
      const kinds =
        "sources workflows webhooks subscriptions consumers components projects stores files credentials env deliveries bulk"
      for (const things of kinds.split(" ")) {
        assert.match(yield* told(things, "list"), /^There is no [\w ]+ yet\. .* headwater /, things)
      }
      const made = yield* told("webhooks", "create", "receiver", "--url", "http://localhost:9000")
      assert.match(made, /^Webhook +wh_\w+\nName +receiver\nURL +http:\/\/localhost:9000\nActive +yes\n/)
      assert.match(made, /headwater subscribe EMITTER receiver/)
      assert.match(yield* told("webhooks", "list"), /^NAME +ID +ACTIVE +URL +CREATED\nreceiver +wh_\w+ +yes +http:/)
      const changed = yield* json(
        "webhooks",
        "update",
        "receiver",
        "--retry-schedule",
        "5,60",
        "--ordering",
        "none",
        "--no-http2",
        "--rate-limit",
        `{"limit":10,"interval_seconds":1}`,
        "--secret-headers",
        "@secrets.json"
      )
      Json.assertHolds(changed, { ordering: "none", http2: false, secret_headers: { authorization: "***" } })
      assert.deepStrictEqual(Json.listOf(changed["retry_schedule"]).map(Number), [5, 60])
      HeadwaterCommand.assertRefused(
        yield* run("webhooks", "update", "receiver", "--secret-headers", `{"a":"b"}`),
        /--secret-headers holds secrets.*give a file/
      )
      HeadwaterCommand.assertRefused(yield* run("webhooks", "update", "receiver"), /Nothing to change.*--url/)
      HeadwaterCommand.assertRefused(
        yield* run("webhooks", "update", "receiver", "--concurrency", "1000"),
        /--concurrency: .*100/
      )
      Json.assertHolds(yield* json("webhooks", "pause", "receiver"), { active: false })
      Json.assertHolds(yield* json("webhooks", "update", "receiver", "--description", "Ours"), {
        active: false,
        description: "Ours"
      })
      Json.assertHolds(yield* json("webhooks", "update", "receiver", "--description", "none"), { description: null })
      Json.assertHolds(yield* json("webhooks", "resume", "receiver"), { active: true })
      const first = Json.textOf((yield* json("webhooks", "secret", "receiver"))["secret"])
      assert.strictEqual(yield* told("webhooks", "secret", "receiver"), `${first}\n`)
      assert.notStrictEqual(yield* told("webhooks", "secret", "receiver", "--rotate"), `${first}\n`)
      assert.match(
        yield* told("webhooks", "delete", "receiver"),
        /^Deleted receiver \(wh_\w+\) with its subscriptions\.\n$/
      )
    }))

  it.effect("names, slugs and ids are the same everywhere, and a wrong one is told with the one that was meant", () =>
    Effect.gen(function*() {
      const { json, run, told } = yield* setup
      const source = yield* json("deploy", "orders.mjs", "--name", "Big Orders")
      yield* told("deploy", "large.mjs", "--workflow")
      yield* told("webhooks", "create", "warehouse", "--url", "http://localhost:9000")
      const id = Json.textOf(source["id"])
      for (const name of ["Big Orders", "big-orders", id]) {
        Json.assertHolds(yield* json("sources", "get", name), { id })
      }
      Json.assertHolds(yield* json("sources", "pause", "Big Orders"), { active: false })
      Json.assertHolds(yield* json("sources", "resume", "big-orders"), { active: true })
      Json.assertHolds(yield* json("workflows", "update", "large", "--concurrency", "3"), {
        concurrency: 3,
        active: true
      })
      const subscribed = yield* told("subscribe", "Big Orders", "warehouse", "--filter", `{"n":{"$gt":1}}`)
      assert.match(subscribed, /\nEmitter +big-orders \(dc_\w+\)\nListener +warehouse \(wh_\w+\)\nStream +default\n/)
      yield* told("subscribe", "large", "warehouse", "--event", "$errors")
      const doubtful = yield* run("subscribe", "Big Orders", "Big Orders", "--event", "$error")
      assert.strictEqual(doubtful.code, 0)
      assert.match(
        doubtful.stderr,
        /^Warning: --stream: .*\$errors\?\nWarning: <listener>: This is the emitter itself/
      )
      yield* told("unsubscribe", "Big Orders", "Big Orders", "--event", "$error")
      assert.match(
        yield* told("subscriptions", "list"),
        /\nsub_\w+ +large +\$errors +warehouse\nsub_\w+ +big-orders +default +warehouse +{"n":{"\$gt":1}}\n$/
      )
      const [last] = Json.listOf(yield* json("subscriptions", "list"))
      yield* told("subscriptions", "update", Json.textOf(last!["id"]), "--filter", `{"n":2}`)
      Json.assertHolds(yield* json("subscriptions", "get", Json.textOf(last!["id"])), { filter: { n: 2 } })
      assert.match(yield* told("unsubscribe", "Big Orders", "warehouse"), /^warehouse gets nothing more of Big Orders/)
      yield* told("subscriptions", "delete", Json.textOf(last!["id"]))
      assert.match(yield* told("subscriptions", "list"), /^There is no subscription yet/)
      assert.match(yield* told("components", "get", "orders"), /\nKey +orders\n/)
      HeadwaterCommand.assertRefused(
        yield* run("webhooks", "get", "warehuse"),
        /no webhook "warehuse"\. Did you mean warehouse\?/
      )
      HeadwaterCommand.assertRefused(
        yield* run("sources", "get", "orders"),
        /no source "orders"\. Did you mean big-orders\?/
      )
      HeadwaterCommand.assertRefused(yield* run("tail", "lage"), /no source or workflow "lage"\. Did you mean large\?/)
      yield* told("webhooks", "create", "warehouse", "--url", "http://localhost:9001")
      HeadwaterCommand.assertRefused(
        yield* run("webhooks", "get", "warehouse"),
        /Several have the name "warehouse"; give the id of one: wh_\w+ \(webhook\), wh_\w+ \(webhook\)/
      )
      const unknown = yield* run("why", "1760000120000-0")
      HeadwaterCommand.assertRefused(unknown, /There is no event .*`headwater events` lists/)
      HeadwaterCommand.assertRefused(yield* run("webhooks", "get", "wh_0"), /`headwater webhooks list` lists yours/)
    }))

  it.effect("a refusal names the flag or the argument, whichever command gave the field and whoever refuses it", () =>
    Effect.gen(function*() {
      const { run, told } = yield* setup
      yield* told("deploy", "orders.mjs", "--name", "Shop")
      yield* told("deploy", "large.mjs", "--workflow", "--name", "Tally")
      yield* told("webhooks", "create", "hearer", "--url", "http://localhost:9000")
      yield* told("consumers", "create", "Shop", "--name", "reader")
      yield* told("stores", "create", "counts")
      const refused: ReadonlyArray<readonly [args: string, reason: RegExp]> = [
        ["events --text=", /^headwater: --text: /],
        ["events --limit 0", /--limit: "0"\. Expected: a whole number of 1 or more/],
        ["deliveries list --status abc", /^headwater: --status: Expected a status such as 503/],
        ["bulk run retry --rate 100000", /^headwater: --rate: Expected a value between 1 and 10000/],
        ["bulk run replay --from 1760000120000-0", /^headwater: --emitter: is required/],
        ["bulk run replay --from first", /^headwater: --from: Expected an event id/],
        ["retry --state exhausted --rate 100000", /^headwater: --rate: /],
        ["replay hearer --from first", /^headwater: --from: /],
        ["webhooks replay hearer --from 1760000120000-0", /^headwater: --emitter: is required/],
        ["webhooks test hearer --event 1760000120000-0", /^headwater: --emitter: is required/],
        ["webhooks create x --url ftp://x", /^headwater: --url: /],
        ["runs rerun-all --rate 100000", /^headwater: --rate: /],
        [
          "runs list Tally --status wating",
          /--status: "wating"\. Expected: running, waiting, success, error, cancelled/
        ],
        ["consumers read reader --wait 1000", /^headwater: --wait: Expected a value between 0 and 60/],
        ["consumers seek reader soon", /^headwater: <to> is not a time: "soon"/],
        ["stores set counts k v --ttl 99999999999999", /^headwater: --ttl: /],
        ["env set 1A", /^headwater: <name>: /],
        ["env list --program nobody", /no source or workflow "nobody"\. `headwater sources list`/],
        [
          "runs books nobody",
          /no source or workflow "nobody"\. `headwater sources list` and `headwater workflows list`/
        ],
        ["runs rerun-all --program Shp", /Did you mean shop\?/],
        [
          `webhooks create x --url http://localhost:9000 --rate-limit {"limit":1,"interval_seconds":1,"x":2}`,
          /--rate-limit\.x: There is no such field/
        ]
      ]
      for (const [args, reason] of refused) HeadwaterCommand.assertRefused(yield* run(...args.split(" ")), reason)
      const names = yield* run("runs", "books", "Tally", "--json")
      Json.assertHolds(HeadwaterCommand.jsonOf(names), { received: 0, failed: 0 })
    }))

  it.effect("somebody at a terminal is asked before a thing is deleted, and a table fits the terminal", () =>
    Effect.gen(function*() {
      const { cwd, environment, told } = yield* setup
      const name = "a webhook with a name so long that it would not fit any terminal beside its id"
      yield* told("webhooks", "create", name, "--url", "http://localhost:9000")
      const typed = (typed: string, ...args: ReadonlyArray<string>) =>
        CommandInProcess.run(args, { env: environment, cwd, typed })
      const { stdout } = yield* typed("", "webhooks", "list")
      assert.match(stdout, /a webho\S*…/)
      assert.isAtMost(Math.max(...stdout.split("\n").map(({ length }) => length)), 110)
      const kept = yield* typed("n", "webhooks", "delete", name)
      assert.strictEqual(kept.code, 1)
      assert.match(kept.stderr, /Nothing was done/)
      assert.strictEqual((yield* typed("y", "webhooks", "delete", name)).code, 0)
    }))

  it.effect("earlier names of commands go on, whoami tells the account, and open where the console shows a thing", () =>
    Effect.gen(function*() {
      const { json, run, server, told } = yield* setup
      assert.match(yield* told("accounts", "list"), /^There is no app account yet/)
      const me = yield* told("whoami")
      assert.include(me, server.url)
      assert.notInclude(me, "hw_")
      yield* told("webhooks", "create", "opened", "--url", "http://localhost:9000")
      const { url } = yield* json("open", "opened") as Effect.Effect<Record<string, unknown>>
      assert.match(String(url), new RegExp(`^${server.url}/console/webhooks/wh_\\w+$`))
      HeadwaterCommand.assertRefused(yield* run("open", "opend"), /Did you mean opened/)
      HeadwaterCommand.assertRefused(yield* run("open", "evnts"), /Did you mean events\?/)
      assert.deepStrictEqual(yield* json("open", "bulk"), Json.parse(`{"url":"${server.url}/console/bulk-actions"}`))
    }))

  it.effect("help has one word for a text, for a number and for nothing, whoever wrote the flag", () =>
    Effect.gen(function*() {
      const { told } = yield* setup
      const update = yield* told("webhooks", "update", "--help")
      assert.match(update, /\n {2}--url string {2}/)
      assert.match(update, /\n {2}--name string\|none {2}/)
      assert.match(update, /\n {2}--concurrency N\|none {2}/)
      assert.match(update, /\n {2}--ordering ordered\|strict\|none\|default .* default: the default\n/)
      for (const command of [["demo"], ["events"], ["subscriptions", "create"], ["import", "pipedream"]]) {
        assert.notMatch(yield* told(...command, "--help"), /\n {2}(-\S+ )+(text|number|integer)\b/, command.join(" "))
      }
    }))
})
