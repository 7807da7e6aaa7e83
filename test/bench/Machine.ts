import { Effect } from "effect"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import type { BenchServer } from "./BenchServer.ts"
import * as Database from "./Database.ts"
import * as MonotonicClock from "./MonotonicClock.ts"
import { median } from "./Statistics.ts"

/** Hardware and settings that a run's figures hold for. */
export interface Machine {
  readonly [name: string]: string | number
}

/** What decides how much a durable commit costs. */
const postgresSettings = [
  "server_version",
  "synchronous_commit",
  "fsync",
  "full_page_writes",
  "wal_sync_method",
  "commit_delay",
  "shared_buffers",
  "max_wal_size",
  "jit"
]

/** By the numbers that statfs(2) has for them. */
const filesystems: ReadonlyMap<number, string> = new Map([
  [0xef53, "ext4"],
  [0x58465342, "xfs"],
  [0x9123683e, "btrfs"],
  [0x01021994, "tmpfs"],
  [0x794c7630, "overlayfs"]
])

const filesystemOf = (directory: string): string => {
  const { type } = Fs.statfsSync(directory)
  return filesystems.get(type) ?? `0x${type.toString(16)}`
}

/** What it takes to make 8 kB durable in a file, in milliseconds. */
const syncMs = (directory: string): number => {
  const file = Path.join(directory, "sync-probe")
  const descriptor = Fs.openSync(file, "w")
  const block = new Uint8Array(8192)
  const times = Array.from({ length: 50 }, () => {
    const start = MonotonicClock.now()
    Fs.writeSync(descriptor, block, 0, block.length, 0)
    Fs.fdatasyncSync(descriptor)
    return MonotonicClock.now() - start
  })
  Fs.closeSync(descriptor)
  Fs.rmSync(file)
  return Number(median(times).toFixed(3))
}

export const describe = Effect.fnUntraced(function*(server: BenchServer) {
  const sql = yield* Database.client(yield* server.database("postgres"))
  const rows = yield* sql<{ name: string; setting: string }>`
    SELECT name, current_setting(name) AS setting FROM pg_settings
    WHERE name = ANY(string_to_array(${postgresSettings.join(",")}, ','))`
  const trips: Array<number> = []
  for (let trip = 0; trip < 50; trip++) {
    const start = MonotonicClock.now()
    yield* sql`SELECT 1`
    trips.push(MonotonicClock.now() - start)
  }
  const [cpu] = Os.cpus()
  const settings = rows.map(({ name, setting }) => [`postgres_${name}`, setting] as const)
  const machine: Machine = {
    cpu: cpu?.model ?? "unknown",
    cores: Os.cpus().length,
    memory_mib: Math.round(Os.totalmem() / 1024 / 1024),
    system: `${Os.type()} ${Os.release()} ${Os.arch()}`,
    node: process.version,
    filesystem: filesystemOf(server.dataDirectory),
    fdatasync_8k_ms: syncMs(server.dataDirectory),
    postgres_round_trip_ms: Number(median(trips).toFixed(3)),
    ...Object.fromEntries(settings)
  }
  return machine
}, Effect.scoped)
