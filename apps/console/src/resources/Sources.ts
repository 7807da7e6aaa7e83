import type { ComponentResource } from "@headwater/api/ComponentsApi"
import type { CreatedSource, SourceResource } from "@headwater/api/SourcesApi"
import { hrefOf } from "../api/Address.ts"
import { get, post, put, remove, type Single } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"
import type { ThrownError } from "./Outcome.ts"
import type { Values } from "./Props.ts"

export type { ComponentResource, SourceResource }

const listed = ["id", "name", "name_slug", "active", "updated_at"] as const

/** A source as a list shows it. */
export type ListedSource = Pick<SourceResource, typeof listed[number]>

export const all = (signal: AbortSignal): Promise<WholeList.WholeList<ListedSource>> =>
  WholeList.read<ListedSource>(["users", "me", "sources"], listed, signal)

export const one = async (id: string, signal: AbortSignal): Promise<SourceResource> =>
  (await get<Single<SourceResource>>(["sources", id], { signal })).data

/** What `POST /sources` takes, as far as the page gives it. */
export interface NewSource {
  readonly component_id: string
  readonly name?: string
  readonly configured_props: Values
}

export const create = async (given: NewSource): Promise<typeof CreatedSource.Type> =>
  (await post<Single<typeof CreatedSource.Type>>(["sources"], { body: given })).data

/** What can be changed of a source. What is left out stays. */
export interface SourceChanges {
  readonly active?: boolean
  readonly component_code?: string
  readonly component_id?: string
  readonly configured_props?: Values
}

/** `active` is sent always: without it the server takes the source for one that is to be active. */
export const change = async (source: SourceResource, changes: SourceChanges): Promise<SourceResource> =>
  (await put<Single<SourceResource>>(["sources", source.id], { body: { active: source.active, ...changes } })).data

export const component = async (id: string, signal: AbortSignal): Promise<ComponentResource> =>
  (await get<Single<ComponentResource>>(["components", id], { signal })).data

/** Saves code as a version that no source uses yet. */
export const saveComponent = async (code: string): Promise<ComponentResource> =>
  (await post<Single<ComponentResource>>(["components"], { body: { component_code: code } })).data

export const removeComponent = (id: string): Promise<void> => remove(["components", id])

/**
 * Where the code is shown at the place of an error, in the version that threw it.
 *
 * @param source whose address stays short for an error of the version that it runs
 */
export const codeHref = (
  { component_id, id }: { readonly id: string; readonly component_id?: string },
  { deploymentId, place }: ThrownError
): string =>
  hrefOf(["sources", id, "code"], {
    component: deploymentId === component_id ? "" : deploymentId,
    line: place === undefined ? "" : String(place.line),
    column: place === undefined ? "" : String(place.column)
  })
