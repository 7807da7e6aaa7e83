import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"

/** The key of what marks, in the OpenAPI document, an operation, parameter or field that stands beside the contract. */
export const key = "x-headwater-extension"

/** Spread into a schema's annotations, or given as an operation's `override`. */
export const mark = { [key]: true } as const

/** The annotations of an operation that stands beside the contract. */
export const operation = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description, override: mark })

/** True if an endpoint stands beside the contract. */
export const isOf = ({ annotations }: HttpApiEndpoint.Top): boolean =>
  Context.getOrUndefined(annotations, OpenApi.Override)?.[key] === true
