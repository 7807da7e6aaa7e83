import { version } from "@headwater/domain/Version"
import { explain } from "@headwater/server/ErrorExplanation"
import { clockFinding, skewOf } from "@headwater/server/Examination"
import { Effect, Predicate, Result, Schema } from "effect"
import { ApiAccess, findAccess, findUrl, whyAway } from "../access/ApiAccess.ts"
import * as Check from "./Check.ts"

const patienceMs = 10_000

class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", { cause: Schema.Defect() }) {}

/** The answer of a path that is asked without a key. */
const ask = (url: string) =>
  Effect.tryPromise({
    try: async () => {
      const askedMs = Date.now()
      const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs), redirect: "manual" })
      const answeredMs = Date.now()
      const json: unknown = await response.json().catch(() => undefined)
      return { status: response.status, date: response.headers.get("date"), json, askedMs, answeredMs }
    },
    catch: (cause) => new NoAnswer({ cause })
  })

const textAt = (json: unknown, name: string): string | undefined => {
  const value: unknown = Predicate.isObject(json) ? Reflect.get(json, name) : undefined
  return Predicate.isString(value) ? value : undefined
}

/** A header's time is that of the beginning of its second. */
const halfOfSecond = 500

const reach = Effect.fnUntraced(function*(url: string) {
  const alive = yield* Effect.result(ask(`${url}/healthz`))
  if (Result.isFailure(alive)) {
    return {
      isThere: false,
      checks: [
        Check.failed(
          "server",
          `${url} can't be reached: ${whyAway(alive.failure.cause)}.`,
          "Start the server (`npm start`), or set HEADWATER_URL to where it is."
        )
      ]
    }
  }
  const { answeredMs, askedMs, date, json } = alive.success
  if (textAt(json, "status") !== "ok") {
    return {
      isThere: false,
      checks: [
        Check.failed(
          "server",
          `${url} does not answer like a Headwater server: it answered ${alive.success.status}.`,
          "Set HEADWATER_URL to the server's URL, without /v1. A proxy in front of it has to pass /healthz on."
        )
      ]
    }
  }
  const ready = yield* Effect.result(ask(`${url}/readyz`))
  const why = Result.isSuccess(ready) && ready.success.status !== 200
    ? textAt(ready.success.json, "detail") ?? `/readyz answered ${ready.success.status}.`
    : undefined
  const isOff = Result.isSuccess(ready) && textAt(ready.success.json, "work") === "off"
  const does = isOff ? "shows what is there, without work (HEADWATER_WORK=off)" : "takes work"
  const server = why === undefined
    ? Check.ok("server", `${url} answers within ${answeredMs - askedMs + 1} ms and ${does}.`)
    : Check.failed("server", `${url} takes no work: ${why}`, "See the server's log, and what follows here.")
  const theirsMs = Date.parse(date ?? "") + halfOfSecond
  const skew = skewOf(theirsMs, askedMs, answeredMs)
  const clock = Number.isNaN(theirsMs)
    ? []
    // The header tells whole seconds.
    : [clockFinding("The server's clock", { ...skew, atLeastMs: Math.max(0, skew.atLeastMs - halfOfSecond) })]
  return { isThere: true, checks: [server, ...clock.map((one) => ({ ...one, name: "clock" as const }))] }
})

const major = (text: string): string => text.split(".").slice(0, 2).join(".")

const withKey = Effect.gen(function*() {
  const { call } = yield* ApiAccess
  const { data: user } = yield* call(({ users }) => users.me({ query: {} }))
  const key = Check.ok("key", `The API key is that of the account ${user.username} (${user.id}).`)
  const found = yield* Effect.result(call(({ diagnosis }) => diagnosis.get({ query: {} })))
  if (Result.isFailure(found)) {
    return [
      key,
      Check.warning(
        "versions",
        `The server can't be asked about itself: ${explain(found.failure)}`,
        `Use the server's own version of this command, ${version}.`
      )
    ]
  }
  const { findings, versions } = found.success.data
  const told = `Server ${versions.server}, Node ${versions.node}, Deno ${versions.deno ?? "unknown"}, Postgres ${
    versions.postgres ?? "unknown"
  }; this command ${version}.`
  return [
    key,
    major(versions.server) === major(version)
      ? Check.ok("versions", told)
      : Check.warning("versions", told, "Use the command that comes with the server."),
    ...findings
  ]
})

const keyed = Effect.gen(function*() {
  const access = yield* findAccess
  return yield* Effect.provide(withKey, ApiAccess.layerOf(access))
}).pipe(
  Effect.catch((error) =>
    Effect.succeed([
      Check.failed(
        "key",
        explain(error).replace(/\.?$/, "."),
        "An operator makes a key with `headwater key create <account>`; `headwater login` saves it."
      )
    ])
  )
)

/** Examines whether the server that the user's commands speak to is there and well, as far as it can be asked. */
export const examine = Effect.gen(function*() {
  const url = yield* findUrl
  const { checks, isThere } = yield* reach(url)
  return { isThere, checks: isThere ? [...checks, ...yield* keyed] : checks }
}).pipe(
  Effect.catch((error) =>
    Effect.succeed({
      isThere: false,
      checks: [Check.failed("server", explain(error), "Mend it, or run `headwater login`.")]
    })
  )
)
