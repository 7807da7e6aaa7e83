import type { AuditResource } from "@headwater/api/AuditApi"
import type { FileResource } from "@headwater/api/FilesApi"
import type { RunResource } from "@headwater/api/WorkflowRunsApi"
import { hrefOf } from "../api/Address.ts"
import { get, type Page, type Single } from "../api/Api.ts"
import { failureOf } from "../api/Failure.ts"
import { listedOne } from "../api/ListedOne.ts"
import { session } from "../api/Session.ts"
import { nameOf } from "./Directory.ts"
import type { EventSummary } from "./Events.ts"
import * as Files from "./Files.ts"
import * as Subscriptions from "./Subscriptions.ts"
import { pageOf, type Prefix, prefixOf } from "./ThingPage.ts"
import * as Workflows from "./Workflows.ts"

/** A thing that there is, and its page. */
export interface Found {
  readonly title: string
  readonly kind: string
  readonly href: string
}

/** The page of a thing; undefined if there is no such thing. */
type Look = (id: string, signal: AbortSignal) => Promise<string | undefined>

/** The answer, or undefined if there is nothing of that name. */
const orNothing = async <A>(asked: Promise<A>): Promise<A | undefined> => {
  try {
    return await asked
  } catch (error) {
    const { status } = failureOf(error)
    if (status === 404 || status === 400) return undefined
    throw error
  }
}

const byId = (...path: ReadonlyArray<string>): Look => async (id, signal) => {
  const found = await orNothing(
    get<Single<{ readonly id: string }>>([...path, id], { query: { include: "id" }, signal })
  )
  return found === undefined ? undefined : pageOf(id)
}

const inList = (...path: ReadonlyArray<string>): Look => async (id, signal) =>
  (await listedOne(path, id, signal)) === undefined ? undefined : pageOf(id)

const pageOfFile = ({ path }: Pick<FileResource, "path">): string => hrefOf(["files"], { open: path })

/** The look-up of a thing by its id, by the prefix; for those that have no page, what is said of their ids. */
const looks: Readonly<Record<Prefix, readonly [kind: string, look: Look] | string>> = {
  apn: ["app account", byId("accounts")],
  as: ["auto-subscription", inList("users", "me", "auto_subscriptions")],
  aud: ["entry of the audit log", async (id, signal) => {
    const entry = await listedOne<AuditResource>(["audit"], id, signal)
    return entry && hrefOf(["audit"], { from: String(entry.at * 1_000), to: String((entry.at + 1) * 1_000) })
  }],
  ba: ["bulk action", byId("bulk_actions")],
  c: ["step", async (id, signal) => {
    const workflow = (await Workflows.all("", signal)).items.find(({ steps }) => steps.some((step) => step.id === id))
    return workflow && pageOf(workflow.id)
  }],
  clk: "This is the id of a move of the server’s clock, which has no page.",
  cns: ["consumer", byId("consumers")],
  cr: ["courier", inList("couriers")],
  d: ["deployment", async (id, signal) => {
    const workflow = await Workflows.ofDeployment(id, signal)
    return workflow && pageOf(workflow)
  }],
  dc: ["source", byId("sources")],
  dlv: ["delivery", byId("deliveries")],
  ds: ["data store", byId("data_stores")],
  fl: ["file", async (id, signal) => {
    const file = await listedOne<FileResource>(["files"], id, signal)
    return file && pageOfFile(file)
  }],
  key: ["key", inList("users", "me", "keys")],
  p: ["workflow", byId("workflows")],
  proj: ["project", byId("projects")],
  run: ["run", async (id, signal) => {
    const run = await orNothing(get<Single<RunResource>>(["runs", id], { signal }))
    return run && hrefOf(["workflows", run.data.workflow_id, "runs", id])
  }],
  sc: ["component", byId("components")],
  ses: ["session", async (id, signal) => {
    if (session.peek()?.id === id) return hrefOf(["account"])
    const { data } = await get<Page<AuditResource>>(["audit"], { query: { session: id, limit: 1 }, signal })
    return data.length === 0 ? undefined : hrefOf(["audit"], { session: id })
  }],
  sub: [
    "subscription",
    async (id, signal) => (await Subscriptions.all(signal)).items.some((one) => one.id === id) ? pageOf(id) : undefined
  ],
  u: ["account", async (id) => session.peek()?.account.id === id ? pageOf(id) : undefined],
  wh: ["webhook", byId("webhooks")]
}

const idLength = 20
const eventId = /^\d{13}-\d{1,7}$/
const emitId = /^(?=.*[A-Z])(?=.*[a-z])[\w-]{24}$/

const lookOf = (text: string): (typeof looks)[Prefix] | undefined => {
  const prefix = prefixOf(text)
  return prefix === undefined || text.length !== prefix.length + 1 + idLength ? undefined : looks[prefix]
}

/** The names of what a text may be the whole id of; undefined if it can't be an id of what has a page. */
export const kindOf = (text: string): string | undefined => {
  const look = lookOf(text)
  return eventId.test(text) ? "event" : typeof look === "object" ? look[0] : undefined
}

/** A sentence about the whole id of what has no page; undefined if the text is none. */
export const wordsOn = (text: string): string | undefined => {
  const look = lookOf(text)
  if (typeof look === "string") return look
  return emitId.test(text)
    ? "If this is the emit id of an event: no event can be found by it, but the list of events has a column of emit ids."
    : undefined
}

/** A path has a directory or an extension. */
const isPath = (text: string): boolean => /^[^\s/][^/]*\/.|^\S+\.\w{1,10}$/.test(text)

/** True if a text may be the whole id or path of something. */
export const mayBe = (text: string): boolean => kindOf(text) !== undefined || isPath(text)

/** Finds the things whose whole id or path a text is. Events of several emitters can have the same id. */
export const find = async (text: string, signal: AbortSignal): Promise<ReadonlyArray<Found>> => {
  const kind = kindOf(text)
  if (kind === "event") {
    const { data } = await get<Page<EventSummary>>(["events"], { query: { id: text, limit: 20 }, signal })
    return data.map(({ metadata: { emitter_id } }) => ({
      title: `${text} of ${nameOf(emitter_id)}`,
      kind,
      href: hrefOf(["events", emitter_id, text])
    }))
  }
  if (kind !== undefined) {
    const href = await (lookOf(text) as readonly [kind: string, look: Look])[1](text, signal)
    return href === undefined ? [] : [{ title: text, kind, href }]
  }
  const url = await orNothing(Files.openUrlOf({ path: text }, signal))
  return url === undefined ? [] : [{ title: text, kind: "file", href: pageOfFile({ path: text }) }]
}
