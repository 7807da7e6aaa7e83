import * as FastCheck from "fast-check"
import type { Operation } from "./ApiDocument.ts"
import * as ComponentCodes from "./ComponentCodes.ts"
import * as Parts from "./Parts.ts"
import * as Placeholder from "./Placeholder.ts"
import { type Body, type Coding, type Framing, isCertain, type Message, type Plan } from "./Plan.ts"
import * as Texts from "./Texts.ts"
import { weighted } from "./ValidPlans.ts"

interface Twist {
  readonly trait: string
  readonly message: Message
}

/** A way to spoil a request that is HTTP all the same. */
type Twisting = (message: Message) => FastCheck.Arbitrary<Twist>

/** Sent behind a request, it shows whether the server still knows where requests begin and end. */
const probe: Message = {
  method: "GET",
  target: "/v1/users/me",
  headers: Parts.headers,
  body: { type: "none" },
  framing: { type: "length" }
}

const text = (value: string): Body => ({ type: "text", text: value, coding: "none" })
const bytes = (value: Uint8Array): Body => ({
  type: "bytes",
  base64: Buffer.from(value).toString("base64"),
  coding: "none"
})

const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth)

const deep = FastCheck.tuple(
  FastCheck.constantFrom(98, 99, 100, 101, 102, 2_000, 100_000),
  FastCheck.constantFrom(["[", "]"] as const, ["{\"a\":", "}"] as const, ["[", ""] as const)
).map(([depth, [open, close]]) => nested(depth, open, close))

/** Values put in the place of a field of the body. */
const oddJson = FastCheck.oneof(
  { weight: 4, arbitrary: Texts.hostile.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: deep },
  {
    weight: 4,
    arbitrary: FastCheck.constantFrom(
      "1e999",
      "-1e999",
      "-0",
      "123456789012345678901234567890",
      "0.1e-400",
      "\"\\ud800\"",
      "\"\\u0000\"",
      "{\"__proto__\":{\"x\":1}}",
      "{\"constructor\":{\"prototype\":{\"x\":1}}}",
      "{\"toJSON\":1}",
      "{\"a\":1,\"a\":2}",
      "[null]",
      "NaN",
      "undefined",
      "'single'",
      "\"\t\"",
      "01",
      "+1",
      "1.",
      "tru",
      "\"unterminated",
      "/* c */ 1",
      "\"\\x\"",
      "\"\\u12\""
    )
  }
)

const encoder = new TextEncoder()

const wholeBody: FastCheck.Arbitrary<Body> = FastCheck.oneof(
  { weight: 3, arbitrary: oddJson.map(text) },
  { weight: 2, arbitrary: FastCheck.uint8Array({ maxLength: 200 }).map(bytes) },
  {
    weight: 3,
    arbitrary: FastCheck.constantFrom<Body>(
      text(""),
      text(" "),
      text("{}{}"),
      text("{},"),
      text("{"),
      text("\ufeff{}"),
      bytes(Buffer.from("{\"name\":\"x\"}", "utf16le")),
      bytes(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("{}", "utf16le")])),
      bytes(Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0xc0, 0x80, 0x22, 0x7d])),
      bytes(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])),
      bytes(encoder.encode("{\"name\":\"\u0000\"}"))
    )
  },
  {
    weight: 1,
    arbitrary: FastCheck.integer({ min: 1, max: 40 }).map((many) =>
      text(`{${Array.from({ length: many * 500 }, (_, i) => `"k${i}":${i}`).join(",")}}`)
    )
  }
)

/** Near and over the largest body: rare, because each is megabytes. */
const largeBody: FastCheck.Arbitrary<Body> = FastCheck.constantFrom(
  300_000,
  524_289,
  1_048_577,
  8_388_608,
  8_388_609,
  9_000_000
)
  .map((length) => text(`{"component_code":"${"c".repeat(length - 22)}"}`))

const asJson = (message: Message, body: Body): Message => ({
  ...message,
  body,
  headers: message.headers.some(([name]) => name === "content-type")
    ? message.headers
    : [...message.headers, ["content-type", "application/json"]]
})

const oddBody: Twisting = (message) =>
  FastCheck.oneof(
    { weight: 30, arbitrary: wholeBody },
    { weight: 1, arbitrary: largeBody }
  ).map((body) => ({ trait: "an odd body", message: asJson(message, body) }))

const oddField: Twisting = (message) => {
  const names = ["name", "url", "component_code", "configured_props", "emitter_id", "event_name", "include", "active"]
  const known = message.body.type === "text"
    ? [...message.body.text.matchAll(/"(\w+)":/g)].map((match) => match[1]!)
    : []
  return FastCheck.tuple(FastCheck.constantFrom(...names, ...known), oddJson).map(([name, json]) => ({
    trait: "an odd field",
    message: asJson(message, text(`{${JSON.stringify(name)}:${json}}`))
  }))
}

const oddCode: Twisting = (message) =>
  FastCheck.tuple(ComponentCodes.hostile, FastCheck.boolean()).map(([code, asSource]) => ({
    trait: "hostile code",
    message: asJson(
      { ...message, method: "POST", target: asSource ? "/v1/sources" : "/v1/components" },
      text(JSON.stringify({ component_code: code }))
    )
  }))

const oddProps: Twisting = (message) =>
  ComponentCodes.hostileProps.map((props) => ({
    trait: "hostile props",
    message: asJson(
      { ...message, method: "POST", target: "/v1/sources" },
      text(JSON.stringify({ component_id: Placeholder.reference("component", 0), configured_props: props }))
    )
  }))

const codings = FastCheck.constantFrom<Coding>("gzip", "deflate", "br", "none")

const oddCoding: Twisting = (message) =>
  FastCheck.tuple(
    codings,
    FastCheck.constantFrom("gzip", "deflate", "br", "zstd", "compress", "identity", "gzip, gzip", "x", "")
  )
    .map(([coding, said]) => {
      const body: Body = message.body.type === "none"
        ? { type: "text", text: "{}", coding }
        : { ...message.body, coding }
      return {
        trait: "a coded body",
        message: { ...message, body, headers: [...message.headers, ["content-encoding", said]] }
      }
    })

const oddContentType: Twisting = (message) =>
  FastCheck.constantFrom(
    "application/json; charset=utf-16",
    "application/json; charset=bogus",
    "application/json; charset=\"utf-8",
    "application/json;",
    "APPLICATION/JSON",
    " application/json ",
    "application/json, text/plain",
    "application/json/x",
    "application/merge-patch+json",
    "application/problem+json",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=x",
    "application/x-www-form-urlencoded",
    "*/*",
    "json",
    "é",
    "x".repeat(2_000)
  ).map((type) => ({
    trait: "an odd content type",
    message: {
      ...message,
      body: message.body.type === "none" ? text("{}") : message.body,
      headers: [...message.headers.filter(([name]) => name !== "content-type"), ["content-type", type]]
    }
  }))

const splitPath = (target: string): ReadonlyArray<string> => target.split(/(?=\?)/, 2)

const oddPath: Twisting = (message) => {
  const [path = "", query] = splitPath(message.target)
  const spoil = FastCheck.constantFrom<(at: string) => string>(
    (at) => `${at}/`,
    (at) => `${at}//`,
    (at) => `/${at}`,
    (at) => at.replace("/v1/", "/v1//"),
    (at) => at.replace("/v1/", "/v1/./"),
    (at) => at.replace("/v1/", "/v1/x/../"),
    (at) => at.replace("/v1/", "/v1/%2e%2e/v1/"),
    (at) => at.replace("/v1/", "/v1%2f"),
    (at) => at.replace("/v1/", "/V1/"),
    (at) => `${at}%00`,
    (at) => `${at}%`,
    (at) => `${at}%zz`,
    (at) => `${at}%ff`,
    (at) => `${at}%c0%af`,
    (at) => `${at}%ed%a0%80`,
    (at) => `${at}%25`,
    (at) => `${at};a=b`,
    (at) => `${at};a=b/secret`,
    (at) => `${at}%3Ba`,
    (at) => `${at}#fragment`,
    (at) => `${at}\\x`,
    (at) => `${at}/__proto__`,
    (at) => `${at}/${"a/".repeat(500)}`,
    (at) => `${at}${"x".repeat(3_000)}`,
    (at) => `${at}${"x".repeat(17_000)}`,
    (at) => at.toUpperCase(),
    (at) => at.replace(/\/[^/]+$/, "/%2e%2e"),
    (at) => at.replace(/\/[^/]+$/, "/.."),
    (at) => at.replace(/\/[^/]+$/, "/%2A"),
    (at) => at.replace(/\/[^/]+$/, "/constructor"),
    (at) => at.replace(/\/[^/]+$/, "/"),
    (at) => at.replaceAll(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    (at) => `${at}é`,
    () => "",
    () => "*",
    () => "/",
    () => "//",
    () => "/v1",
    () => "/v1/",
    () => "/http",
    () => "/http/",
    () => "/http/x",
    () => "/http//x",
    () => "/healthz/x",
    () => "/openapi.json",
    () => "/docs",
    () => "/docs/x",
    () => "/../../etc/passwd",
    () => "/v1/users/me/../me",
    () => "/v1/:id",
    () => "/v1/*"
  )
  return spoil.map((spoiled) => ({
    trait: "an odd path",
    message: { ...message, target: spoiled(path) + (query ?? "") }
  }))
}

const oddQuery: Twisting = (message) => {
  const [path = ""] = splitPath(message.target)
  const pair = FastCheck.tuple(
    FastCheck.oneof(
      FastCheck.constantFrom(
        "limit",
        "after",
        "before",
        "include",
        "exclude",
        "event_name",
        "expand",
        "url",
        "emitter_id"
      ),
      FastCheck.constantFrom("listener_id", "start_id", "end_id", "from", "limit[]", "include[a]", "%", "", "a.b"),
      Texts.prototypeName
    ),
    Texts.hostile
  ).map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed().slice(0, 5_000))}`)
  return FastCheck.oneof(
    { weight: 6, arbitrary: FastCheck.array(pair, { minLength: 1, maxLength: 3 }).map((pairs) => pairs.join("&")) },
    {
      weight: 2,
      arbitrary: FastCheck.constantFrom(
        "&&&",
        "=",
        "a",
        "%zz=%zz",
        "include=%ff%fe",
        "include=a%00b",
        "include=é",
        "a=b;c=d",
        "?include=id",
        "limit=10#x",
        "include=a+b",
        "a=1&".repeat(3_000),
        "include=" + "a.".repeat(2_000),
        "include=" + "a,".repeat(2_040),
        "exclude=" + "constructor.".repeat(300),
        "include=__proto__.__proto__,constructor.prototype"
      )
    }
  ).map((query) => ({ trait: "an odd query", message: { ...message, target: `${path}?${query}` } }))
}

const oddMethod: Twisting = (message) =>
  FastCheck.constantFrom(
    "HEAD",
    "OPTIONS",
    "PATCH",
    "TRACE",
    "PROPFIND",
    "MKCOL",
    "LINK",
    "PURGE",
    "M-SEARCH",
    "QUERY",
    "GET",
    "POST",
    "PUT",
    "DELETE"
  ).map((method) => ({ trait: `${method} where it may not be`, message: { ...message, method } }))

const oddHeader: Twisting = (message) =>
  FastCheck.constantFrom<ReadonlyArray<readonly [string, string]>>(
    [["x-request-id", "é"]],
    [["x-request-id", "a".repeat(129)]],
    [["x-request-id", "ok-id:1.2_3"]],
    [["x-request-id", "a"], ["x-request-id", "b"]],
    [["x-http-method-override", "DELETE"]],
    [["expect", "100-continue"]],
    [["expect", "something"]],
    [["upgrade", "websocket"], ["connection", "upgrade"], ["sec-websocket-version", "13"], [
      "sec-websocket-key",
      "eA=="
    ]],
    [["upgrade", "h2c"], ["connection", "Upgrade, HTTP2-Settings"], ["http2-settings", ""]],
    [["connection", "close, x"]],
    [["connection", "keep-alive, authorization"]],
    [["accept", "text/html"]],
    [["accept", ""]],
    [["accept-encoding", "gzip, br, *;q=0"]],
    [["accept-charset", "utf-7"]],
    [["range", "bytes=0-1"]],
    [["if-none-match", "*"], ["if-match", "\"x\""]],
    [["if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT"]],
    [["origin", "https://evil.test"], ["access-control-request-method", "PUT"]],
    [["cookie", "a=b; __proto__=c"]],
    [["x-forwarded-for", "::1"], ["x-forwarded-host", "evil.test"], ["forwarded", "for=1"]],
    [["authorization", "Bearer second"]],
    [["host", "evil.test"]],
    [["content-length", "0"]],
    [["content-length", "7"]],
    [["last-event-id", "\u0001"]],
    [["last-event-id", "1-1"]],
    [["traceparent", "00-zz"], ["tracestate", "="]],
    [["b3", "0"], ["x-b3-traceid", "zz"]],
    [["__proto__", "x"], ["constructor", "y"]],
    [["te", "trailers"], ["trailer", "x"]],
    [["x-headwater-hops", "16"]],
    Array.from({ length: 300 }, (_, i) => [`x-${i}`, "v"] as const),
    Array.from({ length: 2_500 }, () => ["a", "b"] as const),
    [["x-long", "l".repeat(15_000)]],
    [["x-longer", "l".repeat(17_000)]]
  ).map((more) => ({
    trait: `header ${more[0]?.[0] ?? ""}`,
    message: { ...message, headers: [...message.headers, ...more] }
  }))

const framings = FastCheck.constantFrom<Framing>(
  { type: "declared", length: "0" },
  { type: "declared", length: "1" },
  { type: "declared", length: "-1" },
  { type: "declared", length: "+5" },
  { type: "declared", length: "0x5" },
  { type: "declared", length: "5, 6" },
  { type: "declared", length: "" },
  { type: "declared", length: "99999999999999999999" },
  { type: "declared", length: "8388609" },
  { type: "declared", length: "1048577" },
  { type: "unsaid" },
  { type: "chunked", size: 1 },
  { type: "chunked", size: 70_000 }
)

const oddFraming: Twisting = (message) =>
  framings.map((framing) => ({
    trait: framing.type === "declared" ? `content-length ${framing.length}` : `a body ${framing.type}`,
    message: { ...message, framing, body: message.body.type === "none" ? text("{\"name\":\"a\"}") : message.body }
  }))

const spareKey: Twisting = (message) =>
  FastCheck.constantFrom(
    `bearer ${Placeholder.spareKey}`,
    `BEARER  ${Placeholder.spareKey} `,
    `Bearer ${Placeholder.spareKey}x`
  )
    .map((value) => ({
      trait: "another key",
      message: {
        ...message,
        headers: [...message.headers.filter(([name]) => name !== "authorization"), ["authorization", value]]
      }
    }))

const twistings: ReadonlyArray<readonly [number, Twisting]> = [
  [5, oddBody],
  [4, oddField],
  [1, oddCode],
  [2, oddProps],
  [3, oddCoding],
  [3, oddContentType],
  [5, oddPath],
  [5, oddQuery],
  [4, oddMethod],
  [4, oddHeader],
  [4, oddFraming],
  [1, spareKey]
]

/** Requests that are HTTP and mean harm. */
export const plans = (operations: ReadonlyArray<Operation>): FastCheck.Arbitrary<Plan> =>
  weighted(operations, (operation) =>
    FastCheck.tuple(
      Parts.of(operation).map((parts) => Parts.messageOf(parts)).chain((message) =>
        FastCheck.oneof(
          ...twistings
            .filter(([, twisting]) => twisting !== oddField || operation.method !== "GET")
            .map(([weight, twisting]) => ({ weight, arbitrary: twisting(message) }))
        )
      ),
      FastCheck.nat({ max: 4 }).map((n) => n === 4)
    ).map(([{ message, trait }, isProbed]): Plan => ({
      mode: "hostile",
      operation: operation.id,
      trait,
      expects: "any",
      content: { type: "messages", messages: isProbed && isCertain(message) ? [message, probe] : [message] }
    })))
