import { Effect, Layer } from "effect"
import * as Program from "./Program.ts"
import type { ProgramEnd } from "./ProgramEnd.ts"
import { ServerConfig } from "./ServerConfig.ts"

/** A supervisor loads nothing of what its workers do. */
const load = async (workers: number): Promise<Layer.Layer<never, unknown, ProgramEnd>> => {
  if (workers === 1) return Layer.provide(Layer.empty, (await import("./Server.ts")).layer)
  return Layer.provide(Layer.empty, (await import("./workers/Supervisor.ts")).layer)
}

Program.run(
  Layer.unwrap(Effect.flatMap(ServerConfig, ({ workers }) => Effect.promise(() => load(workers)))).pipe(
    Layer.provide(ServerConfig.layer)
  )
)
