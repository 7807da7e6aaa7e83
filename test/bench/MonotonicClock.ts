/** The machine's monotonic clock, which all processes share, in milliseconds: what one process notes, another can compare. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6
