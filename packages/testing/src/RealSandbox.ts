/** A real sandbox for tests: real Deno processes, under an unprivileged user where the tests run as root. */
import * as EgressAllowList from "@headwater/egress/EgressAllowList"
import { EgressBroker } from "@headwater/egress/EgressBroker"
import { EgressGuard } from "@headwater/egress/EgressGuard"
import { accessibleExecutable, isRoot } from "@headwater/postgres/Unprivileged"
import type { RunRequest } from "@headwater/sandbox/Run"
import { Sandbox } from "@headwater/sandbox/Sandbox"
import { packagedDenoPath, SandboxConfig, type SandboxOptions } from "@headwater/sandbox/SandboxConfig"
import { SandboxPool } from "@headwater/sandbox/SandboxPool"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createHash } from "node:crypto"
import * as Fs from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"

const nobody = { uid: 65534, gid: 65534 }

const temporary = Effect.acquireRelease(
  Effect.promise(async () => {
    const directory = await Fs.mkdtemp(join(tmpdir(), "headwater-sandbox-"))
    await Fs.chmod(directory, 0o755)
    return directory
  }),
  (directory) => Effect.promise(() => Fs.rm(directory, { recursive: true, force: true }))
)

export interface RealSandboxOptions extends Pick<SandboxOptions, "limits" | "pool" | "extraCaFile" | "denoPath"> {
  /** As in `HEADWATER_EGRESS_ALLOW`. */
  readonly allow?: string
}

export const realSandbox = (options: RealSandboxOptions = {}) =>
  Layer.unwrap(Effect.gen(function*() {
    const cacheDir = yield* temporary
    const denoPath = options.denoPath ?? (yield* accessibleExecutable(packagedDenoPath()))
    const allow = yield* Effect.fromResult(EgressAllowList.fromString(options.allow ?? ""))
    return Sandbox.layerNoPool.pipe(
      Layer.provideMerge(SandboxPool.layer),
      Layer.provide(SandboxConfig.layer({ ...options, cacheDir, denoPath, ...(isRoot() ? { identity: nobody } : {}) })),
      Layer.provideMerge(EgressBroker.layer()),
      Layer.provide(EgressGuard.layer(allow))
    )
  }))

export const hashOf = (code: string): string => createHash("sha256").update(code).digest("hex")

/** Runs `run` of the code with an event, as account `u_test` and source `dc_test` unless said otherwise. */
export const runCode = Effect.fnUntraced(function*(
  code: string,
  { event = {}, ...request }: Partial<RunRequest> & { readonly event?: unknown } = {}
) {
  const sandbox = yield* Sandbox
  return yield* sandbox.run({
    accountId: "u_test",
    programId: "dc_test",
    module: { code, hash: hashOf(code) },
    call: { _tag: "Run", eventsJson: [JSON.stringify(event)] },
    props: {},
    interfaces: { http: { _tag: "Http", endpoint: "https://in.example/abc" }, db: { _tag: "Db" } },
    credentials: {},
    db: {},
    ...request
  })
})

/** A component whose `run` has this body. */
export const componentOf = (body: string): string =>
  `export default { props: { http: "$.interface.http", db: "$.service.db" }, async run(event) {\n${body}\n} }`

export const inspectCode = Effect.fnUntraced(function*(code: string, accountId = "u_test") {
  const sandbox = yield* Sandbox
  return yield* sandbox.inspect({ accountId, module: { code, hash: hashOf(code) } })
})
