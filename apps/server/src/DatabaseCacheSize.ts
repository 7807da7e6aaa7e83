import * as Os from "node:os"

const mebibyte = 1024 * 1024

/** MiB left to the server, its sandboxes and everything else before the database gets more than the least. */
const others = 2_048
const least = 128
const most = 8_192

/**
 * The size of the embedded database's own cache of its tables, in MiB, on a machine with so many bytes of memory: a
 * quarter of the memory beyond the first 2 GiB. It is taken as the log grows, and not given back.
 */
export const ofMemory = (bytes: number): number =>
  Math.max(least, Math.min(most, Math.floor((bytes / mebibyte - others) / 4)))

/** The same where a process may have less than its machine (cgroups(7)); a limit of 0 is none. */
export const within = (limit: number, machine: number): number =>
  ofMemory(limit > 0 ? Math.min(limit, machine) : machine)

export const here = (): number => within(process.constrainedMemory(), Os.totalmem())
