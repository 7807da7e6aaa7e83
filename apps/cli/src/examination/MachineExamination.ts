import { version } from "@headwater/domain/Version"
import * as DataDirectory from "@headwater/postgres/DataDirectory"
import { packagedDenoPath } from "@headwater/sandbox/SandboxConfig"
import * as Database from "@headwater/server/Database"
import { explain } from "@headwater/server/ErrorExplanation"
import * as Examination from "@headwater/server/Examination"
import * as RunningSettings from "@headwater/server/RunningSettings"
import { ServerConfig, unknownVariables } from "@headwater/server/ServerConfig"
import { Effect, Option, Result } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import * as Check from "./Check.ts"

const run = promisify(execFile)

const oldestNode = 24

const settings = Effect.gen(function*() {
  const unknown = unknownVariables(Object.keys(process.env))
  return unknown.length === 0 ?
    Check.ok("settings", "The server's settings in this environment are valid.") :
    Check.warning(
      "settings",
      `${unknown.join(", ")} ${unknown.length === 1 ? "is no setting" : "are no settings"} of Headwater.`,
      "See the names in README.md, \"Configuration\"."
    )
})

/** A Postgres by URL answers anybody; the embedded one is the server's. */
const database = Effect.gen(function*() {
  const { databaseUrl, dataDirectory } = yield* ServerConfig
  if (Option.isSome(databaseUrl)) {
    const client = Database.client({ url: databaseUrl.value })
    const { findings } = yield* Effect.provide(Examination.database, client).pipe(
      Effect.catch((error) =>
        Effect.succeed({
          findings: [
            Check.failed("database", `DATABASE_URL: ${explain(error)}`, "Start that Postgres, or mend the URL.")
          ]
        })
      )
    )
    return findings
  }
  const running = yield* RunningSettings.read(dataDirectory)
  if (Option.isSome(running)) {
    const address = /^HEADWATER_URL=(.*)$/m.exec(running.value.settings)?.[1]
    return [
      Check.warning(
        "database",
        `The process ${running.value.pid} runs a server on ${dataDirectory}, at ${address}.`,
        `Set HEADWATER_URL=${address} to examine it.`
      )
    ]
  }
  return [
    (yield* DataDirectory.isThere(dataDirectory))
      ? Check.ok("database", `The embedded database in ${dataDirectory} starts with the server.`)
      : Check.ok("database", `There is no database in ${dataDirectory} yet: the first start makes one.`)
  ]
})

const disk = Effect.gen(function*() {
  const { dataDirectory } = yield* ServerConfig
  const isThere = yield* DataDirectory.isThere(dataDirectory)
  return yield* isThere
    ? Examination.disk(dataDirectory, "the data directory")
    : Examination.disk(process.cwd(), "the current folder")
})

const sandbox = Effect.tryPromise(() => run(packagedDenoPath(), ["--version"], { timeout: 10_000 })).pipe(
  Effect.map(({ stdout }) => Check.ok("sandbox", `${stdout.split("\n")[0]} runs here.`)),
  Effect.catch((error) =>
    Effect.succeed(
      Check.failed(
        "sandbox",
        `Deno, which runs the components, does not start: ${explain(error)}`,
        "Install the packages anew: remove node_modules and run `npm install`, with install scripts allowed for `deno`."
      )
    )
  )
)

const egress = Effect.gen(function*() {
  const { npmRegistry } = yield* ServerConfig
  if (Option.isNone(npmRegistry)) {
    return Check.ok("egress", "No registry is set, so no connection to the internet was tried.")
  }
  const url = new URL(npmRegistry.value)
  const answer = yield* Effect.result(
    Effect.tryPromise((signal) =>
      fetch(url, { method: "HEAD", signal: AbortSignal.any([signal, AbortSignal.timeout(5_000)]) })
    )
  )
  return Result.isSuccess(answer)
    ? Check.ok("egress", `${url.host} answers with ${answer.success.status}.`)
    : Check.warning(
      "egress",
      `${url.host} can't be reached: ${explain(answer.failure.cause)}`,
      "Let this machine connect to the internet, if components, npm packages or webhooks are to be there."
    )
})

const versions = Effect.sync(() => {
  const node = process.versions.node
  const told = `Node ${node}, Deno ${Examination.denoVersion() ?? "unknown"}; this command ${version}.`
  return Number(node.split(".")[0]) >= oldestNode
    ? Check.ok("versions", told)
    : Check.failed("versions", told, `Use Node ${oldestNode} or newer; the one that npm installs here is.`)
})

const here = Effect.gen(function*() {
  const found = yield* Effect.all([settings, database, disk, sandbox, egress, versions], { concurrency: "unbounded" })
  return found.flat()
}).pipe(
  Effect.provide(ServerConfig.layer),
  Effect.catch((error) =>
    Effect.map(
      versions,
      (found) => [
        Check.failed(
          "settings",
          explain(error).replaceAll("\n", "; "),
          "Mend these settings: the server does not start with them."
        ),
        found
      ]
    )
  )
)

/** Examines whether a server could run on this machine with the settings in this environment. */
export const examine: Effect.Effect<ReadonlyArray<Check.Check>> = here
