import { root } from "../api/Address.ts"
import { Failure } from "../api/Failure.ts"
import { place, type Placed, type Plan } from "./GraphLayout.ts"

/** Up to this many boxes and links are placed in a few milliseconds, before a worker would have begun. */
const fewParts = 60

interface ScriptUrls {
  readonly createScriptURL: (url: string) => string
}

const ownUrls: ScriptUrls = {
  createScriptURL: (url) => {
    if (!url.startsWith(root.href)) throw new TypeError(`${url} is not the console's own`)
    return url
  }
}

const { trustedTypes } = globalThis as {
  readonly trustedTypes?: { readonly createPolicy: (name: string, rules: ScriptUrls) => ScriptUrls }
}

/** The page's policy accepts the URL of a script only from here. */
const scriptUrls = trustedTypes?.createPolicy("own-scripts", ownUrls) ?? ownUrls

/**
 * Lays out a plan, in a worker if it takes long, so that the page stays responsive.
 *
 * @throws Failure
 */
export const layOut = async (plan: Plan, signal: AbortSignal): Promise<Placed> => {
  if (plan.boxes.length + plan.links.length <= fewParts) return place(plan)
  const { url } = await import("./GraphLayoutWorker.ts")
  signal.throwIfAborted()
  const worker = new Worker(scriptUrls.createScriptURL(url), { type: "module" })
  try {
    return await new Promise<Placed>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
      worker.addEventListener("message", ({ data }: MessageEvent<Placed>) => resolve(data))
      worker.addEventListener(
        "error",
        ({ message }) =>
          reject(new Failure({ message: `The graph could not be drawn. ${message}`, code: "page", status: 500 }))
      )
      worker.postMessage(plan, [])
    })
  } finally {
    worker.terminate()
  }
}
