import { Context } from "effect"

/** What the operator decided about HTTP. */
export class HttpSettings extends Context.Service<HttpSettings, {
  /** Largest body of a request to a source's HTTP interface, in bytes. */
  readonly maxBody: number
}>()("@headwater/server/HttpSettings") {}
