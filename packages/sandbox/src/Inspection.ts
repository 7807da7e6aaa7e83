import { Exit } from "effect"
import { Assignment, type Try } from "./Assignment.ts"
import { type ComponentDescription, ComponentInvalid } from "./ComponentDescription.ts"
import type { SandboxModule } from "./Run.ts"
import type { SandboxLimits } from "./SandboxLimits.ts"
import type { ProcessLoss } from "./SandboxProcess.ts"
import type { HostMessage, RunMessage, UnreadableMessage } from "./SandboxProtocol.ts"

export interface InspectRequest {
  readonly accountId: string
  /** The kind of component that the code is to be: one of sources unless said otherwise. */
  readonly kind?: "source" | "workflow"
  readonly module: Pick<SandboxModule, "code" | "hash">
  /** The server's own code, which may run in one process with other such code. */
  readonly isOwn?: boolean
}

/** A component's description as JSON, in characters: it is stored and shown whole. */
const maxDescriptionLength = 256 * 1024

/** The look at a module in one process: it is loaded, and says what it is. */
export class Inspection extends Assignment<ComponentDescription, ComponentInvalid> {
  readonly mayConnect = true
  readonly module: InspectRequest["module"]
  readonly programId = undefined
  readonly #kind: "source" | "workflow"
  readonly #limits: SandboxLimits
  readonly #timeTold: Pick<HostMessage & { readonly _tag: "Inspect" }, "time">
  /** The room that its output takes so far, in bytes. */
  #heard = 0

  constructor(
    tried: Try<ComponentDescription, ComponentInvalid>,
    { kind = "source", module }: InspectRequest,
    limits: SandboxLimits,
    timeTold: Pick<HostMessage & { readonly _tag: "Inspect" }, "time">
  ) {
    super(tried)
    this.module = module
    this.#kind = kind
    this.#limits = limits
    this.#timeTold = timeTold
  }

  override message(): HostMessage {
    return { _tag: "Inspect", run: this.id, hash: this.module.hash, kind: this.#kind, ...this.#timeTold }
  }

  override receive(message: RunMessage | UnreadableMessage): void {
    switch (message._tag) {
      case "Described":
        return JSON.stringify(message.description).length > maxDescriptionLength
          ? this.#refuse(
            "definition",
            `The component's description of itself has more than ${maxDescriptionLength} characters`
          )
          : this.end(Exit.succeed(message.description))
      case "Refused": {
        const { _tag, run: _run, cpuMs: _cpuMs, ...fault } = message
        return this.end(Exit.fail(new ComponentInvalid(fault)))
      }
      case "Unreadable":
        return this.#refuse("definition", `The component's description of itself can't be read: ${message.why}`)
      case "Ended":
        return this.#refuse("load", message.error?.message ?? "The module ended its own inspection")
      default:
        this.#heard += message._tag === "Logged" ? message.message.length + 32 : 32
        if (this.#heard <= this.#limits.outputBytes) return
        this.process.kill("output", "The module exceeded its output limit")
        this.#refuse("output", "The module's top level exceeded its output limit")
    }
  }

  override watch(now: number): void {
    const { inspectCpuMillis, inspectWallMillis } = this.#limits
    const over = this.aloneCpuMs >= inspectCpuMillis
      ? `${inspectCpuMillis} ms of processor time`
      : now - this.startedAt >= inspectWallMillis
      ? `${inspectWallMillis} ms`
      : undefined
    if (over === undefined) return
    this.process.kill("wall", "The module did not load in time")
    this.#refuse("timeout", `The module did not load within ${over}`)
  }

  protected override failBy(loss: ProcessLoss): void {
    if (loss.reason === "memory") this.#refuse("memory", "The module's top level exceeded its memory limit")
    else this.#refuse("ended", loss.message)
  }

  #refuse(reason: ComponentInvalid["reason"], message: string): void {
    this.end(Exit.fail(new ComponentInvalid({ reason, message })))
  }
}
