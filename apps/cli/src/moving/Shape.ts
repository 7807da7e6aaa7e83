import type { Schema } from "effect"
import { isFields } from "./Fields.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** Members that say nothing of how something runs. */
const silent = new Set([
  "$schema",
  "authProvisionIds",
  "cell_id",
  "codeHash",
  "component_owner_id",
  "created_at",
  "createdAt",
  "deployment_id",
  "deployed_at",
  "flat_params_visibility_json",
  "format",
  "hash",
  "id",
  "index",
  "name_slug",
  "org_id",
  "owner_id",
  "position",
  "project_id",
  "schedule_changed_at",
  "schema",
  "type",
  "updated_at",
  "updatedAt",
  "user_id",
  "version",
  "workflow_id",
  "workspace_id"
])

const isNothing = (value: Json): boolean =>
  value === null || value === false || value === "" ||
  typeof value === "object" && Object.keys(value).length === 0

/** An object of others, of which it is known what has been read. */
export class Shape {
  readonly path: WorkflowFile.Path
  readonly #fields: Readonly<Record<string, Json>>
  readonly #read = new Set<string>()
  readonly #unknown: Array<readonly [WorkflowFile.Path, Json]>

  /** @param unknown gets what nobody has read, when `rest` is called */
  constructor(
    fields: Readonly<Record<string, Json>>,
    path: WorkflowFile.Path,
    unknown: Array<readonly [WorkflowFile.Path, Json]>
  ) {
    this.#fields = fields
    this.path = path
    this.#unknown = unknown
  }

  /**
   * The name and the value of the first member of these names that has a value of the kind. It is read, and so are the
   * others, unless they are objects or lists, of which one more would say something else.
   */
  #first<A extends Json>(
    names: ReadonlyArray<string>,
    is: (value: Json) => value is A
  ): readonly [string, A] | undefined {
    let first: readonly [string, A] | undefined
    for (const name of names) {
      const value = Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
      if (value === undefined || !is(value)) continue
      if (first === undefined || typeof value !== "object") this.#read.add(name)
      first ??= [name, value]
    }
    return first
  }

  value(...names: ReadonlyArray<string>): Json | undefined {
    return this.#first(names, (value): value is Json => value !== null)?.[1]
  }

  text(...names: ReadonlyArray<string>): string | undefined {
    return this.#first(names, (value): value is string => typeof value === "string" && value.trim() !== "")?.[1]
  }

  /** A list, with its path. */
  list(...names: ReadonlyArray<string>) {
    const found = this.#first(names, (value): value is ReadonlyArray<Json> => Array.isArray(value))
    return found === undefined ? undefined : { path: [...this.path, found[0]], value: found[1] }
  }

  /** An object within it. */
  shape(...names: ReadonlyArray<string>): Shape | undefined {
    const found = this.#first(names, isFields)
    return found === undefined ? undefined : new Shape(found[1], [...this.path, found[0]], this.#unknown)
  }

  /** A member that stays unread. */
  peek(name: string): Json | undefined {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined
  }

  /** Has a member that was read be unread again. */
  unread(name: string): void {
    this.#read.delete(name)
  }

  /** The names of its members. */
  get names(): ReadonlyArray<string> {
    return Object.keys(this.#fields)
  }

  /** Notes all that nobody has read. */
  rest(): void {
    for (const [name, value] of Object.entries(this.#fields)) {
      if (this.#read.has(name) || silent.has(name) || isNothing(value)) continue
      this.#unknown.push([[...this.path, name], value])
    }
  }
}
