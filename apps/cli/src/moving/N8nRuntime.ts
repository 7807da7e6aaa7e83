/** Beside the steps of a workflow of n8n: carries out its nodes over lists of items, as they were there. */
export const runtimeFile = "n8n.mjs"

export const runtime = String
  .raw`// Carries out nodes of n8n: each takes lists of items, { json }, and gives such lists.

import nodes from "./nodes.mjs"

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value)
const listOf = (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value])
const itemOf = (value) => (isObject(value) ? (isObject(value.json) ? value : { json: value }) : { json: { data: value } })
const itemsOf = (value) => listOf(value).map(itemOf)
const text = (value) =>
  value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)

/** The parameters of a node for one of its items: functions stand for expressions. */
const resolve = (value, context) =>
  typeof value === "function"
    ? value(context, text)
    : Array.isArray(value)
    ? value.map((each) => resolve(each, context))
    : isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each, context)]))
    : value

const kindOf = (event) =>
  isObject(event) && "method" in event && "headers" in event
    ? "http"
    : isObject(event) && "timestamp" in event && ("cron" in event || "interval_seconds" in event)
    ? "timer"
    : "manual"

const kinds = new Set([...nodes.values()].flatMap(({ trigger }) => trigger ?? []))

/** The items with which a trigger begins a run. */
const begun = (trigger, event) => {
  const kind = kindOf(event)
  if (kinds.size > 1 && kind !== trigger && (kinds.has(kind) || trigger === "http")) return []
  if (trigger === "timer") {
    const at = new Date(isObject(event) && event.timestamp ? event.timestamp * 1000 : Date.now())
    return [{ json: { timestamp: at.toISOString() } }]
  }
  if (trigger !== "http" || kind !== "http") return itemsOf(event ?? {})
  const { body, headers, query } = event
  return [{ json: { headers, params: {}, query: query ?? {}, body: body ?? {} } }]
}

/** The lists that a node has given; undefined if it has not run. */
const outputsOf = (name, steps) => {
  const node = nodes.get(name)
  if (node === undefined) throw new Error("there is no node " + name)
  if (node.trigger !== undefined) return [begun(node.trigger, steps.trigger.event)]
  const given = steps[node.step]?.$return_value
  return given === undefined || given === null ? undefined : node.outputs > 1 ? given : [given]
}

const unitMs = {
  milliseconds: 1, seconds: 1e3, minutes: 6e4, hours: 36e5, days: 864e5, weeks: 6048e5,
  second: 1e3, minute: 6e4, hour: 36e5, day: 864e5, week: 6048e5
}

/** A time in UTC, with the members of n8n's that are used most. */
const time = (date) => ({
  toISO: () => date.toISOString(),
  toISODate: () => date.toISOString().slice(0, 10),
  toJSDate: () => date,
  toMillis: () => date.getTime(),
  toSeconds: () => date.getTime() / 1000,
  toJSON: () => date.toISOString(),
  toString: () => date.toISOString(),
  valueOf: () => date.getTime(),
  plus: (by, unit) => moved(date, by, unit, 1),
  minus: (by, unit) => moved(date, by, unit, -1),
  startOf: (unit) =>
    time(new Date(date.toISOString().slice(0, { year: 4, month: 7, day: 10 }[unit] ?? 10))),
  toFormat: (form) => {
    const [, yyyy, MM, dd, HH, mm, ss] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/.exec(date.toISOString())
    const parts = { yyyy, MM, dd, HH, mm, ss }
    return form.replace(/[A-Za-z]+/g, (part) => {
      if (parts[part] === undefined) throw new Error("the format " + form + " is not known here")
      return parts[part]
    })
  },
  year: date.getUTCFullYear(),
  month: date.getUTCMonth() + 1,
  day: date.getUTCDate(),
  hour: date.getUTCHours(),
  minute: date.getUTCMinutes(),
  second: date.getUTCSeconds(),
  weekday: date.getUTCDay() || 7
})

const moved = (date, by, unit, sign) => {
  const parts = isObject(by) ? by : { [unit ?? "milliseconds"]: by }
  const to = new Date(date)
  for (const [name, amount] of Object.entries(parts)) {
    if (/^months?$/.test(name)) to.setUTCMonth(to.getUTCMonth() + sign * amount)
    else if (/^years?$/.test(name)) to.setUTCFullYear(to.getUTCFullYear() + sign * amount)
    else if (unitMs[name] === undefined) throw new Error("the unit " + name + " is not known here")
    else to.setTime(to.getTime() + sign * amount * unitMs[name])
  }
  return time(to)
}

/** The names that n8n gives to expressions and code, for the item at a place. */
const contextOf = ({ $, env, from, items, steps }, index) => {
  const itemAt = (list, name) => {
    if (list.length === 1) return list[0]
    if (list.length === items.length) return list[index]
    throw new Error("it is not known which item of " + name + " belongs to this one: use first() or all()")
  }
  const node = (name) => {
    const lists = outputsOf(name, steps)
    const list = (output = 0) => {
      if (lists === undefined) throw new Error("the node " + name + " has not run before this one")
      return output === 0 && lists.length > 1 ? lists.find(({ length }) => length > 0) ?? [] : lists[output] ?? []
    }
    return {
      isExecuted: lists !== undefined,
      all: (output) => list(output),
      first: (output) => list(output)[0],
      last: (output) => list(output).at(-1),
      itemMatching: (at) => list()[at],
      pairedItem: () => itemAt(list(), name),
      get item() {
        return itemAt(list(), name)
      },
      get json() {
        return itemAt(list(), name)?.json
      }
    }
  }
  const now = new Date()
  const item = items[index]
  return {
    $: node,
    $json: item?.json,
    $input: { all: () => items, first: () => items[0], last: () => items.at(-1), item, params: {} },
    $node: new Proxy({}, { get: (_, name) => node(name) }),
    $items: (name, output) => (name === undefined ? items : node(name).all(output)),
    $now: time(now),
    $today: time(now).startOf("day"),
    $workflow: { id: $.context?.workflow_id, name: $.context?.workflow_name, active: true },
    $execution: { id: $.context?.trace_id ?? $.context?.id, mode: "production" },
    $env: env,
    $vars: env,
    $itemIndex: index,
    $runIndex: 0,
    $prevNode: { name: from[0]?.[0]?.[0], outputIndex: from[0]?.[0]?.[1] ?? 0, runIndex: 0 },
    $parameter: {},
    items,
    item: item?.json
  }
}

const same = (one, other) => one === other || JSON.stringify(one) === JSON.stringify(other)
const isEmpty = (value) =>
  value === undefined || value === null || value === "" || typeof value === "object" && Object.keys(value).length === 0
const matches = (value, pattern) => {
  const [, inner, flags] = /^\/([^]*)\/([a-z]*)$/.exec(pattern) ?? [undefined, pattern, ""]
  return new RegExp(inner, flags).test(value)
}
const numbers = {
  equals: (a, b) => a === b,
  gt: (a, b) => a > b,
  gte: (a, b) => a >= b,
  lt: (a, b) => a < b,
  lte: (a, b) => a <= b
}
const truth = (value) => (typeof value === "string" ? value.toLowerCase() === "true" : Boolean(value))
const number = (value) => {
  const read = Number(value)
  if (value === "" || value === null || Number.isNaN(read)) throw new TypeError(text(value) + " is no number")
  return read
}
const dateOf = (value) => {
  const read = new Date(typeof value === "object" && value !== null ? value.valueOf() : value).getTime()
  if (Number.isNaN(read)) throw new TypeError(text(value) + " is no date")
  return read
}
const times = { after: "gt", before: "lt", afterOrEquals: "gte", beforeOrEquals: "lte", equals: "equals" }
const operations = {
  string: {
    equals: (a, b) => a === b,
    contains: (a, b) => a.includes(b),
    startsWith: (a, b) => a.startsWith(b),
    endsWith: (a, b) => a.endsWith(b),
    regex: matches
  },
  number: numbers,
  boolean: { equals: (a, b) => a === b, true: (a) => a, false: (a) => !a },
  dateTime: Object.fromEntries(Object.entries(times).map(([name, as]) => [name, numbers[as]])),
  array: {
    contains: (a, b) => a.some((each) => same(each, b)),
    ...Object.fromEntries(Object.entries(numbers).map(([name, holds]) => [
      "length" + name[0].toUpperCase() + name.slice(1),
      (a, b) => holds(a.length, number(b))
    ]))
  },
  object: {}
}
const read = {
  string: (value, ignoresCase) => (ignoresCase ? text(value).toLowerCase() : text(value)),
  number,
  boolean: truth,
  dateTime: dateOf,
  array: listOf,
  object: (value) => value
}

/** True if a comparison of two values holds. */
const compared = (type, operation, left, right, ignoresCase) => {
  if (operation === "exists") return left !== undefined && left !== null
  if (operation === "empty") return isEmpty(left)
  const not = /^(?:not|lengthNot)([A-Z]\w*)$/.exec(operation)
  if (not !== null) {
    const inner = operation.startsWith("length") ? "length" + not[1] : not[1][0].toLowerCase() + not[1].slice(1)
    return !compared(type, inner, left, right, ignoresCase)
  }
  const known = Object.hasOwn(operations, type) ? operations[type] : {}
  if (!Object.hasOwn(known, operation)) throw new Error("the comparison " + type + " " + operation + " is not known here")
  if (type === "array") return known[operation](listOf(left), right)
  const value = (each) => (known[operation].length < 2 && each === right ? each : read[type](each, ignoresCase))
  return known[operation](value(left), known[operation].length < 2 ? undefined : value(right))
}

/** The names that comparisons of the first versions have now. */
const older = {
  equal: "equals", notEqual: "notEquals", isEmpty: "empty", isNotEmpty: "notEmpty", larger: "gt", largerEqual: "gte",
  smaller: "lt", smallerEqual: "lte"
}
const firstOperation = { boolean: "equal", number: "smaller", string: "equal", dateTime: "after" }
const olderHolds = (type, { operation = firstOperation[type], value1, value2 }) =>
  compared(type, older[operation] ?? operation, value1, value2, false)

const holds = ({ combineOperation, conditions = {} }) => {
  if (!Array.isArray(conditions.conditions)) {
    const all = Object.entries(conditions).flatMap(([type, list]) => listOf(list).map((each) => olderHolds(type, each)))
    return combineOperation === "any" ? all.some(Boolean) : all.every(Boolean)
  }
  const ignoresCase = conditions.options?.caseSensitive === false
  const all = conditions.conditions.map(({ leftValue, operator, rightValue }) =>
    compared(operator.type, operator.operation, leftValue, rightValue, ignoresCase)
  )
  return conditions.combinator === "or" ? all.some(Boolean) : all.every(Boolean)
}

/** The outputs to which an item goes. */
const ways = (parameters, outputs) => {
  const { mode = "rules", options = {}, rules = {} } = parameters
  if (mode === "expression") return [Number(parameters.output)]
  const newer = rules.values ?? (parameters.value1 === undefined ? rules.rules : undefined)
  const found = newer === undefined
    ? listOf(rules.rules).flatMap((rule, index) =>
      olderHolds(parameters.dataType ?? "number", { operation: "equal", ...rule, value1: parameters.value1 })
        ? [rule.output ?? index]
        : []
    )
    : listOf(newer).flatMap((rule, index) => (holds(rule) ? [index] : []))
  const fallback = options.fallbackOutput ?? parameters.fallbackOutput ?? "none"
  if (found.length > 0) return options.allMatchingOutputs === true ? found : [found[0]]
  if (fallback === "extra") return [outputs - 1]
  return fallback === "none" || fallback === -1 ? [] : [Number(fallback)]
}

const put = (target, path, value, isDotted) => {
  const names = isDotted ? path.split(/\.|\[(\d+)\]\.?/).filter((name) => name !== undefined && name !== "") : [path]
  let at = target
  for (const name of names.slice(0, -1)) {
    if (!Object.hasOwn(at, name) || typeof at[name] !== "object" || at[name] === null) define(at, name, {})
    at = at[name]
  }
  define(at, names.at(-1), value)
}
const define = (target, name, value) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })

const typed = (type, value) => {
  if (type === "string") return value === undefined || value === null ? value : text(value)
  if (type === "number") return number(value)
  if (type === "boolean") return truth(value)
  return typeof value === "string" && (type === "array" || type === "object") ? JSON.parse(value) : value
}

const setFields = (parameters, { json }, version) => {
  const { assignments, fields, include, includeOtherFields, jsonOutput, keepOnlySet, mode, options = {}, values } = parameters
  const named = text(parameters.includeFields ?? parameters.excludeFields).split(",").map((name) => name.trim())
  const keeps = version < 3
    ? keepOnlySet !== true
    : version < 3.3
    ? include !== "none"
    : includeOtherFields === true
  const made = structuredClone(keeps ? json : {})
  if (keeps && (include === "selected" || include === "except")) {
    for (const name of Object.keys(made)) {
      if (named.includes(name) !== (include === "selected")) delete made[name]
    }
  }
  if (mode === "raw") return { json: { ...made, ...(typeof jsonOutput === "string" ? JSON.parse(jsonOutput) : jsonOutput) } }
  const given = [
    ...listOf(assignments?.assignments),
    ...listOf(fields?.values).map(({ name, type = "stringValue", ...of }) => ({
      name,
      type: type.replace("Value", ""),
      value: of[type]
    })),
    ...Object.entries(version < 3 && values !== undefined ? values : {}).flatMap(([type, list]) =>
      listOf(list).map((each) => ({ ...each, type }))
    )
  ]
  for (const { name, type, value } of given) put(made, name, typed(type, value), options.dotNotation !== false)
  return { json: made }
}

const pairsIn = (value) =>
  listOf(value?.parameters ?? value?.parameter).map(({ name, value }) => [name, value])
const objectIn = (value) => (typeof value === "string" ? JSON.parse(value) : value ?? {})

/** The headers and the query that a credential adds to a request. */
const signed = (account, url, headers) => {
  const auth = account?.$auth
  if (auth === undefined) return
  const token = auth.oauth_access_token ?? auth.accessToken ?? auth.access_token ?? auth.token
  if (auth.user !== undefined || auth.username !== undefined) {
    const bytes = new TextEncoder().encode((auth.user ?? auth.username) + ":" + (auth.password ?? ""))
    headers.set("authorization", "Basic " + btoa(String.fromCharCode(...bytes)))
  } else if (auth.name !== undefined && auth.in === "query") url.searchParams.set(auth.name, auth.value)
  else if (auth.name !== undefined) headers.set(auth.name, auth.value)
  else if (token !== undefined) headers.set("authorization", "Bearer " + token)
  else throw new Error("the account has neither token, user and password, nor name and value")
}

const answered = async (response, format) => {
  if (format === "file") throw new Error("answers that are files did not come over: write the step anew")
  const body = await response.text()
  const isJson = format === "json" || format !== "text" && /[/+]json/.test(response.headers.get("content-type") ?? "")
  return isJson ? (body === "" ? {} : JSON.parse(body)) : body
}

const request = async (parameters, account) => {
  const options = parameters.options ?? {}
  const url = new URL(/^[a-z]+:/i.test(parameters.url) ? parameters.url : "http://" + parameters.url)
  const headers = new Headers()
  const isOld = parameters.jsonParameters === true
  const query = parameters.specifyQuery === "json" || isOld
    ? Object.entries(objectIn(parameters.jsonQuery ?? parameters.queryParametersJson))
    : pairsIn(parameters.queryParameters ?? parameters.queryParametersUi)
  for (const [name, value] of query) url.searchParams.append(name, text(value))
  const sent = parameters.specifyHeaders === "json" || isOld
    ? Object.entries(objectIn(parameters.jsonHeaders ?? parameters.headerParametersJson))
    : pairsIn(parameters.headerParameters ?? parameters.headerParametersUi)
  for (const [name, value] of sent) headers.set(name, text(value))
  signed(account, url, headers)
  const method = parameters.method ?? parameters.requestMethod ?? "GET"
  const type = parameters.contentType ?? parameters.bodyContentType ?? "json"
  const pairs = pairsIn(parameters.bodyParameters ?? parameters.bodyParametersUi)
  const json = parameters.specifyBody === "json" || isOld
    ? objectIn(parameters.jsonBody ?? parameters.bodyParametersJson ?? {})
    : Object.fromEntries(pairs)
  const hasBody = parameters.sendBody === true ||
    parameters.sendBody === undefined && method !== "GET" && (pairs.length > 0 || isOld)
  let body
  if (hasBody && type === "json") {
    body = JSON.stringify(json)
    if (!headers.has("content-type")) headers.set("content-type", "application/json")
  } else if (hasBody && type === "form-urlencoded") body = new URLSearchParams(Object.entries(json).map(([k, v]) => [k, text(v)]))
  else if (hasBody && type === "raw") {
    body = text(parameters.body)
    if (parameters.rawContentType) headers.set("content-type", parameters.rawContentType)
  } else if (hasBody && type === "multipart-form-data") {
    body = new FormData()
    for (const [name, value] of pairs) body.append(name, text(value))
  } else if (hasBody) throw new Error("bodies of the type " + type + " did not come over: write the step anew")
  const response = await fetch(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    ...(options.timeout === undefined ? {} : { signal: AbortSignal.timeout(options.timeout) })
  })
  const how = options.response?.response ?? {}
  const data = await answered(response, how.responseFormat ?? parameters.responseFormat)
  if (!response.ok && how.neverError !== true) {
    throw new Error(url.origin + url.pathname + " answered " + response.status + ": " + text(data).slice(0, 1000))
  }
  if (how.fullResponse !== true && options.fullResponse !== true) return data
  return {
    body: data,
    headers: Object.fromEntries(response.headers),
    statusCode: response.status,
    statusMessage: response.statusText
  }
}

const helpers = {
  async httpRequest({ body, headers = {}, json, method = "GET", qs = {}, returnFullResponse, uri, url = uri }) {
    return request({
      url,
      method,
      specifyQuery: "json",
      jsonQuery: qs,
      specifyHeaders: "json",
      jsonHeaders: headers,
      sendBody: body !== undefined,
      contentType: typeof body === "string" ? "raw" : "json",
      body,
      specifyBody: "json",
      jsonBody: body,
      options: { fullResponse: returnFullResponse }
    })
  }
}

const respond = async ($, { respondWith = "firstIncomingItem", options = {}, ...parameters }, items) => {
  const headers = Object.fromEntries(listOf(options.responseHeaders?.entries).map(({ name, value }) => [name, text(value)]))
  const status = Number(options.responseCode ?? (respondWith === "redirect" ? 307 : 200))
  const plain = { status, headers }
  if (respondWith === "noData") return $.respond({ ...plain, body: "" })
  if (respondWith === "redirect") return $.respond({ status, headers: { ...headers, location: parameters.redirectURL }, body: "" })
  if (respondWith === "text") return $.respond({ ...plain, body: text(parameters.responseBody) })
  if (respondWith === "json") return $.respond({ ...plain, body: objectIn(parameters.responseBody) })
  if (respondWith === "allIncomingItems") return $.respond({ ...plain, body: items.map(({ json }) => json) })
  if (respondWith === "firstIncomingItem") return $.respond({ ...plain, body: items[0]?.json ?? {} })
  throw new Error("answers with " + respondWith + " did not come over: write the step anew")
}

const paired = ([one, other]) => {
  const count = Math.min(one.length, other.length)
  return one.slice(0, count).map(({ json }, index) => ({ json: { ...json, ...other[index].json } }))
}

/** Carries out each type of node. Each gives its output, or all of them if it has several. */
const types = {
  noOp: ({ items }) => items,
  filter: ({ each }) => each(({ item, parameters }) => (holds(parameters) ? [item] : [])),
  async if({ each }) {
    const lists = [[], []]
    await each(({ item, parameters }) => void lists[holds(parameters) ? 0 : 1].push(item))
    return lists
  },
  async switch({ each, outputs }) {
    const lists = Array.from({ length: outputs }, () => [])
    await each(({ item, parameters }) => {
      for (const way of ways(parameters, outputs)) {
        if (lists[way] === undefined) throw new Error("there is no output " + way)
        lists[way].push(item)
      }
    })
    return lists
  },
  set: ({ each, version }) => each(({ item, parameters }) => setFields(parameters, item, version)),
  httpRequest: ({ account, each }) =>
    each(async ({ parameters }) => {
      const data = await request(parameters, account)
      return Array.isArray(data) || isObject(data) ? itemsOf(data) : { json: { data } }
    }),
  async respondToWebhook({ $, items, parametersAt }) {
    await respond($, parametersAt(0), items)
    return items
  },
  wait({ $, items, parametersAt, version }) {
    const { amount = version < 1.1 ? 1 : 5, dateTime, resume = "timeInterval", unit = version < 1.1 ? "hours" : "seconds" } =
      parametersAt(0)
    $.flow.delay(resume === "specificTime" ? Math.max(0, dateOf(dateTime) - Date.now()) : Number(amount) * unitMs[unit])
    return items
  },
  merge({ inputs, parametersAt }) {
    const parameters = parametersAt(0)
    const { combinationMode, combineBy, mode = "append", output, useDataOfInput } = parameters
    const by = combineBy ?? combinationMode
    if (mode === "append") return inputs.flat()
    if (mode === "chooseBranch") return inputs[/2$/.test(String(useDataOfInput ?? output ?? 1)) ? 1 : 0] ?? []
    if (mode === "mergeByIndex" || by === "combineByPosition" || by === "mergeByPosition") return paired(inputs)
    if (mode === "multiplex" || by === "combineAll" || by === "multiplex") {
      return inputs[0].flatMap(({ json }) => inputs[1].map((other) => ({ json: { ...json, ...other.json } })))
    }
    throw new Error("this way to merge did not come over: write the step anew")
  },
  async code({ contextAt, items, node }) {
    return itemsOf(await node.run.call({ helpers }, contextAt(0)))
  },
  codeEach: ({ contextAt, each, node }) =>
    each(async ({ index }) => {
      const made = await node.run.call({ helpers }, contextAt(index))
      return made === undefined || made === null ? [] : itemOf(made)
    })
}

/** The step of a node. */
export const node = (name, given) => ({
  ...(given.props === undefined ? {} : { props: given.props }),
  async run({ steps, $ }) {
    const { from, outputs = 1, parameters = {}, type, version = 1 } = given
    const inputs = from.map((sources) =>
      sources.flatMap(([source, output = 0]) => outputsOf(source, steps)?.[output] ?? [])
    )
    const all = inputs.flat()
    const items = given.executeOnce === true ? all.slice(0, 1) : all
    const empty = outputs > 1 ? Array.from({ length: outputs }, () => []) : []
    // Nothing has come this way.
    if (items.length === 0) return empty
    const scope = { $, env: given.env ?? {}, from, items, steps }
    const contextAt = (index) => contextOf(scope, index)
    const parametersAt = (index) => resolve(parameters, contextAt(index))
    const each = async (of) => {
      const made = []
      for (const [index, item] of items.entries()) {
        made.push(...listOf(await of({ index, item, parameters: resolve(parameters, contextAt(index)) })))
      }
      return made
    }
    const account = Object.keys(given.props ?? {}).map((prop) => this[prop])[0]
    let made
    try {
      made = await types[type]({ $, account, contextAt, each, inputs, items, node: given, outputs, parametersAt, version })
    } catch (error) {
      if (given.goesOn !== true) throw error
      made = [{ json: { error: error instanceof Error ? error.message : String(error) } }]
    }
    if (outputs === 1 && made.length === 0 && given.alwaysOutputData === true) made = [{ json: {} }]
    if (given.answers !== undefined) await respond($, { respondWith: given.answers }, made)
    return made
  }
})
`
