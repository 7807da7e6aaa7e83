import { Context } from "effect"

/** What the operator decided about HTTP. */
export class HttpSettings extends Context.Service<HttpSettings, {
  /** Where clients reach this server, without a trailing slash and without `/v1`. */
  readonly publicUrl: string
  /** Largest body of a request to a source's HTTP interface, in bytes. */
  readonly maxBody: number
}>()("@headwater/server/HttpSettings") {}
