import type { CheckedCode, DeployedCode, Trial } from "@headwater/api/CodeApi"
import { get, post, type Single } from "../api/Api.ts"
import { may } from "../api/Session.ts"

export type { CheckedCode, DeployedCode }

/** The effects that a run would have had. */
export type TrialResult = typeof Trial.Type

/** The source or workflow of the code. */
export interface Subject {
  readonly kind: "source" | "workflow"
  readonly id: string
}

const segmentOf = ({ kind }: Subject): string => `${kind}s`

/** The code that a source or workflow runs. */
export const deployed = async (subject: Subject, signal: AbortSignal): Promise<DeployedCode> =>
  (await get<Single<DeployedCode>>([segmentOf(subject), subject.id, "code"], { signal })).data

const codeParameter = { source: "component_code", workflow: "workflow_code" } as const

/** Has the server check code: it describes the code or lists the errors. */
export const check = async (
  { kind }: Subject,
  code: string,
  signal = new AbortController().signal
): Promise<CheckedCode> =>
  (await post<Single<CheckedCode>>(["code", "check"], { body: { [codeParameter[kind]]: code }, signal })).data

export const triggers = ["http", "timer", "event", "deploy", "activate", "deactivate"] as const
export type Trigger = typeof triggers[number]

/** The input of a trial. The server chooses omitted fields. */
export interface Sample {
  readonly trigger?: Trigger
  readonly event?: unknown
  readonly emitter_id?: string
  readonly event_id?: string
  readonly requests: "send" | "refuse"
}

/** True if this reader may try code that is not deployed. */
export const mayTryChanged = (): boolean => may("write")

/**
 * Runs code once, in place of its source or workflow. Nothing of the run is kept.
 *
 * @param code the code to try; without it, the code that is deployed
 */
export const attempt = async (subject: Subject, code: string | undefined, sample: Sample): Promise<TrialResult> => {
  const [path, more] = code === undefined
    ? [[segmentOf(subject), subject.id, "trial"], {}] as const
    : [["code", "trial"], { [`${subject.kind}_id`]: subject.id, [codeParameter[subject.kind]]: code }] as const
  return (await post<Single<TrialResult>>(path, { body: { ...sample, ...more } })).data
}
