import { place, type Plan } from "./GraphLayout.ts"

/** The URL of this module. In a worker, the module lays out each plan that it receives and sends back the result. */
export const url = import.meta.url

if (!("document" in globalThis)) {
  addEventListener("message", ({ data }: MessageEvent<Plan>) => postMessage(place(data)))
}
