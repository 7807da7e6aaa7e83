import { place, type Plan } from "./GraphLayout.ts"

/** Where this module is. In a worker, it places what it is sent and sends back where it is. */
export const url = import.meta.url

if (!("document" in globalThis)) {
  addEventListener("message", ({ data }: MessageEvent<Plan>) => postMessage(place(data)))
}
