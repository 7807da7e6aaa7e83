/** The program of a sandbox process for Python: the interpreter is there before the runtime takes it over. */
import { hideHost, loadRuntime } from "./HostHiding.ts"
import { loadInterpreter } from "./InterpreterCode.ts"
import { handedOver } from "./InterpreterHandover.ts"

// @ts-expect-error made once by a server
import snapshot from "./python.snapshot" with { type: "bytes" }

hideHost()
Object.defineProperty(globalThis, handedOver, {
  value: await loadInterpreter(snapshot as Uint8Array<ArrayBuffer>),
  configurable: true
})
void loadRuntime()
