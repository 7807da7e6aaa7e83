import * as Problem from "@headwater/api/Problem"
import type { NoFileRoom } from "@headwater/engine/FileUpload"
import { type DataStoresFull, shortestTrustMs } from "@headwater/engine/StoreRoom"
import { Effect } from "effect"
import { retryLater } from "./IntakeProblem.ts"

/** Answers that an account's data stores have no room for a change. */
export const noStoreRoom = ({ message }: DataStoresFull) =>
  retryLater(Problem.quotaExceeded(message, shortestTrustMs / 1_000))

/** Answers that an account's files have no room for another. */
export const noFileRoom = ({ limitBytes }: NoFileRoom) =>
  Effect.fail(Problem.tooLarge("What the account's files would take with this one", limitBytes))
