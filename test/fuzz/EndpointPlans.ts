import * as FastCheck from "fast-check"
import * as Placeholder from "./Placeholder.ts"
import type { Body, Message, Plan } from "./Plan.ts"
import * as Texts from "./Texts.ts"

/** What requests to sources' endpoints are counted as, beside the operations of the document. */
export const operation = "endpoint"

const methods = FastCheck.constantFrom(
  "GET",
  "POST",
  "POST",
  "POST",
  "PUT",
  "DELETE",
  "PATCH",
  "HEAD",
  "OPTIONS",
  "PURGE"
)

const path = FastCheck.oneof(
  {
    weight: 8,
    arbitrary: FastCheck.constantFrom("", "/", "/a/b", "/throw", "/many", "/big", "/silent", "/log?x=1&x=2&__proto__=3")
  },
  {
    weight: 3,
    arbitrary: FastCheck.constantFrom(
      "?status=201",
      "?status=204",
      "?status=304&type=text/html",
      "?status=99",
      "?status=700",
      "?status=abc",
      "?type=%0d%0ax:y",
      "?id=1&name=s0",
      "?id=__proto__&name=__proto__",
      "?name=$errors",
      "?name=$requests",
      `?name=${"n".repeat(201)}`,
      "?name=%00",
      "?%=%zz&a=%ff"
    )
  },
  {
    weight: 2,
    arbitrary: FastCheck.constantFrom(
      "//",
      "/..",
      "/%2e%2e/%2e%2e/v1/users/me",
      "/;a",
      "/%00",
      "/%zz",
      "/#x",
      "/é",
      "/../..",
      "x"
    )
  }
)

const mediaType = FastCheck.constantFrom(
  "application/json",
  "application/json; charset=utf-16",
  "application/vnd.x+json",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=b",
  "multipart/form-data",
  "text/plain",
  "application/octet-stream",
  "application/xml",
  "",
  "é"
)

const marker = Placeholder.marker

const bodyText = FastCheck.oneof(
  {
    weight: 3,
    arbitrary: FastCheck.constantFrom(
      `{"marker":"${marker}"}`,
      `["${marker}"]`,
      `"${marker}"`,
      "null",
      "",
      `{"status":404,"headers":{"x":"${marker}"},"body":"${marker}"}`,
      `{"status":{},"headers":{"__proto__":{},"content-length":"1","set-cookie":["a=b","c=d"]},"body":{"a":1}}`
    )
  },
  {
    weight: 3,
    arbitrary: FastCheck.constantFrom(
      `{"__proto__":{"polluted":1},"m":"${marker}"}`,
      `{"\\u0000":"\\ud800","m":"${marker}"}`,
      `{"n":1e999,"m":"${marker}"}`,
      "{\"broken\"",
      `a=1&a=2&__proto__=3&m=${marker}`,
      "%=%zz&=&&",
      `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${marker}\r\n--b--\r\n`,
      `--b\r\nContent-Disposition: form-data; name="__proto__"; filename="x"\r\nContent-Type: x\r\n\r\n\u0000\u0001\r\n--b--\r\n`,
      "--b\r\nContent-Disposition: form-data\r\n\r\nx",
      "--b\r\n\r\n\r\n--b",
      "--b--"
    )
  },
  { weight: 2, arbitrary: Texts.marked(200).map((value) => JSON.stringify({ value })) },
  { weight: 1, arbitrary: Texts.hostile.map((value) => JSON.stringify({ [value]: value })) },
  {
    weight: 1,
    arbitrary: FastCheck.constantFrom(99, 100, 101, 5_000).map((depth) => "[".repeat(depth) + "]".repeat(depth))
  }
)

const body: FastCheck.Arbitrary<Body> = FastCheck.oneof(
  { weight: 12, arbitrary: bodyText.map((text): Body => ({ type: "text", text, coding: "none" })) },
  { weight: 2, arbitrary: FastCheck.constant<Body>({ type: "none" }) },
  { weight: 1, arbitrary: bodyText.map((text): Body => ({ type: "text", text, coding: "gzip" })) },
  {
    weight: 2,
    arbitrary: FastCheck.uint8Array({ maxLength: 300 }).map((bytes): Body => ({
      type: "bytes",
      base64: Buffer.from(bytes).toString("base64"),
      coding: "none"
    }))
  }
)

/** At the endpoint's limit and over it: rare, because each is large. */
const largeBody: FastCheck.Arbitrary<Body> = FastCheck.constantFrom(524_288, 524_289, 700_000).map((length): Body => ({
  type: "text",
  text: "e".repeat(length),
  coding: "none"
}))

const headers = FastCheck.constantFrom<ReadonlyArray<readonly [string, string]>>(
  [],
  [],
  [],
  [["x-headwater-hops", "15"]],
  [["x-headwater-hops", "16"]],
  [["x-headwater-hops", "-1"]],
  [["authorization", "Bearer nothing"]],
  [["__proto__", "a"], ["constructor", "b"]],
  [["x-twice", "a"], ["x-twice", "b"]],
  [["x-request-id", `${marker}`]],
  [["x-bytes", "é"]]
)

const message = (content: FastCheck.Arbitrary<Body>): FastCheck.Arbitrary<Message> =>
  FastCheck.record({
    method: methods,
    path,
    index: FastCheck.nat({ max: 99 }),
    whose: FastCheck.constantFrom<Placeholder.Whose>("own", "own", "own", "own", "own", "own", "own", "gone"),
    type: mediaType,
    body: content,
    headers,
    isChunked: FastCheck.nat({ max: 4 })
  }).map(({ body, headers, index, isChunked, method, path, type, whose }) => ({
    method,
    target: `/http/${Placeholder.reference("endpoint", index, whose)}${path}`,
    headers: [["host", "fuzz.test"], ...(type === "" ? [] : [["content-type", type] as const]), ...headers],
    body,
    framing: isChunked === 0 ? { type: "chunked", size: 7 } : { type: "length" }
  }))

/** Requests to the endpoints of the account's sources. They carry nothing of another account: who knows the URL may send. */
export const plans: FastCheck.Arbitrary<Plan> = FastCheck.oneof(
  { weight: 40, arbitrary: message(body) },
  { weight: 1, arbitrary: message(largeBody) }
).map((sent): Plan => ({
  mode: "endpoint",
  operation,
  trait: "a request to a source",
  expects: "any",
  content: { type: "messages", messages: [sent] }
}))
