import type { Language } from "./Language.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"

/** Processes of one kind take each other's work. */
export interface ProcessKind {
  readonly language: Language
  /** V8 heap of a process, in MiB. */
  readonly heapMebibytes: number
  /** Some are ready before there is work for them. */
  readonly isKeptWarm: boolean
}

/** The heaps that processes can have: the usual one, and each twice as large as the one before, up to the largest. */
const heapsWithin = ({ heapMebibytes, maxHeapMebibytes }: SandboxLimits): ReadonlyArray<number> => {
  const heaps = [heapMebibytes]
  for (let heap = heapMebibytes; heap < maxHeapMebibytes;) heaps.push(heap = Math.min(heap * 2, maxHeapMebibytes))
  return heaps
}

/** The kinds of processes: for each language, from the usual heap to the largest. */
export class ProcessKinds {
  readonly all: ReadonlyArray<ProcessKind>

  constructor(limits: SandboxLimits) {
    this.all = heapsWithin(limits).flatMap((heapMebibytes, index) => [
      { language: "javascript", heapMebibytes, isKeptWarm: index === 0 },
      { language: "python", heapMebibytes, isKeptWarm: false }
    ])
  }

  /** The smallest kind with so large a heap, or the largest one there is. */
  of(language: Language, leastHeapMebibytes = 0): ProcessKind {
    const kinds = this.all.filter((kind) => kind.language === language)
    return kinds.find(({ heapMebibytes }) => heapMebibytes >= leastHeapMebibytes) ?? kinds.at(-1)!
  }
}
