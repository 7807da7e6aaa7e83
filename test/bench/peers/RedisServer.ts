import * as FreePort from "@headwater/fixtures/FreePort"
import * as TemporaryDirectory from "@headwater/fixtures/TemporaryDirectory"
import { Effect, Schedule, type Scope } from "effect"
import { spawn } from "node:child_process"
import * as Fs from "node:fs"
import { connect } from "node:net"
import * as Path from "node:path"
import { BenchFailed } from "../BenchFailed.ts"

export interface RedisServer {
  readonly port: number
  readonly pid: number
}

const program = "redis-server"

const isOnPath = Effect.sync(() =>
  (process.env["PATH"] ?? "").split(Path.delimiter).some((folder) => Fs.existsSync(Path.join(folder, program)))
)

const answers = (port: number) =>
  Effect.callback<void, BenchFailed>((resume) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.on("error", () => resume(Effect.fail(new BenchFailed({ message: `${program} does not answer` }))))
  })

/** A Redis that loses nothing it has acknowledged; none where there is no `redis-server` on the path. */
export const start: Effect.Effect<RedisServer | undefined, BenchFailed, Scope.Scope> = Effect.gen(function*() {
  if (!(yield* isOnPath)) return undefined
  const directory = yield* TemporaryDirectory.make("redis")
  const port = yield* FreePort.find
  const options = { port, bind: "127.0.0.1", dir: directory, appendonly: "yes", appendfsync: "always", save: "" }
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(program, Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]), {
        stdio: "ignore"
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
  yield* Effect.retry(answers(port), { schedule: Schedule.spaced("50 millis"), times: 200 })
  return { port, pid: child.pid ?? 0 }
})
