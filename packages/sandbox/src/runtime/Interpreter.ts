/** Loads the interpreter of Python, which is a bundle of its own: only processes for Python have it. */
import { loadPyodide, type PyodideAPI } from "pyodide"
import lock from "pyodide/pyodide-lock.json" with { type: "json" }
import * as InterpreterFiles from "./InterpreterFiles.ts"

// @ts-expect-error it has no types
import createPyodideModule from "pyodide/pyodide.asm.mjs"

export type Interpreter = PyodideAPI

export interface InterpreterParts {
  readonly wasm: Uint8Array
  readonly library: Uint8Array
  /** The memory of one that has loaded all it needs; without it, it is to make one. */
  readonly snapshot?: Uint8Array
}

/** The place at which the interpreter thinks that it is. */
const place = "/python/"

export const load = ({ library, snapshot, wasm }: InterpreterParts): Promise<Interpreter> => {
  InterpreterFiles.give({ "pyodide.asm.wasm": wasm, "python_stdlib.zip": library })
  const options = {
    createPyodideModule,
    indexURL: place,
    // It loads no packages by itself.
    lockFileContents: { info: lock.info, packages: {} },
    env: { HOME: "/tmp" },
    args: [],
    stdin: () => null,
    stdout: () => {},
    stderr: () => {},
    _sysExecutable: "/python",
    ...(snapshot === undefined ? { _makeSnapshot: true } : { _loadSnapshot: snapshot })
  }
  return loadPyodide(options as unknown as Parameters<typeof loadPyodide>[0])
}
