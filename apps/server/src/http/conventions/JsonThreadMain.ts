/** The thread that reads and writes large JSON (`JsonThread`). */
import { constants, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import * as JsonTask from "./JsonTask.ts"
import type { Done } from "./JsonThread.ts"

// On Linux of this thread alone: where processors are short, the thread that everybody waits for goes first.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on("message", (task: JsonTask.JsonTask) => {
  const startedAt = performance.now()
  const outcome = JsonTask.perform(task)
  const done: Done = { outcome, ms: performance.now() - startedAt }
  parentPort?.postMessage(done, "refused" in outcome ? [] : [outcome.json.buffer])
})
