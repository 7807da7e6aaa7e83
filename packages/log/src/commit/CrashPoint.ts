import { writeSync } from "node:fs"

/**
 * The boundaries at which a server can be made to die, so that what a crash there leaves behind is tested and not hoped
 * for, and what each of them stands for.
 */
export const points = {
  "commit-taken": "a batch is chosen and nothing of it is written",
  "commit-held": "the fences of a batch's owners are held, in its open transaction",
  "commit-written": "all of a batch is written, but for COMMIT",
  "commit-sent": "all of a batch is on its way to the database, COMMIT and all",
  "commit-done": "a batch is committed and nobody knows",
  "fold-written": "what commits have moved is folded, but for COMMIT",
  "ingest-durable": "a request is durable and its sender has no answer",
  "routing": "a batch is committed and no listener is woken",
  "run-chosen": "a program has its next input and has not run it",
  "run-ended": "a run ended and nothing of it is handed over",
  "run-begun": "a workflow has taken its next input for a run and nobody knows",
  "step-chosen": "a workflow's run has its next step and has not run it",
  "step-ended": "a step ended and nothing of it is handed over",
  "step-done": "a step is committed and what comes after it has not begun",
  "emit-due": "a delayed emit is due and not appended",
  "delete-asked": "a deletion of events is durable and its client has no answer",
  "delete-bite": "some of the events of a deletion are gone",
  "delete-over": "all events of a deletion are gone and it is still owed",
  "send-chosen": "a webhook has its next event and has not sent it",
  "send-answered": "an endpoint has answered and its answer is not committed",
  "retry-chosen": "a retry is due and not sent",
  "retry-answered": "an endpoint has answered a retry and its answer is not committed",
  "bulk-chosen": "a bulk action has its next delivery or event and has not sent it",
  "bulk-answered": "an endpoint has answered a bulk action and its answer is not committed",
  "create-inserted": "a new program's rows are there and no hook has run",
  "create-deployed": "the deploy hook of a new program is committed and its activate hook has not run",
  "create-activated": "both hooks of a new program are committed and it is not ready",
  "update-deactivated": "a program that is changed has run its deactivate hook and still is what it was",
  "update-saved": "a program is changed and its activate hook has not run",
  "remove-marked": "a program is marked to go and has not been told",
  "remove-retired": "a program's owner has stopped and all its rows are there",
  "remove-detached": "a program has lost its head and its log is still there",
  "remove-emptied": "all is gone of a program but its own row",
  "unsubscribe-done": "a subscription is gone and its listener has not been told",
  "webhook-retired": "a webhook's owner has stopped and its rows are there",
  "consumer-read": "a reader's events and its lease are there and it has no answer",
  "consumer-commit": "a reader has said how far it has come and nothing of it is handed over",
  "consumer-retired": "a consumer's owner has stopped and its rows are there"
} as const

export type CrashPoint = keyof typeof points

export const names = Object.keys(points) as ReadonlyArray<CrashPoint>

/** Printed on standard error, followed by the point's name, before the process dies or stops there. */
export const announcement = "headwater reached crash point "

const isPoint = (name: string | undefined): name is CrashPoint => name !== undefined && Object.hasOwn(points, name)

/** `<point>[:<nth>]`: the nth time, or the first, that the process comes to the point. */
const parse = (variable: string) => {
  const [name, count = "1"] = (process.env[variable] ?? "").split(":")
  return isPoint(name) ? { name, count: Number(count) } : undefined
}

const armed = ([["HEADWATER_CRASH_AT", "SIGKILL"], ["HEADWATER_STOP_AT", "SIGSTOP"]] as const).flatMap(
  ([variable, signal]) => {
    const asked = parse(variable)
    return asked === undefined ? [] : [{ ...asked, signal }]
  }
)

/** True if the environment asks for any of the points. */
export const isAsked = (points: ReadonlyArray<CrashPoint>): boolean => armed.some(({ name }) => points.includes(name))

/** Told of each point that this process comes to. */
let onReached: (point: CrashPoint) => void = armed.length === 0 ? () => {} : (point) => {
  for (const one of armed) {
    if (one.name !== point || --one.count !== 0) continue
    writeSync(2, `${announcement}${point}\n`)
    process.kill(process.pid, one.signal)
  }
}

/**
 * Notes that the process has come to a point. Does nothing, at the cost of an empty call, unless the environment at the
 * process's start asks otherwise: `HEADWATER_CRASH_AT` for dying there by SIGKILL, `HEADWATER_STOP_AT` for stopping there
 * by SIGSTOP until somebody sends SIGCONT.
 */
export const reached = (point: CrashPoint): void => onReached(point)

/** Tells of each point from now on, in place of who was told before. Answers how to tell that one again. */
export const listen = (listener: (point: CrashPoint) => void): () => void => {
  const before = onReached
  onReached = listener
  return () => {
    onReached = before
  }
}
