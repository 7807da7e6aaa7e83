/** Units of work in a step: less than a tenth of a millisecond's worth. */
const stepSize = 500

/** So many characters that are compared, copied or searched are a unit of work; so is a look at one value or key. */
export const charactersOfUnit = 16

/** No part of a text of more characters than this is compared or copied at once. */
export const mostAtOnce = 8 * 1024

/**
 * The work that somebody's data or patterns cause, counted: the same however fast the machine is. Code that works in
 * steps does `if (work.spend(1)) yield work.rest()`.
 */
export class Work {
  /** Units. */
  used = 0
  private due = stepSize

  /** Counts work, and answers whether it is time for a new step. */
  spend(units: number): boolean {
    this.used += units
    return this.used >= this.due
  }

  /** Counts the work with so many characters, and answers whether it is time for a new step. */
  spendOn(characters: number): boolean {
    return this.spend(1 + Math.ceil(characters / charactersOfUnit))
  }

  /** A step ends here. */
  rest(): void {
    this.due = this.used + stepSize
  }
}
