import { Exit } from "effect"
import { randomUUID } from "node:crypto"
import type { RunConnection, SandboxModule } from "./Run.ts"
import type { ProcessLoss, SandboxProcess } from "./SandboxProcess.ts"
import type { HostMessage, RunMessage, RunQuestion, UnreadableMessage } from "./SandboxProtocol.ts"

/** One try to have work done, in the process that it was given. */
export interface Try<A, E> {
  readonly process: SandboxProcess
  /** It was cut off for another account's sake before, and is not cut off for that again. */
  readonly displaced: boolean
  /** It failed before, and not for another account's sake. */
  readonly isRepeated: boolean
  /** Nothing is to run in the process after it. */
  readonly isLast: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  /** Called with the loss if the process ended before the work did, and not certainly by its fault. */
  onEnd(ending: Exit.Exit<A | ProcessLoss, E>): void
}

/** A run or an inspection, as the process that has it sees it. It ends once: by `end`, or because it is cut off. */
export abstract class Assignment<A = unknown, E = unknown> {
  readonly id = randomUUID()
  readonly displaced: boolean
  /** Unix milliseconds. */
  readonly startedAt: number
  /** The program whose code it runs, unless the code is only looked at. */
  abstract readonly programId: string | undefined
  abstract readonly module: Pick<SandboxModule, "code" | "hash">
  /** True if it may have connections. */
  abstract readonly mayConnect: boolean
  /** It has been in the process together with another. */
  shared = false
  /** Processor time while it was the only one, and its share of what was used while it was not, in milliseconds. */
  aloneCpuMs = 0
  shareCpuMs = 0
  /** The processor time that is put down to it in the end: more, if it ended before its process was looked at again. */
  cpuMs = 0
  /** The number of connections that it has asked for. */
  connections = 0
  readonly process: SandboxProcess
  readonly #isFirst: boolean
  readonly #try: Try<A, E>

  constructor(tried: Try<A, E>) {
    this.process = tried.process
    this.displaced = tried.displaced
    this.startedAt = tried.startedAt
    this.#isFirst = tried.process.isUnused
    this.#try = tried
  }

  /** The message that has the process begin it. */
  abstract message(): HostMessage
  abstract receive(message: RunMessage | UnreadableMessage): void
  /** Called a few times a second, to hold it against its limits. `now` is in Unix milliseconds. */
  abstract watch(now: number): void
  /** The process has ended before it, by its fault. */
  protected abstract failBy(loss: ProcessLoss): void

  /** Answers a question of the run, through the process. */
  ask({ ask }: RunQuestion): void {
    const error = { code: "EACCES", message: "Nothing can be asked here" }
    this.process.send({ _tag: "Answer", ask, error })
  }

  /** Told of each connection that it asked for. */
  noteConnection(_connection: RunConnection): void {}

  /** The process has ended before it. */
  lost(loss: ProcessLoss): void {
    // Something outside may have ended it as well; code that does so does it again.
    const isUncertain = loss.reason === "ended" && !this.#try.isRepeated
    const isOther = loss.reason === "displaced" || loss.reason === "shutdown"
    if (isOther || isUncertain || !this.#isFirst || this.shared) this.end(Exit.succeed(loss))
    else this.failBy(loss)
  }

  protected end(ending: Exit.Exit<A | ProcessLoss, E>): void {
    if (this.#try.isLast) this.process.close()
    this.process.dismiss(this)
    this.#try.onEnd(ending)
  }
}
