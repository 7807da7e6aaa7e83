import { type ReadonlySignal, useSignal } from "@preact/signals"
import { useRef } from "preact/hooks"
import { address, setQuery } from "../api/Address.ts"
import { type Failure, failureOf } from "../api/Failure.ts"
import { may } from "../api/Session.ts"
import * as CodeDraft from "../code/CodeDraft.ts"
import { placeAsked } from "../code/CodePlace.ts"
import type { Remark } from "../code/Remark.ts"
import type * as Props from "../resources/Props.ts"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"

const issuePrefix = "configured_props."

/** A source or workflow, as far as work on its code needs it. */
export interface Program {
  readonly name: string
  readonly active: boolean
  readonly shadow?: boolean
  readonly configured_props: Props.Values
  /** The version that it runs. Each deployment makes another one. */
  readonly version: string
  /** Tells code apart: the hash of a workflow's code, or the id of a source's component. */
  readonly hash: string
}

/** Code that was opened. */
export interface OpenedCode extends Pick<Program, "version" | "hash"> {
  readonly code: string
  readonly configurable_props: ReadonlyArray<Props.Prop>
}

/** The props that new code declares, if some of them are new and need values before it can run. */
export interface DeclaredProps {
  readonly props: ReadonlyArray<Props.Prop>
  /** A component of this code, which can be asked about its props; undefined if there is none. */
  readonly component: string | undefined
}

/** The ways to deploy code to the program. Each fails with the server's reason for a refusal. */
export interface Deploying {
  /** The program as it is now. */
  readonly read: () => Promise<Program>
  readonly deploy: (code: string) => Promise<Program>
  readonly declare: (code: string) => Promise<DeclaredProps>
  readonly deployWith: (code: string, declared: DeclaredProps, values: Props.Values) => Promise<Program>
  /** Called if the reader gives no values after all. */
  readonly leave: (declared: DeclaredProps) => void
}

/** The props that the reader must fill in before the code is deployed. */
export interface Wanting {
  readonly code: string
  readonly declared: DeclaredProps
  readonly names: ReadonlySet<string>
}

/** Code that was not deployed, and the reason. */
export interface Refusal {
  readonly code: string
  readonly reason: Failure
}

/** The remark on the place that the reason names. */
export const remarkOf = ({ code, reason: { message, place } }: Refusal): Remark | undefined =>
  place === undefined ? undefined : { place, message: harmless(message), code }

/** Work on the code of a program, until it is deployed. */
export interface Deployment {
  /** The text that the work begins with. */
  readonly begun: string
  readonly code: ReadonlySignal<string>
  readonly change: (code: string) => void
  /** True if the text is not what it is based on. */
  readonly isDirty: boolean
  /** True if somebody else has deployed other code meanwhile. */
  readonly isOvertaken: boolean
  readonly isUnderWay: ReadonlySignal<boolean>
  /** The failure of the last deployment, and the code that was sent. */
  readonly failure: ReadonlySignal<Refusal | undefined>
  readonly deploy: () => Promise<void>
  /** Set while the reader is to give values to new props. */
  readonly wanting: ReadonlySignal<Wanting | undefined>
  readonly deployWith: (wanting: Wanting, values: Props.Values) => Promise<void>
  readonly leave: () => void
  /** The remark on a place in the code, of the last deployment, check or trial. */
  readonly remark: Remark | undefined
  /** The place that the address asks for. */
  readonly asked: Remark | undefined
  /** Puts the remark of a check or a trial in place of those before. */
  readonly note: (remark: Remark | undefined) => void
}

export const useDeployment = ({ deploying, id, isEarlier, onDeployed, opened, program }: {
  readonly id: string
  /** The program as it was read last. */
  readonly program: Program
  readonly opened: OpenedCode
  /** True if an earlier version was opened. */
  readonly isEarlier: boolean
  readonly deploying: Deploying
  /** Called when something was deployed, here or elsewhere. */
  readonly onDeployed: () => Promise<void>
}): Deployment => {
  const draft = CodeDraft.find(id)
  const isKept = draft !== undefined && (draft.base === opened.hash || !isEarlier)
  /** True if the draft is based on other code than the opened one. */
  const isBehind = isKept && draft.base !== opened.hash
  const begun = isKept ? draft.code : opened.code
  /** The code that the text is based on. */
  const base = useSignal({ hash: isBehind ? draft.base : opened.hash, code: opened.code })
  /** The version that the reader knows of. */
  const known = useSignal(program.version)
  /** The versions that this text is based on, or that were deployed from it. */
  const own = useRef(new Set(isBehind ? [] : [opened.version]))
  const code = useSignal(begun)
  const failure = useSignal<Refusal | undefined>(undefined)
  /** The remark of a check or a trial on a place in the code. */
  const tried = useSignal<Remark | undefined>(undefined)
  const wanting = useSignal<Wanting | undefined>(undefined)
  const isUnderWay = useSignal(false)
  const place = placeAsked(address.value.query)
  const asked = place === undefined
    ? undefined
    : { place, message: "An error was thrown here.", code: base.value.code }
  const isDirty = () => code.value !== base.value.code
  // New props can make a new version of the same code.
  const isOther = ({ hash, version }: Program) => !own.current.has(version) && hash !== base.value.hash
  const isOvertaken = !isEarlier && isOther(program)

  const keepDraft = () => {
    if (isDirty()) CodeDraft.keep(id, { base: base.value.hash, code: code.value })
    else CodeDraft.drop(id)
  }
  /** Notes that the sent code is deployed. Text that was typed since then is not. */
  const isDeployed = (sent: string, changed: Program) => {
    own.current.add(changed.version)
    base.value = { hash: changed.hash, code: sent }
    known.value = changed.version
    wanting.value = undefined
    keepDraft()
    tell("done", "Deployed. New runs use the new code.")
    if (isEarlier || place !== undefined) setQuery({ component: "", line: "", column: "" })
    void onDeployed()
  }
  const want = async (code: string, names: ReadonlyArray<string>) => {
    try {
      wanting.value = { code, declared: await deploying.declare(code), names: new Set(names) }
    } catch (error) {
      failure.value = { code, reason: failureOf(error) }
    }
  }
  const deploy = async () => {
    if (isUnderWay.value || !may("write")) return
    isUnderWay.value = true
    failure.value = undefined
    tried.value = undefined
    const sent = code.value
    try {
      const fresh = await deploying.read()
      if (fresh.version !== known.value && isOther(fresh)) {
        known.value = fresh.version
        await onDeployed()
        tell("failed", "Not deployed: someone else has deployed other code in the meantime. Look at it first.")
        return
      }
      isDeployed(sent, await deploying.deploy(sent))
    } catch (error) {
      const refused = failureOf(error)
      const names = refused.issues.flatMap(({ path }) =>
        path.startsWith(issuePrefix) ? [path.slice(issuePrefix.length)] : []
      )
      if (names.length === 0) failure.value = { code: sent, reason: refused }
      else await want(sent, names)
    } finally {
      isUnderWay.value = false
    }
  }
  const leave = () => {
    const left = wanting.value?.declared
    wanting.value = undefined
    if (left !== undefined) deploying.leave(left)
  }

  return {
    begun,
    code,
    change: (changed) => {
      code.value = changed
      keepDraft()
    },
    isDirty: isDirty(),
    isOvertaken,
    isUnderWay,
    failure,
    deploy,
    wanting,
    deployWith: async ({ code: sent, declared }, values) =>
      isDeployed(sent, await deploying.deployWith(sent, declared, values)),
    leave,
    remark: tried.value ?? (failure.value === undefined ? undefined : remarkOf(failure.value)),
    asked,
    note: (found) => {
      failure.value = undefined
      tried.value = found
    }
  }
}
