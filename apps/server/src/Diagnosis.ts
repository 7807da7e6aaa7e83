import type { Finding } from "@headwater/api/DiagnosisApi"
import { version } from "@headwater/domain/Version"
import { EgressHttp } from "@headwater/egress/EgressHttp"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { explain } from "./ErrorExplanation.ts"
import * as Examination from "./Examination.ts"

/** Nobody's account: what the examination itself asks for. */
const self = "diagnosis"

const code = "export default { run() {} }"
const module = { code, hash: createHash("sha256").update(code).digest("hex") }

/** Findings are answered again for this long, so that nobody makes the server examine itself all the time. */
const freshFor = "10 seconds"

export interface DiagnosisOptions {
  /** The server's own folder: where its embedded database is, if it has one, and the packages that components import. */
  readonly dataDirectory: string
  /** The registry of npm packages, asked to see whether the internet can be reached. Without one nothing is asked. */
  readonly registry?: string
}

export interface Found {
  /** Unix milliseconds by the machine's clock. */
  readonly nowMs: number
  readonly postgres: string | null
  readonly deno: string | null
  readonly findings: ReadonlyArray<Finding>
}

/** Says whether this process and everything that it depends on are well, and what to do if not. */
export class Diagnosis extends Context.Service<Diagnosis, {
  /** Takes a few seconds at most. Does not fail: what fails is found. */
  readonly examine: Effect.Effect<Found>
  readonly version: string
}>()("@headwater/server/Diagnosis") {
  static readonly layer = (
    options: DiagnosisOptions
  ): Layer.Layer<Diagnosis, never, EgressHttp | Sandbox | SqlClient.SqlClient> => Layer.effect(Diagnosis, make(options))
}

const make = Effect.fnUntraced(function*({ dataDirectory, registry }: DiagnosisOptions) {
  const http = yield* EgressHttp
  const sandbox = yield* Sandbox
  const sql = yield* SqlClient.SqlClient

  const runs = Effect.gen(function*() {
    const beganMs = Date.now()
    yield* sandbox.inspect({ accountId: self, module })
    return Examination.ok("sandbox", `A component was loaded within ${Date.now() - beganMs + 1} ms.`)
  }).pipe(
    Effect.timeout(Examination.patience),
    Effect.catch((error) =>
      Effect.succeed<Finding>({
        name: "sandbox",
        state: "failed",
        message: `Components can't be run: ${explain(error)}`,
        todo: "See the server's log. The machine needs free memory, and the server's user has to be able to run Deno."
      })
    )
  )

  const reachesWorld = (url: string) => {
    const { host } = new URL(url)
    return http.request({
      asker: { accountId: self, use: "component" },
      method: "GET",
      url,
      headers: { "user-agent": `Headwater/${version}` },
      timeoutMillis: 5_000,
      maxBodyBytes: 1
    }).pipe(
      Effect.map(({ status }) => Examination.ok("egress", `${host} answers with ${status}.`)),
      Effect.catch(({ message, reason }) => {
        if (reason === "refused") {
          return Effect.succeed(
            Examination.ok("egress", `Components and webhooks may not reach ${host}, as HEADWATER_EGRESS_ALLOW has it.`)
          )
        }
        return Effect.succeed<Finding>({
          name: "egress",
          state: "warning",
          message: `${host} can't be reached: ${message}`,
          todo: reason === "dns"
            ? "See that the server's name servers answer, or name others in HEADWATER_NAME_SERVERS."
            : reason === "certificate"
            ? "Name the authority that signed the certificate in HEADWATER_EXTRA_CA."
            : "Let the server connect to the internet, if components, npm packages or webhooks are to be there."
        })
      })
    )
  }
  const reaches = registry === undefined
    ? Effect.succeed(Examination.ok("egress", "No registry is set, so no connection to the internet was tried."))
    : reachesWorld(registry)

  const examine = Effect.gen(function*() {
    const [database, disk, sandboxed, egress] = yield* Effect.all([
      Effect.provideService(Examination.database, SqlClient.SqlClient, sql),
      Examination.disk(dataDirectory, "the data directory"),
      runs,
      reaches
    ], { concurrency: "unbounded" })
    return {
      nowMs: Date.now(),
      postgres: database.version,
      deno: Examination.denoVersion(),
      findings: [...database.findings, disk, sandboxed, egress]
    }
  })
  return Diagnosis.of({ examine: yield* Effect.cachedWithTTL(examine, freshFor), version })
})
