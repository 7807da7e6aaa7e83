import type { ListedComponent } from "@headwater/api/ComponentsApi"
import { get, type Single } from "../api/Api.ts"
import * as WholeList from "../api/WholeList.ts"
import type { ComponentResource } from "./Sources.ts"

const listed = ["id", "key", "name", "version", "description", "updated_at"] as const

/** A component as a list shows it. */
export type RegistryComponent = Pick<ListedComponent, typeof listed[number]>

/** The newest version of each component that every account can use. */
export const all = (signal: AbortSignal): Promise<WholeList.WholeList<RegistryComponent>> =>
  WholeList.read<RegistryComponent>(["registry", "components"], listed, signal)

export const one = async (key: string, signal: AbortSignal): Promise<ComponentResource> =>
  (await get<Single<ComponentResource>>(["components", "registry", key], { signal })).data
