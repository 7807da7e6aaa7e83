import formats from "ajv-formats"
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js"
import { isDeepStrictEqual } from "node:util"

/** An answer of a server, and the request it answers. */
export interface Exchange {
  readonly method: string
  /** With the query, as sent. */
  readonly path: string
  /** Whether the request had `include` or `exclude` in its body; in the query they are seen. */
  readonly projected?: boolean
  readonly status: number
  /** By name in any case. */
  readonly headers: Headers | Readonly<Record<string, string>>
  /** As received; empty without one. */
  readonly body: string
}

export interface ContractValidator {
  /**
   * What of an answer is not as the document says, a sentence each; empty where all is.
   *
   * A path or method that the document does not have is a fault, unless it is answered by a problem document that says
   * so: 404, or 405 with the right `Allow`. `HEAD` is held against `GET`.
   */
  readonly validate: (exchange: Exchange) => ReadonlyArray<string>
  /** The document's path that a URL falls under. */
  readonly pathOf: (url: string) => string | undefined
}

interface Reference {
  readonly $ref?: string
}

interface Header extends Reference {
  readonly required?: boolean
  readonly schema?: { readonly type?: string }
}

interface Response extends Reference {
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly responses: Readonly<Record<string, Response>>
}

/** What the validator reads of an OpenAPI 3.1 document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  /** What references point to. */
  readonly components?: unknown
}

/** Where the document describes the problem of an unknown path, and the answer to an unknown method of a known one. */
const notFound = "#/components/schemas/NotFoundProblem"
const methodNotAllowed = "#/components/responses/MethodNotAllowed"

const problemType = "application/problem+json"

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mapDeep = (value: unknown, f: (object: Record<string, unknown>) => Record<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, f))
  if (!isRecord(value)) return value
  return f(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapDeep(member, f)])))
}

/** Fields that an object's schema does not name are faults, also where it does not forbid them. */
const closed = (schema: Record<string, unknown>): Record<string, unknown> =>
  isRecord(schema["properties"]) && schema["type"] === "object" && !("additionalProperties" in schema)
    ? { ...schema, unevaluatedProperties: false }
    : schema

const withoutRequired = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { required, ...rest } = schema
  return Array.isArray(required) ? rest : schema
}

const pointer = (...segments: ReadonlyArray<string>): string =>
  "#/" + segments.map((segment) => encodeURIComponent(segment.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

const at = (document: unknown, reference: string): unknown => {
  let found = document
  for (const segment of reference.slice(2).split("/")) {
    const name = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~")
    found = isRecord(found) ? found[name] : undefined
  }
  return found
}

const segmentsOf = (url: string): ReadonlyArray<string> =>
  url.split(/[?#]/, 1)[0]!.replaceAll("%24", "$").replace(/\/$/, "").split("/")

const isTemplate = (segment: string): boolean => segment.startsWith("{")

/** The template that matches in the most segments to the letter. */
const templateFor = (templates: ReadonlyArray<string>, url: string): string | undefined => {
  const path = segmentsOf(url)
  const literals = (template: string) => segmentsOf(template).filter((segment) => !isTemplate(segment)).length
  return templates
    .filter((template) => {
      const segments = segmentsOf(template)
      return segments.length === path.length &&
        segments.every((segment, index) => isTemplate(segment) ? path[index] !== "" : segment === path[index])
    })
    .toSorted((a, b) => literals(b) - literals(a))[0]
}

/** What `include` and `exclude` leave alone. */
const isAroundData = ({ instancePath }: ErrorObject): boolean => !/^\/data(\/|$)/.test(instancePath)

const isProjected = (path: string): boolean => {
  const query = new URLSearchParams(path.split(/\?(.*)/s)[1] ?? "")
  return query.has("include") || query.has("exclude")
}

/** Checks answers against an OpenAPI 3.1 document, independently of the code that serves them. */
export const make = (document: Document): ContractValidator => {
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateSchema: false })
  formats.default(ajv)
  ajv.addSchema({ ...Object(mapDeep(document, closed)), $id: "whole" })
  ajv.addSchema({ ...Object(mapDeep(mapDeep(document, closed), withoutRequired)), $id: "projected" })

  const compiled = new Map<string, ValidateFunction>()
  const schemaAt = (reference: string): ValidateFunction => {
    const known = compiled.get(reference)
    if (known !== undefined) return known
    const validate = ajv.compile({ $ref: reference })
    compiled.set(reference, validate)
    return validate
  }

  const faultsOf = (
    reference: string,
    value: unknown,
    isRelevant: (error: ErrorObject) => boolean = () => true
  ): ReadonlyArray<string> => {
    const validate = schemaAt(reference)
    if (validate(value)) return []
    return (validate.errors ?? []).filter(isRelevant).map((error) =>
      `${error.instancePath === "" ? "it" : error.instancePath} ${error.message} ${JSON.stringify(error.params)}`
    )
  }

  const resolve = <A extends Reference>(reference: string, value: A): readonly [string, A] =>
    value.$ref === undefined ? [reference, value] : [value.$ref, at(document, value.$ref) as A]

  const headerFaults = (reference: string, response: Response, given: Headers): ReadonlyArray<string> =>
    Object.entries(response.headers ?? {}).flatMap(([name, unresolved]) => {
      const [place, header] = resolve(`${reference}/headers/${encodeURIComponent(name)}`, unresolved)
      const text = given.get(name)
      if (text === null) return header.required === true ? [`the header ${name} is missing`] : []
      const value = header.schema?.type === "integer" ? Number(text) : text
      return faultsOf(`whole${place}/schema`, value).map((fault) => `the header ${name}: ${fault}`)
    })

  /** @param schemaOf where the document describes a body of this content type */
  const bodyFaults = (
    types: ReadonlyArray<string>,
    schemaOf: (type: string) => string,
    exchange: Exchange
  ): ReadonlyArray<string> => {
    if (types.length === 0) return exchange.body === "" ? [] : ["there is a body, and the document has none"]
    const given = new Headers(exchange.headers).get("content-type") ?? ""
    const type = given.split(";", 1)[0]!.trim().toLowerCase()
    const isAny = types.includes("*/*")
    if (!isAny && !types.includes(type)) {
      return [`its content type is ${given}, and the document has ${types.join(", ")}`]
    }
    if (exchange.method === "HEAD") return exchange.body === "" ? [] : ["a HEAD is answered by a body"]
    if (isAny || !/json/.test(type)) return []
    let value: unknown
    try {
      value = JSON.parse(exchange.body)
    } catch {
      return ["its body is no JSON"]
    }
    const projected = type !== problemType && (exchange.projected === true || isProjected(exchange.path))
    if (projected && !(isRecord(value) && "data" in value)) return ["it has no data"]
    const faults = projected
      ? [...faultsOf(`projected${schemaOf(type)}`, value), ...faultsOf(`whole${schemaOf(type)}`, value, isAroundData)]
      : faultsOf(`whole${schemaOf(type)}`, value)
    return faults.map((fault) => `the body: ${fault}`)
  }

  const responseFaults = (unresolvedPlace: string, unresolved: Response, exchange: Exchange) => {
    const [place, response] = resolve(unresolvedPlace, unresolved)
    const schemaOf = (type: string) => `${place}/content/${encodeURIComponent(type.replaceAll("/", "~1"))}/schema`
    return [
      ...headerFaults(place, response, new Headers(exchange.headers)),
      ...bodyFaults(Object.keys(response.content ?? {}), schemaOf, exchange)
    ]
  }

  const pathOf = (url: string) => templateFor(Object.keys(document.paths), url)

  const validate = (exchange: Exchange): ReadonlyArray<string> => {
    const template = pathOf(exchange.path)
    if (template === undefined) {
      return exchange.status === 404
        ? bodyFaults([problemType], () => notFound, exchange)
        : [`the document has no such path, and it is answered by ${exchange.status}`]
    }
    const operations = document.paths[template]!
    const methods = Object.keys(operations).map((method) => method.toUpperCase())
    const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].toSorted()
    const allowFaults = () => {
      const given = (new Headers(exchange.headers).get("allow") ?? "").split(/\s*,\s*/).toSorted()
      return isDeepStrictEqual(given, allow) ? [] : [`Allow is ${given.join(", ")}, not ${allow.join(", ")}`]
    }
    if (exchange.method === "OPTIONS") {
      return exchange.status === 204 ? allowFaults() : [`OPTIONS is answered by ${exchange.status}`]
    }
    const method = (exchange.method === "HEAD" ? "GET" : exchange.method).toLowerCase()
    const operation = operations[method]
    if (operation === undefined) {
      if (exchange.status !== 405) {
        return [`the document has no ${exchange.method}, and it is answered by ${exchange.status}`]
      }
      return [...responseFaults(methodNotAllowed, { $ref: methodNotAllowed }, exchange), ...allowFaults()]
    }
    const response = operation.responses[String(exchange.status)]
    if (response === undefined) return [`its status ${exchange.status} is not in the document`]
    return responseFaults(
      pointer("paths", template, method, "responses", String(exchange.status)),
      response,
      exchange
    )
  }

  return {
    pathOf,
    validate: (exchange) =>
      validate(exchange).map((fault) => `${exchange.method} ${exchange.path} (${exchange.status}): ${fault}`)
  }
}
