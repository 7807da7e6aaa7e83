/** The program of a sandbox process. Its one argument is the broker's port; all else comes over the channel. */
import { receive, send } from "./Channel.ts"
import { type Call, call, describe } from "./Component.ts"
import { installFetch } from "./Fetch.ts"
import { installGlobals } from "./Globals.ts"
import { Invalid, learn, load } from "./Module.ts"
import { onAnswer, routeNetwork } from "./Network.ts"
import { installOwnRequire } from "./OwnRequire.ts"
import { begin, describeError, RunContext } from "./RunContext.ts"
import { installSystem } from "./System.ts"
import type { Bindings } from "./This.ts"
import { installWebSocket } from "./WebSocket.ts"

const inspectComponent = async (run: RunContext, hash: string, kind: "source" | "workflow"): Promise<void> => {
  try {
    const component = await load(hash)
    run.end({ _tag: "Described", description: describe(component.definition, kind) })
  } catch (thrown) {
    run.end({
      _tag: "Refused",
      ...(thrown instanceof Invalid
        ? thrown.details
        : { reason: "load", message: describeError(thrown, undefined)["message"] })
    })
  }
}

const runComponent = async (run: RunContext, hash: string, what: Call, bindings: Bindings): Promise<void> => {
  try {
    const component = await load(hash)
    run.file = component
    await call(component.definition, run, bindings, what)
    run.end({ _tag: "Ended" })
  } catch (thrown) {
    if (!(thrown instanceof Invalid)) return run.fail(thrown)
    run.end({ _tag: "Ended", error: { name: "Error", stack: "", ...thrown.details } })
  }
}

const start = (message: Record<string, unknown>, programId: string | undefined, body: (run: RunContext) => void) => {
  const run = new RunContext(message["run"] as string, programId)
  begin(run, () => body(run))
}

const onMessage = (message: Record<string, unknown>): void => {
  switch (message["_tag"]) {
    case "Ping":
      return send({ __proto__: null, _tag: "Pong" })
    case "Code":
      return learn(message["hash"] as string, message["code"] as string)
    case "Inspect":
      return start(
        message,
        undefined,
        (run) =>
          void inspectComponent(run, message["hash"] as string, message["kind"] === "workflow" ? "workflow" : "source")
      )
    case "Run":
      return start(
        message,
        message["programId"] as string,
        (run) =>
          void runComponent(run, message["hash"] as string, message["call"] as Call, message["bindings"] as Bindings)
      )
    case "Answer":
      return onAnswer(message)
  }
}

const [brokerPort] = process.argv.slice(2)
routeNetwork(Number(brokerPort))
installFetch()
installGlobals()
installWebSocket()
installSystem()
installOwnRequire()
void receive((message) => message["_tag"] === "Start" ? send({ __proto__: null, _tag: "Ready" }) : onMessage(message))
