import type { ComponentResource } from "@headwater/api/ComponentsApi"
import type { CreatedSource, SourceResource } from "@headwater/api/SourcesApi"
import { hrefOf } from "../api/Address.ts"
import { get, post, put, remove, type Single } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"
import type { ThrownError } from "./Outcome.ts"
import type { Values } from "./Props.ts"

export type { ComponentResource, SourceResource }

const listed = ["id", "name", "name_slug", "active", "shadow", "updated_at"] as const

/** A source as a list shows it. */
export type ListedSource = Pick<SourceResource, typeof listed[number]>

/** Those of one project, unless its id is empty. */
export const all = (project: string, signal: AbortSignal): Promise<WholeList.WholeList<ListedSource>> =>
  WholeList.read<ListedSource>(["users", "me", "sources"], listed, signal, { project_id: project })

/** Those that run a component. */
export const ofComponent = (component_id: string, signal: AbortSignal): Promise<WholeList.WholeList<ListedSource>> =>
  WholeList.read<ListedSource>(["users", "me", "sources"], listed, signal, { component_id })

export const one = async (id: string, signal: AbortSignal): Promise<SourceResource> =>
  (await get<Single<SourceResource>>(["sources", id], { signal })).data

/** The input of `POST /sources`, as far as the page gives it. */
export interface NewSource {
  readonly component_id: string
  readonly name?: string
  readonly configured_props: Values
}

export const create = async (given: NewSource): Promise<typeof CreatedSource.Type> =>
  (await post<Single<typeof CreatedSource.Type>>(["sources"], { body: given })).data

/** Changes of a source. Omitted fields stay as they are. */
export interface SourceChanges {
  readonly active?: boolean
  readonly name?: string
  readonly component_code?: string
  readonly component_id?: string
  readonly configured_props?: Values
  readonly project_id?: string | null
}

/** Changes a source. It always sends `active`, since the server takes a missing `active` for true. */
export const change = async (source: SourceResource, changes: SourceChanges): Promise<SourceResource> =>
  (await put<Single<SourceResource>>(["sources", source.id], { body: { active: source.active, ...changes } })).data

export const component = async (id: string, signal: AbortSignal): Promise<ComponentResource> =>
  (await get<Single<ComponentResource>>(["components", id], { signal })).data

/** Saves code as a version that no source uses yet. */
export const saveComponent = async (code: string): Promise<ComponentResource> =>
  (await post<Single<ComponentResource>>(["components"], { body: { component_code: code } })).data

export const removeComponent = (id: string): Promise<void> => remove(["components", id])

/**
 * The URL of the code at the place of an error, in the version that threw it.
 *
 * @param source the source; its URL stays short for an error of the version that it runs
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
