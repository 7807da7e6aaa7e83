/**
 * A workflow of an archive: the JSON of the service's API, or of its own export, whose fields are not public. It is read by
 * its shape, into what a folder of git says of a workflow. Parts that are not understood are kept, and told with their paths.
 */
import { Option, Predicate, type Schema } from "effect"
import * as DistinctNames from "../text/DistinctNames.ts"
import type { ArchivedCode } from "./ActionPlaces.ts"
import * as ArchivedBlock from "./ArchivedBlock.ts"
import * as ArchivedTrigger from "./ArchivedTrigger.ts"
import * as CodeEnding from "./CodeEnding.ts"
import { type Fields, isFields } from "./Fields.ts"
import * as FirstGeneration from "./FirstGeneration.ts"
import type { Finding } from "./MovingReport.ts"
import { idIn, type ProjectFile, type ProjectWorkflow } from "./ProjectFolder.ts"
import { Shape } from "./Shape.ts"
import type * as WorkflowFile from "./WorkflowFile.ts"

type Json = Schema.Json

/** Holds what was not understood of a workflow, by its path. */
export const unknownFile = "not-understood.json"

/** The most findings about what is not understood of one workflow. */
const mostTold = 100

const listNames = ["steps", "cells", "nodes", "actions", "blocks"]

const bytesOf = (text: string) => new TextEncoder().encode(text)

/** JSON that is written as text is read as well. */
const asFields = (value: Json | undefined): Fields => {
  if (isFields(value)) return value
  if (typeof value !== "string") return {}
  const read = Option.liftThrowable((text: string) => JSON.parse(text) as Json)(value)
  return Option.isSome(read) && typeof read.value !== "string" ? asFields(read.value) : {}
}

/** The object that has the list of steps, and its path. */
const found = (value: Json): readonly [Fields, WorkflowFile.Path] | undefined => {
  for (const path of [[], ["data"], ["workflow"], ["data", "workflow"], ["definition"], ["workflow", "definition"]]) {
    let at: Json | undefined = value
    for (const name of path) at = Predicate.isObject(at) ? (at as Readonly<Record<string, Json>>)[name] : undefined
    if (!isFields(at)) continue
    const fields = at
    if (listNames.some((name) => Array.isArray(fields[name])) || Array.isArray(fields["triggers"])) {
      return [fields, path]
    }
  }
  return undefined
}

/** Reads the steps of a workflow one by one. */
class Reading {
  readonly steps: Array<WorkflowFile.Step> = []
  readonly places: Array<WorkflowFile.Path> = []
  readonly files: Array<ProjectFile> = []
  readonly actions: Array<ArchivedCode> = []
  readonly findings: Array<Finding> = []
  readonly unknown: Array<readonly [WorkflowFile.Path, Json]> = []
  readonly #freeFolder = DistinctNames.make({ isCaseless: true })
  readonly #file: string
  readonly #lineOf: (path: WorkflowFile.Path) => number

  constructor(file: string, lineOf: (path: WorkflowFile.Path) => number) {
    this.#file = file
    this.#lineOf = lineOf
  }

  tell(kind: Finding["kind"], path: WorkflowFile.Path, message: string): void {
    const at = path.length === 0 ? "" : `${path.join(".")}: `
    this.findings.push({ kind, file: this.#file, line: this.#lineOf(path), message: `${at}${message}` })
  }

  /** Reads a list of steps, and answers their places in the list of all. */
  readSteps(list: ReadonlyArray<Json>, path: WorkflowFile.Path): ReadonlyArray<number> {
    return list.flatMap((value, index) => {
      const at = [...path, index]
      if (isFields(value)) return [this.#readStep(value, at)]
      this.unknown.push([at, value])
      this.tell("failed", at, "is not a step")
      return []
    })
  }

  /** A folder that no other step has, and that every system can have. */
  #folderOf(name: string): string {
    return this.#freeFolder(name.replace(/[^\w-]+/g, "_").slice(0, 60) || "step")
  }

  #readStep(fields: Readonly<Record<string, Json>>, at: WorkflowFile.Path): number {
    const shape = new Shape(fields, at, this.unknown)
    const namespace = shape.text("namespace", "name_slug", "name", "key", "id") ?? `step_${this.steps.length + 1}`
    const index = this.steps.length
    this.places.push(at)
    const block = ArchivedBlock.find(shape)
    const notes = shape.value("note", "notes", "description")
    const common = {
      namespace,
      disabled: shape.value("disabled") === true || shape.value("enabled") === false,
      ...(notes === undefined ? {} : { note: notes })
    }
    // It stands before the steps of its branches, whose places it has.
    this.steps.push(common)
    this.steps[index] = block === undefined
      ? { ...common, ...this.#codeOf(shape, namespace) }
      : { ...common, block: ArchivedBlock.of(block, (list, path) => this.readSteps(list, path)) }
    if (this.steps[index]?.block?.isUnclear === true) {
      this.tell(
        "failed",
        at,
        "the condition is not understood: write it anew. Until then a run fails when it comes to it"
      )
      this.unknown.push([at, fields])
    }
    shape.rest()
    return index
  }

  #codeOf(shape: Shape, namespace: string): Partial<WorkflowFile.Step> {
    const saved = shape.shape("savedComponent", "saved_component", "component") ?? new Shape({}, [], [])
    const isFirst = shape.value("component") === false
    const raw = shape.text("code_raw", "codeRaw")
    const own = saved.text("code") ?? shape.text("code", "source", "source_code")
    const runtime = shape.text("lang", "runtime", "language")
    const key = saved.text("key") ?? shape.text("component_key", "action_key", "uses")
    const version = saved.text("version") ?? shape.text("component_version", "action_version")
    const declared = saved.value("configurableProps", "configurable_props")
    const accounts = asFields(shape.value("authProvisionIdMap", "auth_provision_id_map"))
    const props = asFields(
      shape.value("configured_props_json", "configured_props", "configuredProps", "props", "params_json", "params")
    )
    // The fields that say nothing of how the step runs.
    saved.value("apps", "id", "name", "description", "hash", "code_hash", "type")
    saved.rest()
    if (raw !== undefined && (isFirst || own === undefined)) {
      return this.#firstGeneration({ code: raw, name: namespace, params: props, accounts, at: shape.path })
    }
    const given = {
      ...(runtime === undefined ? {} : { runtime }),
      props: {
        ...props,
        ...Object.fromEntries(
          Object.entries(accounts).filter(([, id]) => typeof id === "string")
            .map(([prop, id]) => [prop, { authProvisionId: id } as Json])
        ),
        ...(declared === undefined || runtime?.startsWith("py") !== true ? {} : { __configurableProps: declared })
      }
    }
    if (key !== undefined && own !== undefined) {
      this.actions.push({ key: key.replace(/^@[^/]*\//, ""), version, code: own })
    }
    if (key !== undefined && /^@?[\w/@.+-]+$/.test(key) && (own === undefined || version !== undefined)) {
      return { ...given, uses: version === undefined ? key : `${key}@${version}` }
    }
    if (own === undefined) return { ...given, uses: `./${this.#folderOf(namespace)}/entry.js` }
    const path = `${this.#folderOf(namespace)}/entry.${CodeEnding.of(runtime ?? "", own)}`
    this.files.push({ path, bytes: bytesOf(own) })
    return { ...given, uses: `./${path}` }
  }

  #firstGeneration(
    { at, name, ...given }: FirstGeneration.Given & { readonly name: string; readonly at: WorkflowFile.Path }
  ): Partial<WorkflowFile.Step> {
    const folder = this.#folderOf(name)
    const { findings, props, text } = FirstGeneration.rewritten(given)
    const tell = ({ kind, line, message }: FirstGeneration.Told) =>
      this.tell(kind, at, `line ${line} of the code of ${name}: ${message}`)
    findings.forEach(tell)
    this.files.push({ path: `${folder}/${FirstGeneration.originalFile}`, bytes: bytesOf(given.code) })
    if (text !== undefined) this.files.push({ path: `${folder}/entry.js`, bytes: bytesOf(text) })
    return { uses: `./${folder}/entry.js`, props }
  }
}

const numberIn = (value: Json | undefined): number | undefined => typeof value === "number" ? value : undefined

const settingsOf = (shape: Shape): NonNullable<WorkflowFile.WorkflowFile["settings"]> => {
  const inner = shape.shape("settings", "config") ?? new Shape({}, [], [])
  const value = (name: string) => inner.value(name) ?? shape.value(name)
  const [notifies, timeout, memory, network] = ["error_notification", "lambda_timeout", "lambda_memory", "network"]
    .map(value)
  const [seconds, megabytes] = [numberIn(timeout), numberIn(memory)]
  inner.rest()
  return {
    ...(notifies === undefined ? {} : { error_notification: notifies }),
    ...(seconds === undefined ? {} : { lambda_timeout: seconds }),
    ...(megabytes === undefined ? {} : { lambda_memory: megabytes }),
    ...(network === undefined ? {} : { network })
  }
}

/**
 * Reads a workflow; nothing if the file has none.
 *
 * @param path the file, from the archive, with slashes
 */
export const of = (file: WorkflowFile.Read<Json>, path: string): ProjectWorkflow | undefined => {
  const at = found(file.value)
  if (at === undefined) return undefined
  const [fields, root] = at
  const reading = new Reading(path, file.lineOf)
  const shape = new Shape(fields, root, reading.unknown)
  const folder = path.replace(/\.json$/, "")
  const base = folder.replace(/^.*\//, "")
  const id = [shape.text("id"), shape.text("workflow_id", "workflowId"), idIn(base)]
    .find((text) => text !== undefined && idIn(text) === text) ?? folder
  const name = shape.text("name", "title")
  const isActive = shape.value("active", "is_active", "enabled")
  const isInactive = shape.value("inactive")
  const triggers = ArchivedTrigger.readAll(shape, reading)
  const list = shape.list(...listNames)
  if (list !== undefined) reading.readSteps(list.value, list.path)
  const settings = settingsOf(shape)
  shape.rest()
  for (const [place] of reading.unknown.slice(0, mostTold)) {
    reading.tell("different", place, `is not known here, and is left out: it is in ${unknownFile}`)
  }
  if (reading.unknown.length > mostTold) {
    reading.tell("different", root, `${reading.unknown.length - mostTold} more are not known here: see ${unknownFile}`)
  }
  const kept = Object.fromEntries(reading.unknown.map(([place, value]) => [place.join("."), value]))
  const runtime = reading.files.some(({ path }) => path.endsWith(`/${FirstGeneration.originalFile}`))
    ? [{ path: FirstGeneration.runtimeFile, bytes: bytesOf(FirstGeneration.runtime) }]
    : []
  const slug = (name ?? (idIn(base) === undefined ? base : base.slice(0, -id.length))).replace(/-$/, "")
  return {
    id,
    folder,
    slug: slug.replace(/\W+/g, "-").replace(/^-+|-+$/g, "") || id,
    archivedIn: path,
    actions: reading.actions,
    triggers: new Map(triggers.map(({ id, settings }) => [id, settings])),
    file: {
      value: {
        name: name ?? null,
        inactive: isInactive === true || isActive === false,
        settings,
        triggers: triggers.map(({ id }) => ({ id })),
        steps: reading.steps
      },
      lineOf: ([first, index, ...rest]) => {
        const place = first === "steps"
          ? reading.places[Number(index)]
          : first === "triggers"
          ? triggers[Number(index)]?.path
          : first === undefined
          ? root
          : [...root, first]
        return file.lineOf([...place ?? root, ...rest])
      },
      unknown: []
    },
    files: [
      ...reading.files,
      ...runtime,
      ...(reading.unknown.length === 0
        ? []
        : [{ path: unknownFile, bytes: bytesOf(`${JSON.stringify(kept, undefined, 2)}\n`) }])
    ],
    findings: reading.findings
  }
}
