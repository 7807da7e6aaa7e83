/** The keys in the URLs by which somebody has a run that waits go on, or ends it (`docs/workflows.md`, "Suspend"). */
import { createHmac, timingSafeEqual } from "node:crypto"
import type { RunId } from "./Id.ts"

/** The wish that a key stands for. */
export type RunAction = "resume" | "cancel"

/** The place of a run that a key is for. */
export interface RunPlace {
  readonly run: string
  /** The path of the run that waits, where it is on several at once. */
  readonly path?: string | undefined
  /** The number, among the steps of the run or path that were run, of the one that it waits after. */
  readonly n: number
}

export interface RunKey extends RunPlace {
  readonly run: RunId
  readonly action: RunAction
  /** Proves that the key was made with the workflow's secret. */
  readonly proof: string
}

const form = /^(run_[0-9A-Za-z]{1,64})(?:\.(\d{1,9}-\d{1,9}))?\.(\d{1,9})\.(resume|cancel)\.([\w-]{43})$/

const placeOf = ({ n, path, run }: RunPlace, separator: string): string =>
  [run, ...(path === undefined ? [] : [path]), n].join(separator)

const proofOf = (secret: string, place: RunPlace, action: RunAction): string =>
  createHmac("sha256", secret).update(`${action} ${placeOf(place, " ")}`).digest("base64url")

/**
 * The same key each time it is made: a step that is run again after a crash gives those that it gave before.
 *
 * @param secret the secret of the run's workflow
 */
export const make = (secret: string, place: RunPlace, action: RunAction): string =>
  `${placeOf(place, ".")}.${action}.${proofOf(secret, place, action)}`

/** Reads a text of this form, whatever secret it was made with. */
export const parse = (text: string): RunKey | undefined => {
  const [, run, path, n, action, proof] = form.exec(text) ?? []
  return run === undefined || proof === undefined
    ? undefined
    : { run: run as RunId, path, n: Number(n), action: action as RunAction, proof }
}

/** True if a key was made with the secret. */
export const isOf = (secret: string, key: RunKey): boolean =>
  timingSafeEqual(Buffer.from(proofOf(secret, key, key.action)), Buffer.from(key.proof))
