/** The most that one run may use (`components.md`, "Running"), and that the inspection of a component may take. */
export interface SandboxLimits {
  /** Wall time of a run, in milliseconds. */
  readonly wallMillis: number
  /** Processor time of a run, in milliseconds. */
  readonly cpuMillis: number
  /** V8 heap of a run's process, in MiB, unless the run asks for more. */
  readonly heapMebibytes: number
  /** The most that a run may ask for, in MiB. */
  readonly maxHeapMebibytes: number
  /** Emits, logs and told props of a run, in bytes of UTF-8; each counts for 128 beside its text, as does each key set in the db. */
  readonly outputBytes: number
  /** Keys and values of `$.service.db`, in bytes of UTF-8. */
  readonly dbBytes: number
  /** The value of a key of a data store, in bytes of UTF-8. */
  readonly storeValueBytes: number
  /** Keys and values that a run leaves changed in data stores, in bytes of UTF-8; each counts for 128 beside its text. */
  readonly storeBytes: number
  /** The files of a run, in bytes; each entry counts for 4,096 beside them. */
  readonly fileBytes: number
  /** The body that a run responds with, in bytes. */
  readonly responseBytes: number
  /** Connections that a run opens, and names that it has resolved, all in all. */
  readonly connections: number
  /** Processor time of an inspection, in milliseconds. */
  readonly inspectCpuMillis: number
  /** Wall time of an inspection, in milliseconds: on a busy machine it takes many times the processor time. */
  readonly inspectWallMillis: number
}

export const defaultLimits: SandboxLimits = {
  wallMillis: 300_000,
  cpuMillis: 30_000,
  heapMebibytes: 256,
  maxHeapMebibytes: 256,
  outputBytes: 6 * 1024 * 1024,
  dbBytes: 1024 * 1024,
  storeValueBytes: 1024 * 1024,
  storeBytes: 16 * 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  responseBytes: 6 * 1024 * 1024,
  connections: 10_000,
  inspectCpuMillis: 10_000,
  inspectWallMillis: 60_000
}
