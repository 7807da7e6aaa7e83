import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Stdio } from "effect"
import * as ExitCode from "./ExitCode.ts"
import * as Headwater from "./Headwater.ts"

Stdio.Stdio.pipe(
  Effect.flatMap((stdio) => stdio.args),
  Effect.flatMap(Headwater.run),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({ disableErrorReporting: true, teardown: ExitCode.teardown })
)
