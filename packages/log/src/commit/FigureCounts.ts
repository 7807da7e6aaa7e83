/** The figures that are counted, by the names of the columns that hold them. */
export const countNames = [
  "requests",
  "events",
  "errors",
  "runs",
  "failed_runs",
  "run_ms",
  "attempts",
  "failed_attempts",
  "attempt_ms",
  "exhausted",
  "dropped",
  "filtered",
  "samples",
  "waiting",
  "pending"
] as const
export type CountName = (typeof countNames)[number]

/** Up to how many milliseconds an attempt takes that is counted in a bucket; a last one counts those that take longer. */
export const latencyBounds: ReadonlyArray<number> = [1, 10, 100, 1_000, 10_000].flatMap((least) =>
  least === 1 ? [1, 2, 3, 5, 7] : [1, 1.5, 2, 3, 5, 7].map((share) => share * least)
)

const bucketOf = (ms: number): number => {
  const bucket = latencyBounds.findIndex((bound) => ms <= bound)
  return bucket < 0 ? latencyBounds.length : bucket
}

/** The figures of one subject within a minute that were not written yet. */
export class Counts {
  requests = 0
  events = 0
  errors = 0
  runs = 0
  failed_runs = 0
  run_ms = 0
  attempts = 0
  failed_attempts = 0
  attempt_ms = 0
  exhausted = 0
  dropped = 0
  filtered = 0
  /** The measurements of the account's backlog, and the sums of what was waiting and of what was pending at them. */
  samples = 0
  waiting = 0
  pending = 0
  /** The numbers of attempts by their duration, in buckets; none if there was no attempt. */
  latencies: Array<number> | undefined

  noteRun(isFailed: boolean, ms: number): void {
    this.runs += 1
    if (isFailed) this.failed_runs += 1
    this.run_ms += ms
  }

  noteAttempt(isFailed: boolean, ms: number): void {
    this.attempts += 1
    if (isFailed) this.failed_attempts += 1
    this.attempt_ms += ms
    this.latencies ??= latencyBounds.map(() => 0).concat(0)
    this.latencies[bucketOf(ms)]! += 1
  }

  add(other: Counts): void {
    for (const name of countNames) this[name] += other[name]
    if (other.latencies === undefined) return
    const { latencies } = this
    this.latencies = latencies === undefined
      ? other.latencies
      : latencies.map((count, bucket) => count + other.latencies![bucket]!)
  }
}

/** The subject that stands for the account as a whole. */
export const wholeAccount = ""

/** The counts of one subject and minute. */
export interface Figure {
  readonly accountId: string
  /** An emitter or listener, or the account as a whole (`wholeAccount`). */
  readonly subjectId: string
  /** The beginning of the minute, Unix milliseconds. */
  readonly at: number
  readonly counts: Counts
}

export const minuteMs = 60_000

/** Subjects whose counts are held, over all minutes; what there is of more is counted for their accounts alone. */
const mostSubjects = 20_000

/** Accounts whose counts are held, over all minutes. Figures of more than these are lost. */
const mostAccounts = 20_000

interface OfAccount {
  readonly whole: Counts
  readonly subjects: Map<string, Counts>
}

/** Counts by minute, account and subject, and nothing else: it is asked several times for each commit. */
export class FigureCounts {
  private readonly minutes = new Map<number, Map<string, OfAccount>>()
  private accounts = 0
  private subjects = 0
  private latestAt = Number.NaN
  private latest = new Map<string, OfAccount>()

  /**
   * Counts something of a subject of an account.
   *
   * @param now Unix milliseconds
   * @param note adds it to the counts that it is given: those of the subject, and those of the account
   */
  note(now: number, accountId: string, subjectId: string, note: (counts: Counts) => void): void {
    const ofAccount = this.ofAccount(now - now % minuteMs, accountId)
    if (ofAccount === undefined) return
    note(ofAccount.whole)
    const ofSubject = this.ofSubject(ofAccount, subjectId)
    if (ofSubject !== undefined) note(ofSubject)
  }

  /** Counts something of an account as a whole. */
  noteWhole(now: number, accountId: string, note: (counts: Counts) => void): void {
    const ofAccount = this.ofAccount(now - now % minuteMs, accountId)
    if (ofAccount !== undefined) note(ofAccount.whole)
  }

  /** All that was counted, in the order in which it is written. It is counted anew from here on. */
  take(): ReadonlyArray<Figure> {
    const figures: Array<Figure> = []
    for (const [at, accounts] of this.minutes) {
      for (const [accountId, { subjects, whole }] of accounts) {
        figures.push({ accountId, subjectId: wholeAccount, at, counts: whole })
        for (const [subjectId, counts] of subjects) figures.push({ accountId, subjectId, at, counts })
      }
    }
    this.minutes.clear()
    this.latestAt = Number.NaN
    this.accounts = 0
    this.subjects = 0
    return figures.sort(byKey)
  }

  /** Counts again what could not be written. */
  putBack(figures: ReadonlyArray<Figure>): void {
    for (const { accountId, at, counts, subjectId } of figures) {
      const ofAccount = this.ofAccount(at, accountId)
      if (ofAccount === undefined) continue
      if (subjectId === wholeAccount) ofAccount.whole.add(counts)
      else this.ofSubject(ofAccount, subjectId)?.add(counts)
    }
  }

  private ofAccount(at: number, accountId: string): OfAccount | undefined {
    if (at !== this.latestAt) {
      this.latest = this.minutes.get(at) ?? new Map<string, OfAccount>()
      this.minutes.set(at, this.latest)
      this.latestAt = at
    }
    const known = this.latest.get(accountId)
    if (known !== undefined || this.accounts >= mostAccounts) return known
    this.accounts += 1
    const made: OfAccount = { whole: new Counts(), subjects: new Map() }
    this.latest.set(accountId, made)
    return made
  }

  private ofSubject({ subjects }: OfAccount, subjectId: string): Counts | undefined {
    const known = subjects.get(subjectId)
    if (known !== undefined || this.subjects >= mostSubjects) return known
    this.subjects += 1
    const made = new Counts()
    subjects.set(subjectId, made)
    return made
  }
}

const compare = (one: string, other: string): number => one < other ? -1 : one > other ? 1 : 0

const byKey = (one: Figure, other: Figure): number =>
  compare(one.accountId, other.accountId) || compare(one.subjectId, other.subjectId) || one.at - other.at
