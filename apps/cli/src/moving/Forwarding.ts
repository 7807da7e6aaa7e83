/** Makes an endpoint here that relays to the old URL of a workflow that was moved, or to its new one. */
import { Effect, FileSystem, Predicate } from "effect"
import * as Path from "node:path"
import { ApiAccess } from "../access/ApiAccess.ts"
import { CommandRefused } from "../CommandRefused.ts"
import * as EndpointUrl from "../resource/EndpointUrl.ts"
import * as SetupFolder from "../setup/SetupFolder.ts"
import * as SetupOfAccount from "../setup/SetupOfAccount.ts"
import * as SetupPlan from "../setup/SetupPlan.ts"
import type { Standing } from "./Finishing.ts"
import * as ForwardingCode from "./ForwardingCode.ts"
import * as Importing from "./Importing.ts"
import * as MovingRecord from "./MovingRecord.ts"
import * as SetupWriting from "./SetupWriting.ts"

const refuse = (message: string) => new CommandRefused({ message })

/** Seconds before a relay is tried again whose caller has got its answer already. */
const retryDelays = [1, 10, 60, 600, 3_600]

export interface Given {
  /** A URL, or `here` for the endpoint of the workflow. */
  readonly to: string
  /** True if callers wait for the answer of what is at the URL. */
  readonly answers: boolean
}

/** The URL of the endpoint of a workflow that was moved. */
export const endpointOf = ({ record, resource }: Standing) => {
  const url = EndpointUrl.of(resource?.configured_props ?? {})
  return url === null
    ? Effect.fail(refuse(`${record.name} has no endpoint here: it is not deployed, or no HTTP trigger began it`))
    : Effect.succeed(url)
}

const targetOf = Effect.fnUntraced(function*(standing: Standing, to: string) {
  if (to === "here") return yield* endpointOf(standing)
  if (!/^https?:$/.test(URL.parse(to)?.protocol ?? "")) {
    return yield* refuse(`--to: expected an http or https URL, or \`here\`: ${JSON.stringify(to)}`)
  }
  return to
})

/** Keeps the old URL with the workflow, if it is not known which that is. */
const rememberOld = Effect.fnUntraced(
  function*(folder: string, { movedFrom, record: workflow }: Standing, url: string) {
    const [trigger, ...others] = Object.entries(workflow.endpoints ?? {}).filter(([, old]) => old === null)
    if (trigger === undefined || others.length > 0) return
    const record = yield* MovingRecord.need(folder)
    const endpoints = { ...workflow.endpoints, [trigger[0]]: url }
    yield* SetupWriting.write(folder, new Map(), {
      ...record,
      workflows: { ...record.workflows, [movedFrom]: { ...workflow, endpoints } }
    })
  }
)

/** Writes the relay's files into the set-up. Changes that somebody has made to its settings stay. */
const write = Effect.fnUntraced(function*(folder: string, ref: string, name: string, to: string, answers: boolean) {
  const files = yield* FileSystem.FileSystem
  const path = Path.join(folder, `${ref}.json`)
  const before: unknown = yield* files.readFileString(path).pipe(
    Effect.map((text): unknown => JSON.parse(text)),
    Effect.orElseSucceed(() => ({ name, concurrency: answers ? 20 : 1 }))
  )
  if (!Predicate.isObject(before)) return yield* refuse(`${path} is not a JSON object`)
  const settings = {
    ...before,
    code: ForwardingCode.file,
    active: true,
    retry_delays: answers ? [] : retryDelays,
    configured_props: { http: { response: answers ? "run" : "accepted" }, to, answers }
  }
  const record = yield* MovingRecord.need(folder)
  yield* SetupWriting.write(folder, new Map([[ForwardingCode.file, ForwardingCode.relay]]), record)
  yield* files.writeFileString(path, `${JSON.stringify(settings, undefined, 2)}\n`).pipe(
    Effect.mapError(({ message }) => refuse(message))
  )
})

/** Deploys the relay of a workflow, or has it relay elsewhere. */
export const forward = Effect.fnUntraced(function*(folder: string, standing: Standing, { answers, to }: Given) {
  const { call } = yield* ApiAccess
  const { record } = standing
  const target = yield* targetOf(standing, to)
  const ref = record.ref.replace(/^workflows\//, "workflows/forward-")
  const { workflows } = yield* MovingRecord.need(folder)
  if (Object.values(workflows).some((other) => other.ref === ref)) {
    return yield* refuse(`${ref} is a workflow that was moved: the relay of ${record.name} can't have its place`)
  }
  const name = `${record.name} (forwarded)`
  const account = yield* SetupOfAccount.read()
  const own = (yield* SetupFolder.read(folder)).ids.get(ref)
  if (account.things.some(({ fields, id, kind }) => kind === "workflows" && fields["name"] === name && id !== own)) {
    return yield* refuse(`the account has a workflow ${name} that this has not made: give that one another name`)
  }
  yield* write(folder, ref, name, target, answers)
  if (to !== "here") yield* rememberOld(folder, standing, target)
  const all = yield* SetupFolder.read(folder)
  const files = { ...all, things: all.things.filter((thing) => thing.ref === ref) }
  const plan = yield* SetupPlan.make({ account, files, folder, prune: false, secrets: false })
  const { failed } = yield* Importing.apply(plan, folder)
  if (failed.length > 0) return yield* refuse(failed.flatMap(({ faults }) => faults).join("; "))
  const id = (yield* SetupFolder.read(folder)).ids.get(ref) ?? ""
  const { data } = yield* call((client) => client.workflows.get({ params: { id }, query: {} }))
  return { id, url: EndpointUrl.of(data.configured_props) ?? "", to: target }
})
