import { type DueItem, type DuePlace, isFull } from "@headwater/log/work/DueWork"
import { Effect, Fiber } from "effect"

/** The most retries that are read at a time, and held; one takes a few hundred bytes. */
export const pageSize = 200

/** The retries of one webhook that are due, soonest first: a page of them in memory, the others in the database. */
export class DueRetries {
  /** Keys of those under way, until their outcomes are committed. */
  readonly underWay = new Set<string>()
  /** The fibers that attempt deliveries, by delivery. */
  private readonly fibers = new Map<string, Fiber.Fiber<unknown, unknown>>()
  private page: Array<DueItem> = []
  /** The place behind which the next page begins; undefined for the first. */
  private place: DuePlace | undefined
  private isAtEnd = true
  /** Something may be due before `place`. */
  private isHinted = false

  /** There may be retries that are due and not known here. */
  hint(): void {
    this.isHinted = true
  }

  get hasKnown(): boolean {
    return this.page.length > 0
  }

  get mayHaveMore(): boolean {
    return this.page.length > 0 || !this.isAtEnd || this.isHinted
  }

  /** Begins the next page. Answers the place to read it from, and how to take it in once it is read. */
  startPage(): { readonly after: DuePlace | undefined; readonly take: (found: ReadonlyArray<DueItem>) => void } {
    if (this.isAtEnd) {
      this.place = undefined
      this.isHinted = false
    }
    // Retries that are committed while the database answers are not due any more, whatever the answer says.
    const underWay = new Set(this.underWay)
    return {
      after: this.place,
      take: (found) => {
        this.isAtEnd = !isFull(found, pageSize)
        this.place = found.at(-1) ?? this.place
        this.page = found.filter(({ key, kind }) => kind === "retry" && !underWay.has(key) && !this.underWay.has(key))
      }
    }
  }

  /** The next one, which is under way from now on; undefined if all that are known are so already. */
  begin(): DueItem | undefined {
    const { page, underWay } = this
    let item = page.shift()
    while (item !== undefined && underWay.has(item.key)) item = page.shift()
    if (item !== undefined) underWay.add(item.key)
    return item
  }

  /** A fiber attempts a delivery until it ends. */
  track(key: string, fiber: Fiber.Fiber<unknown, unknown>): void {
    this.fibers.set(key, fiber)
    fiber.addObserver(() => this.fibers.delete(key))
  }

  /**
   * Breaks off the attempts under way of deliveries, and lets none begin until they are let go. Answers the deliveries
   * of which no attempt is under way then: the outcomes of the others are being committed.
   */
  claim(
    keys: ReadonlyArray<string>
  ): Effect.Effect<{ readonly claimed: ReadonlyArray<string>; readonly letGo: () => void }> {
    return Effect.suspend(() => {
      const { fibers, underWay } = this
      const broken = keys.flatMap((key) => fibers.get(key) ?? [])
      const claimed = keys.filter((key) => fibers.has(key) || !underWay.has(key))
      for (const key of claimed) underWay.add(key)
      const letGo = () => {
        for (const key of claimed) underWay.delete(key)
      }
      return Effect.as(Fiber.interruptAll(broken), { claimed, letGo })
    })
  }

  /** All that are known, to be put off. */
  takeKnown(): ReadonlyArray<DueItem> {
    const { page } = this
    this.page = []
    return page
  }
}
