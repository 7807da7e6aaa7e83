import { Context } from "effect"

/** The bounds of what the engine takes on, holds and does at once. Characters are those of JSON text. */
export interface Limits {
  /** Requests that a program has acknowledged and not run. With more, it answers 429. */
  readonly backlog: { readonly count: number; readonly bytes: number }
  /** Commits of one actor under way. A larger one goes alone. */
  readonly commits: { readonly count: number; readonly bytes: number }
  /** Inputs of a program that are run together, and what is left behind by runs that share a commit. */
  readonly runsTogether: { readonly count: number; readonly characters: number; readonly charactersLeft: number }
  /**
   * The results of all steps of one run together, in characters: each step after them is handed all of it, and the
   * workflow's owner holds it for as long as the run is under way.
   */
  readonly resultsOfRun: number
  /** Characters of events and results that a workflow's runs hold when another run is begun. */
  readonly runsOfWorkflow: number
  /** Bytes of files that an account's runs leave to their next steps, all together; and those of a trial. */
  readonly filesOfRuns: { readonly account: number; readonly trial: number }
  /** Bytes of the files that an account keeps. */
  readonly filesOfAccount: number
  /** The room in all data stores of an account together; bytes are those of keys and values. */
  readonly dataStoresOfAccount: { readonly bytes: number; readonly entries: number }
  /** The most times that a step may ask to be run again: each is recorded with its run. */
  readonly rerunsOfStep: number
  /** The most workflows that a step may have run. */
  readonly triggersOfStep: number

  /** Characters of events in front of cursors, over all feeds of a machine. */
  readonly feedRoom: number
  /** Events that one feed holds. */
  readonly feed: { readonly count: number; readonly characters: number }
  /** Events that a feed reads at a time. */
  readonly feedPage: { readonly count: number; readonly bytes: number }
  /** Feeds or lanes of an actor that are ready when it looks for more of what it is owed. */
  readonly ready: number
  /** Feeds or lanes of an actor that have nothing to do and are kept for what comes next. */
  readonly idle: number
  /** Subscriptions that an actor remembers to be gone: a hint at one of them may still be on its way. */
  readonly forgotten: number
  /** Characters of payloads whose JSON is kept on a machine, in case another subscription filters the same event. */
  readonly filterDocuments: number
  /** Units of work (`Work`) that it may take to judge an event by a filter: about a third of a second's worth. */
  readonly filterWork: number
  /** Filters that a listener has compiled at once. */
  readonly filters: number
  /** Accounts whose subscriptions a node has in memory; of each, emitters and their streams whose listeners it remembers. */
  readonly routes: { readonly accounts: number; readonly emitters: number; readonly streams: number }
  /** Emitters that one scan looks at for listeners that missed a hint. */
  readonly scanned: number

  /** Emitters that a consumer knows to have something. Events of others are looked for later. */
  readonly consumerReady: number
  /** Emitters that a page of a consumer has events of. */
  readonly consumerEmitters: number
  /** The most that a consumer reads at once if its filter may keep most of it out. */
  readonly filteredRead: { readonly count: number; readonly bytes: number }
  /** Reads that find nothing for who reads from a consumer, before others have their turn with it. */
  readonly consumerLooks: number
  /** Events behind a consumer's cursor that a commit looks through which names one that is not known to have been read. */
  readonly consumerWalk: number

  /** Retries of a webhook under way. They have slots of their own, so that what fails does not hold up what is new. */
  readonly retries: number
  /**
   * Outcomes of attempts that overlap, each of which waits for one before it in the log's order: more would come again after
   * a crash.
   */
  readonly outcomes: number
}

const MiB = 1024 * 1024

/** The limits of a server. */
export const defaults: Limits = {
  backlog: { count: 100_000, bytes: 256 * MiB },
  commits: { count: 64, bytes: 16 * MiB },
  runsTogether: { count: 64, characters: 256 * 1024, charactersLeft: 64 * 1024 },
  resultsOfRun: 6 * MiB,
  runsOfWorkflow: 32 * MiB,
  filesOfRuns: { account: 1024 * MiB, trial: 16 * MiB },
  filesOfAccount: 1024 * MiB,
  dataStoresOfAccount: { bytes: 1024 * MiB, entries: 1_000_000 },
  rerunsOfStep: 1_000,
  triggersOfStep: 1_000,
  feedRoom: 64 * MiB,
  feed: { count: 1_000, characters: 4 * MiB },
  feedPage: { count: 100, bytes: 4 * MiB },
  ready: 1_000,
  idle: 2_000,
  forgotten: 1_000,
  filterDocuments: 2 * MiB,
  filterWork: 10_000_000,
  filters: 100,
  routes: { accounts: 10_000, emitters: 2_000, streams: 100 },
  scanned: 10_000,
  consumerReady: 10_000,
  consumerEmitters: 100,
  filteredRead: { count: 500, bytes: MiB },
  consumerLooks: 10,
  consumerWalk: 10_000,
  retries: 4,
  outcomes: 16
}

/** The limits in force. A test that is about one of them makes it small. */
export const EngineLimits: Context.Reference<Limits> = Context.Reference("@headwater/engine/ground/EngineLimits", {
  defaultValue: () => defaults
})
