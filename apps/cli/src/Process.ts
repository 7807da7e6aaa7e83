import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import * as ExitCode from "./ExitCode.ts"
import * as Headwater from "./Headwater.ts"

/** Runs the command as this process, which ends with it. */
export const become = (args: ReadonlyArray<string>): void =>
  Headwater.run(args).pipe(
    Effect.provide(NodeServices.layer),
    NodeRuntime.runMain({ disableErrorReporting: true, teardown: ExitCode.teardown })
  )
