import { maxBodyBytes, maxPlainBodyBytes } from "@headwater/api/RequestCheck"
import { Context, type Duration } from "effect"
import type * as IpNetwork from "effect/net/IpNetwork"

/** The operator's settings for HTTP. */
export class HttpSettings extends Context.Service<HttpSettings, {
  /** Largest body of a request to a source's HTTP interface, in bytes. */
  readonly maxBody: number
  /** Requests a second of one account; 0 for no limit. */
  readonly rateLimit: number
  /** Bytes a second of the bodies of one account's requests; 0 for no limit. */
  readonly byteRateLimit: number
  /** Largest component code, in bytes of UTF-8. */
  readonly maxCode: number
  /** Largest value of one configured prop, in bytes of its JSON. */
  readonly maxProp: number
  /** Largest value of a key of a data store, in bytes of its JSON. */
  readonly maxStoredValue: number
  /** Largest heap that a workflow may ask for, in MiB. */
  readonly maxHeapMebibytes: number
  /** The time that a request waits for a source or workflow to be changed or removed; half a minute where left out. */
  readonly changePatience?: Duration.Input
  /** Proxies whose word is taken for the address of a request's client; none where left out. */
  readonly trustedProxies?: ReadonlyArray<IpNetwork.IpNetwork>
  /** False where the server only shows what is there; true where left out. */
  readonly work?: boolean
  /** Names under which the server is reached, beside that of its URL; `*.` and a name for all below it, `*` for all. */
  readonly ownHosts?: ReadonlyArray<string>
}>()("@headwater/server/HttpSettings") {}

/** Bytes that one byte of text may take in JSON: six, as a control character does. */
const escapedBytes = 6

/** Largest body of an API request without code and props, in bytes: it can hold an event as an endpoint takes it. */
export const maxPlainApiBody = ({ maxBody }: HttpSettings["Service"]): number => Math.max(maxPlainBodyBytes, maxBody)

/** Largest part outside of strings of a body with values of data stores, in bytes: it can hold a value with its key. */
export const maxValuesOutside = (settings: HttpSettings["Service"]): number =>
  Math.max(maxPlainApiBody(settings), settings.maxStoredValue + 16 * 1024)

/**
 * Largest body of an API request, in bytes: leaves room for code and a prop of the largest sizes, or for a stored value, all
 * of them escaped.
 */
export const maxApiBody = ({ maxCode, maxProp, maxStoredValue }: HttpSettings["Service"]): number =>
  Math.max(maxBodyBytes, escapedBytes * Math.max(maxCode + maxProp, maxStoredValue) + 1024 * 1024)
