import type { ProjectResource } from "@headwater/api/ProjectsApi"
import { post, type Single } from "../api/Api.ts"
import * as Directory from "./Directory.ts"

/** Makes a project, which has a name here at once. */
export const create = async (name: string): Promise<string> => {
  const { data } = await post<Single<ProjectResource>>(["projects"], { body: { name } })
  Directory.note({ id: data.id, kind: "project", name: data.name, isActive: true })
  return data.id
}
