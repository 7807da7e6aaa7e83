/** The thread that reads and writes large JSON (`JsonThread`). */
import { constants, setPriority } from "node:os"
import { parentPort } from "node:worker_threads"
import * as JsonTask from "./JsonTask.ts"

// On Linux of this thread alone: where processors are short, the thread that everybody waits for goes first.
if (process.platform === "linux") setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on("message", (task: JsonTask.JsonTask) => {
  const json = JsonTask.perform(task)
  parentPort?.postMessage(json, [json.buffer])
})
