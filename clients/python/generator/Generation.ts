import type { JsonSchema } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import * as ClientDocument from "../../../packages/client/build/ClientDocument.ts"
import type { Operation } from "./PythonOperations.ts"
import * as PythonOperations from "./PythonOperations.ts"
import { literal } from "./PythonText.ts"
import { PythonTypes } from "./PythonTypes.ts"

/** The folder of the generated part of the client. */
const folder = Path.resolve(import.meta.dirname, "../src/headwater_client")

const header = "# Generated from the OpenAPI document by clients/python/generator/Generation.ts. Do not edit."

const module = (description: string, imports: string, declarations: ReadonlyArray<string>): string =>
  [
    `${header}\n\n"""${description}"""\n\nfrom __future__ import annotations\n\n${imports}`,
    ...declarations
  ].join("\n\n\n") + "\n"

const codesOf = (problem: JsonSchema.JsonSchema): ReadonlyArray<string> => {
  const { code } = problem.properties as Record<string, { readonly enum: ReadonlyArray<string> }>
  return code!.enum.map(literal)
}

/** The generated modules, by the names of their files. */
const modules = (): Readonly<Record<string, string>> => {
  const { components, paths } = ClientDocument.make()
  const { schemas } = components as { readonly schemas: Record<string, JsonSchema.JsonSchema> }
  const types = new PythonTypes(schemas)
  const problems = Object.keys(schemas).filter((name) => name.endsWith("Problem"))
  types.choice("Problem", "Union", problems)
  types.choice("ProblemCode", "Literal", problems.flatMap((name) => codesOf(schemas[name]!)))
  const operations = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => [verb, path, operation] as const)
  )
  const classes = PythonOperations.declarations(operations, types)
  return {
    "types.py": module(
      "The types of what the operations take and give.",
      "from typing import Any, Literal, TypeAlias, TypedDict, Union",
      types.declarations()
    ),
    "operations.py": module(
      "The operations of the API.",
      "from collections.abc import Sequence\nfrom typing import Literal\n\n" +
        "from . import types\nfrom .operation import Group, Send, segment",
      classes
    )
  }
}

/** Writes the generated modules into the client, those that differ. */
export const generate = async (): Promise<void> => {
  for (const [name, text] of Object.entries(modules())) {
    const file = Path.join(folder, name)
    if (await Fs.readFile(file, "utf8").catch(() => undefined) !== text) await Fs.writeFile(file, text)
  }
}
