import type { EventRow, Snapshot } from "../Snapshot.ts"
import type { Findings } from "./Findings.ts"
import type { Requests } from "./Requests.ts"

/** Follows what the runs of one program wrote, run by run. */
export interface RunCheck {
  /** An event of the program's log, in log order within its stream. */
  readonly event: (event: EventRow) => void
  /** An event of a log it listens to. */
  readonly heard: (event: EventRow) => void
  /** Every event of the moment was given: what else the runs wrote must say the same. */
  readonly agree: (snapshot: Snapshot) => void
}

/** What a request asks of the source it is sent to. */
export interface Asked {
  readonly key: string
  /** Throws between its two events. */
  readonly fail?: boolean
  /** Emits one more event, after so many milliseconds. */
  readonly later?: number
  /** What it emits once, however often it comes. */
  readonly id?: string
}

const sum = (values: ReadonlyArray<bigint>): number => Number(values.reduce((total, value) => total + value, 0n))

/** A complaint that names the program. */
const complaint = (findings: Findings, name: string, programId: string) =>
(
  what: string,
  details: Readonly<Record<string, unknown>> = {}
) => findings.note("torn", `${name}: ${what}`, { program: programId, ...details })

/** A workflow takes what it hears as its run begins, one at a time, and the run writes at the end of its step. */
const mayHaveBegun = (programId: string): number => programId.startsWith("p_") ? 1 : 0

/** That rows that change with a run alone have all changed as often as there were runs. */
const agreeOn = (
  torn: ReturnType<typeof complaint>,
  { cursors, invocations, state }: Snapshot,
  programId: string,
  runs: number
) => {
  const counted = state.get(programId)?.["count"] ?? 0
  const used = invocations.get(programId) ?? 0
  const passed = sum(cursors.filter((cursor) => cursor.listener_id === programId).map(({ delivered }) => delivered))
  if (counted !== runs) torn("the store does not say what the log says", { runs, counted })
  if (used < runs || used > runs + mayHaveBegun(programId)) {
    torn("the usage does not say what the log says", { runs, used })
  }
  return passed
}

/** A source that counts its requests (`intake`, `unique`, `answering` of Components.ts). */
export const ofRequests = (findings: Findings, requests: Requests, options: {
  readonly name: string
  readonly programId: string
  /** How many events of the default stream each run emits that does not throw. */
  readonly parts: 1 | 2
}): RunCheck => {
  const { name, parts, programId } = options
  const torn = complaint(findings, name, programId)
  const waiting: Array<Asked> = []
  const logs: Array<string> = []
  const errors: Array<string> = []
  const later = new Set<string>()
  const seenIds = new Set<string>()
  const freshIds: Array<string> = []
  let open: { readonly key: string; readonly count: number } | undefined
  let runs = 0

  const begin = (key: string, count: number) => {
    const asked = waiting.shift()
    if (asked?.key !== key) {
      findings.note("reordered", `${name}: a run is not that of the next request`, { next: asked, key })
      return
    }
    runs += 1
    if (open !== undefined) torn("a run ended in the middle", open)
    if (count !== runs) torn("a run counted from a store that is not that of the run before", { key, count, runs })
    open = parts === 2 && asked.fail !== true ? { key, count } : undefined
    if (parts === 2) logs.push(key)
    if (asked.fail === true) errors.push(key)
    if (asked.later !== undefined) later.add(key)
    if (asked.id !== undefined && !seenIds.has(asked.id)) {
      seenIds.add(asked.id)
      freshIds.push(asked.id)
    }
  }

  const expectNext = (queue: Array<string>, got: unknown, what: string) => {
    const expected = queue.shift()
    if (got !== expected) torn(`${what} is not that of the next run`, { expected, got })
  }

  return {
    event: ({ payload, stream }) => {
      const said = JSON.parse(payload)
      switch (stream) {
        case "$requests":
          waiting.push(said.body)
          return requests.logged(programId, said.body.key)
        case "":
          if (said.part === 0) return begin(said.key, said.count)
          if (open?.key !== said.key || open?.count !== said.count) torn("half of a run is there", { open, said })
          open = undefined
          return
        case "$logs":
          return expectNext(logs, said.message, "a console line")
        case "$errors":
          return expectNext(errors, said.original_event?.body?.key, "an error")
        case "ids":
          return expectNext(freshIds, said.id, "an event that is emitted once")
        case "later":
          if (!later.delete(said.key)) torn("a delayed event came twice, or of no run", { said })
          return
        default:
          return torn("an event is in a stream that nothing emits to", { stream })
      }
    },
    heard: () => {},
    agree: (snapshot) => {
      if (open !== undefined) torn("half of a run is there", open)
      for (const [what, queue] of Object.entries({ logs, errors, freshIds })) {
        if (queue.length > 0) torn(`what a run emitted is missing in ${what}`, { missing: queue.splice(0) })
      }
      const passed = agreeOn(torn, snapshot, programId, runs)
      if (passed !== runs) torn("the cursor does not say what the log says", { runs, passed })
      const owed = snapshot.due.find((due) => due.owner_id === programId && due.kind === "emit")?.items ?? 0n
      if (Number(owed) !== later.size) torn("delayed events are missing", { owed, expected: later.size })
    }
  }
}

/** A source or workflow that listens to another's default stream and emits what it heard (`ledger`). */
export const ofEvents = (findings: Findings, options: {
  readonly name: string
  readonly programId: string
}): RunCheck => {
  const { name, programId } = options
  const torn = complaint(findings, name, programId)
  const heard: Array<string> = []
  let runs = 0
  let total = 0
  return {
    event: ({ payload, stream }) => {
      const said = JSON.parse(payload)
      if (stream !== "") return torn("an event is in a stream that nothing emits to", { stream, said })
      const next = heard.shift()
      if (next !== JSON.stringify(said.of)) {
        findings.note("reordered", `${name}: a run is not that of the next event`, { next, said })
        return
      }
      runs += 1
      total += said.of.count ?? 1
      if (said.count !== runs || said.sum !== total) {
        torn("an event changed the store twice or not at all", { said, runs, total })
      }
    },
    heard: ({ payload }) => {
      heard.push(payload)
    },
    agree: (snapshot) => {
      const passed = agreeOn(torn, snapshot, programId, runs)
      if (passed < runs || passed > runs + mayHaveBegun(programId)) {
        torn("the cursor does not say what the log says", { runs, passed })
      }
    }
  }
}

/** A source or workflow that listens to another's default stream in lists and emits them (`lister`). */
export const ofLists = (findings: Findings, options: {
  readonly name: string
  readonly programId: string
  readonly most: number
}): RunCheck => {
  const { most, name, programId } = options
  const torn = complaint(findings, name, programId)
  const heard: Array<string> = []
  let runs = 0
  let events = 0
  let total = 0
  return {
    event: ({ payload, stream }) => {
      const said = JSON.parse(payload)
      if (stream !== "") return torn("an event is in a stream that nothing emits to", { stream, said })
      const list: ReadonlyArray<{ readonly count: number }> = said.of
      const next = heard.splice(0, list.length)
      if (next.join() !== list.map((event) => JSON.stringify(event)).join()) {
        findings.note("reordered", `${name}: a run is not that of the next events`, { next, said })
        return
      }
      if (list.length < 1 || list.length > most) torn("a list is not as long as it may be", { said })
      runs += 1
      events += list.length
      for (const { count } of list) total += count
      if (said.count !== runs || said.sum !== total) {
        torn("a list changed the store twice or not at all", { said, runs, total })
      }
    },
    heard: ({ payload }) => {
      heard.push(payload)
    },
    agree: (snapshot) => {
      const passed = agreeOn(torn, snapshot, programId, runs)
      if (passed < events || passed > events + most * mayHaveBegun(programId)) {
        torn("the cursor does not say what the log says", { events, passed })
      }
    }
  }
}

/** What the first step of a run said, or its last one. */
export interface StepSaid {
  readonly of: unknown
  readonly count: number
  readonly [said: string]: unknown
}

/** A workflow of steps, between which some of its runs wait (`stepped`, `filed`). */
export const ofSteps = (findings: Findings, options: {
  readonly name: string
  readonly programId: string
  readonly onBegun?: (said: StepSaid) => void
  /** The steps that a run takes at the same time, before the last. */
  readonly sides?: ReadonlyArray<string>
  readonly onTold: (said: StepSaid) => void
}): RunCheck => {
  const { name, onBegun, onTold, programId, sides = [] } = options
  const torn = complaint(findings, name, programId)
  const heard: Array<string> = []
  /** Of the steps of a run that are taken at the same time, those that have told. */
  const taken = new Map<number, Set<string>>()
  /** What the first step of a run counted and its last has not told. */
  const begun = new Map<number, string>()
  const told: Array<StepSaid> = []
  let runs = 0
  return {
    event: ({ payload, stream }) => {
      const said = JSON.parse(payload)
      if (stream === "") return void told.push(said)
      if (stream === "$errors" && said.error?.message === "as asked") return
      if (stream === "sides") {
        const others = taken.get(said.count) ?? new Set()
        if (others.has(said.side) || !sides.includes(said.side)) torn("a step of a branch ran twice", { said })
        taken.set(said.count, others.add(said.side))
        return
      }
      if (stream !== "begun") return torn("an event is in a stream that nothing emits to", { stream, said })
      const next = heard.shift()
      if (next !== JSON.stringify(said.of)) {
        findings.note("reordered", `${name}: a run is not that of the next event`, { next, said })
        return
      }
      runs += 1
      if (said.count !== runs) torn("a step counted from a store that is not that of the run before", { said, runs })
      begun.set(said.count, next)
      onBegun?.(said)
    },
    heard: ({ payload }) => {
      heard.push(payload)
    },
    agree: (snapshot) => {
      for (const said of told.splice(0)) {
        if (begun.get(said.count) !== JSON.stringify(said.of)) {
          torn("a step ran twice, or before the one before it", { said })
        }
        if ((taken.get(said.count)?.size ?? 0) !== sides.length) torn("a block was left before its branches", { said })
        taken.delete(said.count)
        begun.delete(said.count)
        onTold(said)
      }
      const passed = agreeOn(torn, snapshot, programId, runs)
      if (passed < runs || passed > runs + 1) torn("the cursor does not say what the log says", { runs, passed })
      const between = sum(
        snapshot.unended.filter((run) => run.workflow_id === programId && run.step > 0).map((run) => run.runs)
      )
      if (between !== begun.size) torn("the runs do not say what the log says", { between, begun: begun.size })
    }
  }
}

/** A source that ticks every second (`ticking`). */
export const ofTicks = (findings: Findings, options: {
  readonly name: string
  readonly programId: string
}): RunCheck => {
  const { name, programId } = options
  const torn = complaint(findings, name, programId)
  let runs = 0
  let last = 0
  return {
    event: ({ payload, stream }) => {
      const said = JSON.parse(payload)
      if (stream !== "") return torn("an event is in a stream that nothing emits to", { stream, said })
      runs += 1
      if (said.count !== runs) torn("a tick counted from a store that is not that of the tick before", { said, runs })
      if (said.timestamp <= last) torn("a tick was taken twice", { said, last })
      last = said.timestamp
    },
    heard: () => {},
    agree: (snapshot) => {
      agreeOn(torn, snapshot, programId, runs)
      const owed = snapshot.due.find((due) => due.owner_id === programId && due.kind === "timer")?.items ?? 0n
      if (owed !== 1n) torn("there is not one tick to come", { owed })
    }
  }
}
