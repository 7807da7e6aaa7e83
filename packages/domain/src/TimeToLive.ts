/** The longest time that a value is kept for before it expires, in milliseconds. */
export const mostTtl = 1_000 * 366 * 24 * 3_600_000
