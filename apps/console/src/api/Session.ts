import type { SessionResource } from "@headwater/api/SessionApi"
import { computed, signal } from "@preact/signals"
import { get, post, remove, type Single } from "./Api.ts"
import { type Failure, failureOf } from "./Failure.ts"
import { onEnd } from "./SessionEnd.ts"

/** A key's rights, each with the ones before it: to see; to run and send what exists; to change everything. */
export type Scope = SessionResource["key"]["scope"]

const scopes: ReadonlyArray<Scope> = ["read", "run", "write"]

export type Session = SessionResource

/** The reader of the page. It begins `unknown`, and every refusal for want of a session makes it `out`. */
export type Reader =
  | { readonly state: "unknown" }
  | { readonly state: "unreachable"; readonly failure: Failure }
  | { readonly state: "out"; readonly why: "new" | "left" | "ended" }
  | { readonly state: "in"; readonly session: Session }

export const reader = signal<Reader>({ state: "unknown" })

export const session = computed(() => reader.value.state === "in" ? reader.value.session : undefined)

/** True if the key of the session has this scope, and the server does what takes it. */
export const may = (needed: Scope): boolean => {
  const { is_read_only, key } = session.value ?? {}
  return key !== undefined && scopes.indexOf(is_read_only === true ? "read" : key.scope) >= scopes.indexOf(needed)
}

onEnd(() => {
  if (reader.peek().state === "in") reader.value = { state: "out", why: "ended" }
})

/** The id of the account that owns this page as long as it is loaded. */
let owner: string | undefined

/** Finds out whether there is a session. */
export const find = async (): Promise<void> => {
  try {
    const { data } = await get<Single<Session>>(["session"])
    // The data that the page has read for one account must not show for another.
    if (owner !== undefined && owner !== data.account.id) return location.reload()
    owner = data.account.id
    reader.value = { state: "in", session: data }
  } catch (error) {
    const failure = failureOf(error)
    reader.value = failure.status === 401 ? { state: "out", why: "new" } : { state: "unreachable", failure }
  }
}

/**
 * Exchanges an API key for a session. The session is in a cookie that the page can't read.
 *
 * @throws Failure
 */
export const signIn = async (apiKey: string): Promise<void> => {
  await post(["session"], { body: { api_key: apiKey } })
  await find()
}

export const signOut = async (): Promise<void> => {
  await remove(["session"]).catch((error: unknown) => {
    if (failureOf(error).status !== 401) throw error
  })
  reader.value = { state: "out", why: "left" }
}
