/** The interpreter and its files, which are imported: the process has no right to read any. */
import type { Interpreter, InterpreterParts } from "./Interpreter.ts"

// @ts-expect-error made when the runtime is bundled
import code from "./Interpreter.txt" with { type: "text" }

// @ts-expect-error it lies beside the program
import library from "./python_stdlib.zip" with { type: "bytes" }

// @ts-expect-error it lies beside the program
import wasm from "./pyodide.asm.wasm" with { type: "bytes" }

type Load = (parts: InterpreterParts) => Promise<Interpreter>

/** As which its lines are told, so that they tell nothing of the host. */
const place = "/python/python.js"

type Bytes = Uint8Array<ArrayBuffer>

/** Gives memory back that a module would hold for ever. */
const free = ({ buffer }: Bytes): void => void buffer.transfer(0)

export const loadInterpreter = async (snapshot?: Bytes): Promise<Interpreter> => {
  // As a script, because to load it as a module takes several times as long.
  const { load } = new Function(`${code as string}\nreturn interpreter\n//# sourceURL=${place}`)() as {
    readonly load: Load
  }
  const files = { library: library as Bytes, wasm: wasm as Bytes }
  const interpreter = await load(snapshot === undefined ? files : { ...files, snapshot })
  for (const bytes of [files.library, files.wasm, ...(snapshot === undefined ? [] : [snapshot])]) free(bytes)
  return interpreter
}
