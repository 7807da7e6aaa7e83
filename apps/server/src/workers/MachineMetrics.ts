/** One metric in Prometheus's text format: what is said of it, and its samples by name and labels. */
interface Family {
  readonly comments: Array<string>
  type: string
  readonly samples: Map<string, number>
}

type Scrape = Map<string, Family>

const familyOf = (scrape: Scrape, name: string): Family => {
  const known = scrape.get(name)
  if (known !== undefined) return known
  const family: Family = { comments: [], type: "untyped", samples: new Map() }
  scrape.set(name, family)
  return family
}

/** Reads the text format, in which the samples of a metric follow what is said of it. */
const parse = (text: string): Scrape => {
  const scrape: Scrape = new Map()
  let family: Family | undefined
  for (const line of text.split("\n")) {
    const [, kind, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? []
    if (name !== undefined) {
      family = familyOf(scrape, name)
      family.comments.push(line)
      if (kind === "TYPE") family.type = rest ?? ""
      continue
    }
    const [, series, value] = /^([a-zA-Z_:].*) (\S+)$/.exec(line) ?? []
    if (series !== undefined && value !== undefined) family?.samples.set(series, numberOf(value))
  }
  return scrape
}

const numberOf = (text: string): number => text === "+Inf" ? Infinity : text === "-Inf" ? -Infinity : Number(text)

const textOf = (value: number): string => value === Infinity ? "+Inf" : value === -Infinity ? "-Inf" : String(value)

const ownPrefix = "headwater_"

/** A count of what happened goes on after its worker has ended. */
const isCumulative = ({ type }: Family): boolean => type === "counter" || type === "histogram"

/**
 * True if the values of the workers add up to that of the machine. Each of Headwater's own gauges counts a part of
 * something, or is measured by one worker for all.
 */
const addsUp = (name: string, family: Family): boolean => isCumulative(family) || name.startsWith(ownPrefix)

const labelled = (series: string, worker: number): string =>
  series.endsWith("}") ? `${series.slice(0, -1)},worker="${worker}"}` : `${series}{worker="${worker}"}`

/** The metrics of a machine's workers, as one server's: counts add up and never fall when a worker is started again. */
export class MachineMetrics {
  /** The last metrics of each worker. */
  private readonly last = new Map<number, Scrape>()
  /** The counts of workers that have ended. */
  private readonly ended: Scrape = new Map()

  note(worker: number, text: string): void {
    this.last.set(worker, parse(text))
  }

  /** The worker has ended. Its next life counts from zero. */
  noteEnd(worker: number): void {
    for (const [name, family] of this.last.get(worker) ?? []) {
      if (isCumulative(family)) add(familyLike(this.ended, name, family), family)
    }
    this.last.delete(worker)
  }

  format(): string {
    const sum: Scrape = new Map()
    for (const [name, family] of this.ended) add(familyLike(sum, name, family), family)
    for (const [worker, scrape] of this.last) {
      for (const [name, family] of scrape) {
        add(familyLike(sum, name, family), family, addsUp(name, family) ? undefined : worker)
      }
    }
    const lines: Array<string> = []
    for (const { comments, samples } of sum.values()) {
      lines.push(...comments)
      for (const [series, value] of samples) lines.push(`${series} ${textOf(value)}`)
    }
    return `${lines.join("\n")}\n`
  }
}

const familyLike = (scrape: Scrape, name: string, { comments, type }: Family): Family => {
  const family = familyOf(scrape, name)
  if (family.comments.length === 0) family.comments.push(...comments)
  family.type = type
  return family
}

const add = (to: Family, { samples }: Family, worker?: number): void => {
  for (const [series, value] of samples) {
    const key = worker === undefined ? series : labelled(series, worker)
    to.samples.set(key, (to.samples.get(key) ?? 0) + value)
  }
}
