import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { availableParallelism } from "node:os"
import * as Path from "node:path"
import { render, ServerConfig, unknownVariables } from "./ServerConfig.ts"

const settingsFrom = (env: Record<string, string>) =>
  Effect.service(ServerConfig).pipe(
    Effect.provide(ServerConfig.layer),
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const key = Buffer.alloc(32, 7).toString("base64")
const database = "postgres://headwater:hunter2@db.example.com:5432/events?sslmode=require"

describe("ServerConfig", () => {
  it.effect("needs no variable at all", () =>
    Effect.gen(function*() {
      const settings = yield* settingsFrom({})
      assert.strictEqual(settings.url, "http://127.0.0.1:8787")
      assert.strictEqual(settings.dataDirectory, Path.resolve(".headwater"))
      assert.deepStrictEqual(settings.egressAllow, ["loopback"])
      assert.strictEqual(settings.maxBody, 524_288)
      assert.strictEqual(settings.maxCode, 1_048_576)
      assert.strictEqual(settings.maxProp, 65_536)
      assert.strictEqual(settings.retentionDays, 30)
      assert.strictEqual(settings.auditDays, 90)
      assert.deepStrictEqual(settings.dataStores, { bytes: 1_073_741_824, entries: 1_000_000 })
      assert.deepStrictEqual(settings.runLimits, {
        wallMillis: 300_000,
        cpuMillis: 30_000,
        heapMebibytes: 256,
        maxHeapMebibytes: 256,
        outputBytes: 6_291_456,
        storeValueBytes: 1_048_576,
        fileBytes: 67_108_864
      })
      assert.isTrue(Option.isNone(settings.databaseUrl))
    }))

  it.effect("has one worker beside other nodes unless it is told otherwise, and a port for each", () =>
    Effect.gen(function*() {
      const shared = { DATABASE_URL: database, HEADWATER_SECRET_KEY: key, HEADWATER_NODE: "10.0.0.5:65535" }
      assert.strictEqual((yield* settingsFrom(shared)).workers, 1)
      const { message } = yield* Effect.flip(settingsFrom({ ...shared, HEADWATER_WORKERS: "2" }))
      assert.strictEqual(message, "HEADWATER_NODE: leaves no ports for 2 workers, which take one after the other")
      const workers = Math.max(1, Math.floor(availableParallelism() / 2))
      assert.strictEqual((yield* settingsFrom({})).workers, workers)
      assert.match(render(yield* settingsFrom({ HEADWATER_WORKERS: "3" })), /^HEADWATER_WORKERS=3$/m)
    }))

  it.effect("asks for a sender with an SMTP server, and shows no password of it", () =>
    Effect.gen(function*() {
      const smtp = { HEADWATER_SMTP_URL: "smtp://ann:hunter2@mail.example.com:587" }
      const { message } = yield* Effect.flip(settingsFrom(smtp))
      assert.include(message, "HEADWATER_MAIL_FROM: is required with HEADWATER_SMTP_URL")
      const shown = render(yield* settingsFrom({ ...smtp, HEADWATER_MAIL_FROM: "Headwater <hw@example.com>" }))
      assert.match(shown, /^HEADWATER_SMTP_URL=smtp:\/\/ann:\*+@mail\.example\.com:587$/m)
      assert.match(shown, /^HEADWATER_MAIL_FROM=Headwater <hw@example\.com>$/m)
      const refused = yield* Effect.flip(
        settingsFrom({ HEADWATER_SMTP_URL: "http://x", HEADWATER_MAIL_FROM: "nobody" })
      )
      assert.deepStrictEqual(refused.faults.map(({ variable }) => variable), [
        "HEADWATER_SMTP_URL",
        "HEADWATER_MAIL_FROM"
      ])
    }))

  it.effect("asks for all that a bucket needs, and shows no secret of it", () =>
    Effect.gen(function*() {
      const bucket = { HEADWATER_FILES_S3_BUCKET: "files", HEADWATER_FILES_S3_ACCESS_KEY_ID: "AKID" }
      const refused = yield* Effect.flip(settingsFrom(bucket))
      assert.deepStrictEqual(refused.faults.map(({ variable }) => variable), ["HEADWATER_FILES_S3_SECRET_ACCESS_KEY"])
      const whole = { ...bucket, HEADWATER_FILES_S3_SECRET_ACCESS_KEY: "hunter2" }
      const shown = render(yield* settingsFrom(whole))
      assert.notInclude(shown, "hunter2")
      assert.match(shown, /^HEADWATER_FILES_S3_ENDPOINT=https:\/\/s3\.us-east-1\.amazonaws\.com$/m)
      const elsewhere = { ...whole, HEADWATER_FILES_S3_ENDPOINT: "http://127.0.0.1:9000/" }
      const { fileBucket } = yield* settingsFrom(elsewhere)
      assert.strictEqual(Option.getOrThrow(fileBucket).endpoint, "http://127.0.0.1:9000")
    }))

  it.effect("takes an empty variable for an unset one", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* settingsFrom({ HEADWATER_PORT: "" })).port, 8787)
    }))

  it.effect("derives the public URL from host and port, also when it listens on every address", () =>
    Effect.gen(function*() {
      assert.strictEqual(
        (yield* settingsFrom({ HEADWATER_HOST: "0.0.0.0", HEADWATER_PORT: "80" })).url,
        "http://127.0.0.1:80"
      )
      assert.strictEqual((yield* settingsFrom({ HEADWATER_HOST: "::1" })).url, "http://[::1]:8787")
      assert.strictEqual(
        (yield* settingsFrom({ HEADWATER_URL: "https://e.example.com/hw/" })).url,
        "https://e.example.com/hw"
      )
    }))

  it.effect("lets nothing but what is listed through to private networks with a database of one's own", () =>
    Effect.gen(function*() {
      const settings = yield* settingsFrom({ DATABASE_URL: database, HEADWATER_SECRET_KEY: key })
      assert.deepStrictEqual(settings.egressAllow, [])
      const listed = yield* settingsFrom({ HEADWATER_EGRESS_ALLOW: "loopback, 10.0.0.0/8,fd00::/8 ,printer.local" })
      assert.deepStrictEqual(listed.egressAllow, ["loopback", "10.0.0.0/8", "fd00::/8", "printer.local"])
    }))

  it.effect("takes name servers by their addresses, each with a port or without", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual((yield* settingsFrom({})).nameServers, [])
      const { nameServers } = yield* settingsFrom({ HEADWATER_NAME_SERVERS: "10.0.0.2, 10.0.0.3:5353,2001:db8::53" })
      assert.deepStrictEqual(nameServers, ["10.0.0.2:53", "10.0.0.3:5353", "[2001:db8::53]:53"])
    }))

  it.effect("lets nothing through to private networks where that is said, with the embedded database too", () =>
    Effect.gen(function*() {
      const settings = yield* settingsFrom({ HEADWATER_EGRESS_ALLOW: "none" })
      assert.deepStrictEqual(settings.egressAllow, [])
      assert.deepStrictEqual(settings.egressAllowList.networks, [])
      assert.include(render(settings), "HEADWATER_EGRESS_ALLOW=none")
    }))

  it.effect("tells all that is wrong at once, a line each", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(settingsFrom({
        HEADWATER_PORT: "eighty",
        DATABASE_URL: database,
        HEADWATER_RUN_HEAP: "8",
        HEADWATER_TRUSTED_PROXIES: "10.0.0.0/8, proxy"
      }))
      const named = error.message.split("\n").map((line) => /^([A-Z_]+): ./.exec(line)?.[1])
      const wrong = ["HEADWATER_PORT", "HEADWATER_SECRET_KEY", "HEADWATER_RUN_HEAP", "HEADWATER_TRUSTED_PROXIES"]
      assert.sameMembers(named, wrong)
    }))

  it.effect("knows which names in the environment mean nothing to it", () =>
    Effect.gen(function*() {
      yield* settingsFrom({})
      const names = ["PATH", "HEADWATER_PORT", "HEADWATER_PROT", "HEADWATER_TRUSTED_PROXIES"]
      assert.deepStrictEqual(unknownVariables(names), ["HEADWATER_PROT"])
    }))

  const refusals: ReadonlyArray<readonly [name: string, env: Record<string, string>]> = [
    ["HEADWATER_PORT", { HEADWATER_PORT: "eighty" }],
    ["HEADWATER_PORT", { HEADWATER_PORT: "65536" }],
    ["HEADWATER_PORT", { HEADWATER_PORT: "1e3" }],
    ["HEADWATER_HOST", { HEADWATER_HOST: "http://localhost" }],
    ["HEADWATER_URL", { HEADWATER_URL: "events.example.com" }],
    ["HEADWATER_URL", { HEADWATER_URL: "ftp://events.example.com" }],
    ["DATABASE_URL", { DATABASE_URL: "mysql://localhost/x", HEADWATER_SECRET_KEY: key }],
    ["DATABASE_URL", { DATABASE_URL: "localhost", HEADWATER_SECRET_KEY: key }],
    ["HEADWATER_SECRET_KEY", { DATABASE_URL: database }],
    ["HEADWATER_SECRET_KEY", { HEADWATER_SECRET_KEY: Buffer.alloc(31, 7).toString("base64") }],
    ["HEADWATER_SECRET_KEY", { HEADWATER_SECRET_KEY: "*" }],
    ["HEADWATER_API_KEY", { HEADWATER_API_KEY: "secret" }],
    ["HEADWATER_EGRESS_ALLOW", { HEADWATER_EGRESS_ALLOW: "10.0.0.0/33" }],
    ["HEADWATER_EGRESS_ALLOW", { HEADWATER_EGRESS_ALLOW: "loopback,10.0.0" }],
    ["HEADWATER_EGRESS_ALLOW", { HEADWATER_EGRESS_ALLOW: "*.example.com" }],
    ["HEADWATER_NAME_SERVERS", { HEADWATER_NAME_SERVERS: "10.0.0.2,ns.example.com" }],
    ["HEADWATER_NAME_SERVERS", { HEADWATER_NAME_SERVERS: "10.0.0.2:0x35" }],
    ["HEADWATER_DATABASE_CACHE", { HEADWATER_DATABASE_CACHE: "15" }],
    ["HEADWATER_RETENTION_DAYS", { HEADWATER_RETENTION_DAYS: "0" }],
    ["HEADWATER_AUDIT_DAYS", { HEADWATER_AUDIT_DAYS: "0" }],
    ["HEADWATER_RATE_LIMIT", { HEADWATER_RATE_LIMIT: "-1" }],
    ["HEADWATER_BYTE_RATE_LIMIT", { HEADWATER_BYTE_RATE_LIMIT: "1MB" }],
    ["HEADWATER_MAX_BODY", { HEADWATER_MAX_BODY: "512KiB" }],
    ["HEADWATER_MAX_CODE", { HEADWATER_MAX_CODE: "0" }],
    ["HEADWATER_MAX_PROP", { HEADWATER_MAX_PROP: "1e5" }],
    ["HEADWATER_DATA_STORES", { HEADWATER_DATA_STORES: "0" }],
    ["HEADWATER_DATA_STORE_ENTRIES", { HEADWATER_DATA_STORE_ENTRIES: "1e6" }],
    ["HEADWATER_RUN_SECONDS", { HEADWATER_RUN_SECONDS: "301" }],
    ["HEADWATER_RUN_CPU_SECONDS", { HEADWATER_RUN_CPU_SECONDS: "0.5" }],
    ["HEADWATER_RUN_HEAP", { HEADWATER_RUN_HEAP: "8" }],
    ["HEADWATER_RUN_HEAP_MAX", { HEADWATER_RUN_HEAP_MAX: "255" }],
    ["HEADWATER_RUN_HEAP_MAX", { HEADWATER_RUN_HEAP: "512", HEADWATER_RUN_HEAP_MAX: "511" }],
    ["HEADWATER_MAX_STORED_VALUE", { HEADWATER_MAX_STORED_VALUE: "16777216" }],
    ["HEADWATER_RUN_OUTPUT", { HEADWATER_RUN_OUTPUT: "6MiB" }],
    ["HEADWATER_ALLOWED_HOSTS", { HEADWATER_ALLOWED_HOSTS: "headwater:8787" }],
    ["HEADWATER_ALLOWED_HOSTS", { HEADWATER_ALLOWED_HOSTS: "a.example,http://b.example" }],
    ["HEADWATER_ALLOWED_HOSTS", { HEADWATER_ALLOWED_HOSTS: "a.*.example" }],
    ["HEADWATER_KEEP_ALIVE_SECONDS", { HEADWATER_KEEP_ALIVE_SECONDS: "0" }],
    ["HEADWATER_KEEP_ALIVE_SECONDS", { HEADWATER_KEEP_ALIVE_SECONDS: "75s" }],
    ["HEADWATER_LOG", { HEADWATER_LOG: "xml" }],
    ["HEADWATER_LOG_LEVEL", { HEADWATER_LOG_LEVEL: "loud" }],
    ["HEADWATER_LOG_RATE", { HEADWATER_LOG_RATE: "-1" }]
  ]

  for (const [name, env] of refusals) {
    it.effect(`stops at ${JSON.stringify(env)} with one line that names ${name}`, () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(settingsFrom(env))
        assert.match(error.message, new RegExp(`^${name}: [^\n]+$`))
      }))
  }

  it.effect("repeats no secret, neither in a reason nor in what it renders", () =>
    Effect.gen(function*() {
      const secrets = {
        DATABASE_URL: database,
        HEADWATER_SECRET_KEY: key,
        HEADWATER_API_KEY: "hw_abcdefghijklmnopqrstuvwx"
      }
      const settings = yield* settingsFrom(secrets)
      const shown = `${render(settings)} ${JSON.stringify(settings)}`
      for (const secret of ["hunter2", key, "abcdefghijklmnop"]) assert.notInclude(shown, secret)
      assert.include(shown, "db.example.com:5432/events")
      assert.strictEqual(Option.getOrThrow(Option.map(settings.databaseUrl, Redacted.value)), database)

      const refused = yield* Effect.flip(
        settingsFrom({ DATABASE_URL: "mysql://u:hunter2@h/d", HEADWATER_SECRET_KEY: key })
      )
      assert.notInclude(refused.message, "hunter2")
    }))
})
