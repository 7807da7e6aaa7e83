import * as FastCheck from "fast-check"
import * as Placeholder from "./Placeholder.ts"
import type { Content, Message, Plan } from "./Plan.ts"

/** What is no single request is counted as this. */
export const operation = "raw"

const auth = `Authorization: Bearer ${Placeholder.apiKey}`

const lines = (...given: ReadonlyArray<string>): string => `${given.join("\r\n")}\r\n\r\n`

const get = "GET /v1/users/me HTTP/1.1"
const post = "POST /v1/components HTTP/1.1"
const host = "Host: fuzz.test"
const json = "Content-Type: application/json"

/** Bytes that are no request, or not one that is as it should be. */
const texts: ReadonlyArray<string> = [
  "",
  "\r\n",
  "\r\n\r\n",
  "\n\n",
  "GET\r\n\r\n",
  "GET /\r\n\r\n",
  "GET / HTTP/0.9\r\n\r\n",
  lines("GET /healthz HTTP/1.0"),
  lines(get.replace("1.1", "1.0"), auth),
  lines(get, auth),
  lines(get, "Host:", auth),
  lines(get, host, host, auth),
  lines(get, "Host: a b", auth),
  lines(get.replace("1.1", "2.0"), host),
  lines(get.replace("1.1", "9.9"), host),
  lines(get.replace("HTTP", "http"), host),
  lines("get /v1/users/me HTTP/1.1", host, auth),
  lines("GET  /v1/users/me HTTP/1.1", host, auth),
  lines("GET /v1/users /me HTTP/1.1", host, auth),
  lines("GET\t/v1/users/me\tHTTP/1.1", host, auth),
  lines("GET /v1/users/me\u0000 HTTP/1.1", host, auth),
  lines("GET /v1/users/\u00ff HTTP/1.1", host, auth),
  lines(`${"A".repeat(5_000)} / HTTP/1.1`, host),
  lines("G@T / HTTP/1.1", host),
  lines("CONNECT example.test:443 HTTP/1.1", host),
  lines("CONNECT / HTTP/1.1", host, auth),
  lines("OPTIONS * HTTP/1.1", host),
  lines("GET * HTTP/1.1", host, auth),
  lines("GET http://fuzz.test/v1/users/me HTTP/1.1", host, auth),
  lines("GET http://other.test:1/v1/users/me HTTP/1.1", host, auth),
  lines("GET https://fuzz.test/v1/users/me?include=id HTTP/1.1", host, auth),
  lines("GET http:///v1/users/me HTTP/1.1", host, auth),
  lines("GET //fuzz.test/v1/users/me HTTP/1.1", host, auth),
  lines("GET http://[::1 HTTP/1.1", host),
  lines("GET ?x HTTP/1.1", host),
  lines("GET v1/users/me HTTP/1.1", host, auth),
  `${get}\n${host}\n${auth}\n\n`,
  `${get}\r${host}\r${auth}\r\r`,
  lines(get, host, "No colon here"),
  lines(get, host, ": empty name"),
  lines(get, host, "Space : before"),
  lines(get, host, " folded: x"),
  lines(get, host, "X: a", "\tb", auth),
  lines(get, host, "X: \u0000", auth),
  lines(get, host, "X: \u0001\u007f", auth),
  lines(get, host, "X: \u00ff\u00fe", auth),
  lines(get, host, "X\u00ff: a", auth),
  lines(get, host, `X: ${"y".repeat(70_000)}`),
  lines(get, host, ...Array.from({ length: 5_000 }, (_, i) => `X${i}: y`)),
  lines(get, host, auth, auth),
  lines(get, host, auth, "Authorization: Bearer other"),
  lines(get, host, "authorization: bearer\u00a0x"),
  lines(get, host, "Expect: 100-continue", auth),
  lines(get, host, "Expect: 200-maybe", auth),
  `${lines(post, host, auth, json, "Expect: 100-continue", "Content-Length: 2")}{}`,
  `${lines(post, host, auth, json, "Expect: 100-continue", "Content-Length: 99999999")}{}`,
  `${lines(post, host, auth, json, "Content-Length: 5", "Content-Length: 6")}{}   `,
  `${lines(post, host, auth, json, "Content-Length: 2", "Content-Length: 2")}{}`,
  `${lines(post, host, auth, json, "Content-Length: 2, 2")}{}`,
  `${lines(post, host, auth, json, "Content-Length: -2")}{}`,
  `${lines(post, host, auth, json, "Content-Length: 2 2")}{}`,
  `${lines(post, host, auth, json, "Content-Length: 2", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: gzip, chunked")}2\r\n{}\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked, gzip")}2\r\n{}\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: identity")}{}`,
  `${lines(post, host, auth, json, "Transfer-Encoding: xchunked")}0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding:\u000bchunked")}0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}2;ext=1;x="y"\r\n{}\r\n0\r\nTrailer: x\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}2;${"e".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}zz\r\n{}\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}-1\r\n{}\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}ffffffffffffffffff\r\n{}\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}2\r\n{}garbage\r\n0\r\n\r\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}2\n{}\n0\n\n`,
  `${lines(post, host, auth, json, "Transfer-Encoding: chunked")}0\r\n${"T: x\r\n".repeat(3_000)}\r\n`,
  lines(get, host, "Upgrade: websocket", "Connection: Upgrade", auth),
  lines(get, host, "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAMAAABkAAQ", auth),
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  "SSH-2.0-fuzz\r\n",
  "{\"not\":\"http\"}\n",
  `${lines(post, host, auth, json, "Content-Length: 2")}{}${lines(get, host, auth)}`,
  `${lines("GET /v1/users/me HTTP/1.1", host, auth, "Content-Length: 20")}GET /v1/x HTTP/1.1\r\n${
    lines(get, host, auth)
  }`,
  `${lines("DELETE /v1/nothing HTTP/1.1", host, auth, "Transfer-Encoding: chunked")}5\r\nhello\r\n0\r\n\r\n${
    lines(get, host, auth)
  }`
]

const bytes = (latin1: string, ends: boolean): Content => ({ type: "bytes", latin1, ends })

const odd: FastCheck.Arbitrary<readonly [string, Content]> = FastCheck.tuple(
  FastCheck.constantFrom(...texts),
  FastCheck.boolean()
).map(([text, ends]) => ["odd bytes", bytes(text, ends)])

const random: FastCheck.Arbitrary<readonly [string, Content]> = FastCheck.uint8Array({ minLength: 1, maxLength: 500 })
  .map((given) => ["random bytes", bytes(Buffer.from(given).toString("latin1"), true)])

/** A byte of a request changed. */
const dented: FastCheck.Arbitrary<readonly [string, Content]> = FastCheck.tuple(
  FastCheck.constantFrom(...texts.filter((text) => text.length > 10 && text.length < 2_000)),
  FastCheck.nat(),
  FastCheck.nat({ max: 255 })
).map(([text, place, byte]) => {
  const at = place % text.length
  return ["a byte changed", bytes(text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + 1), true)]
})

/** Requests cut off in the middle: the sender goes away, or falls silent. */
const cut = (messages: FastCheck.Arbitrary<Message>, toText: (message: Message) => string) =>
  FastCheck.tuple(messages, FastCheck.nat(), FastCheck.boolean()).map(
    ([message, place, ends]): readonly [string, Content] => {
      const text = toText(message)
      return [ends ? "cut off" : "fallen silent", bytes(text.slice(0, place % text.length), ends)]
    }
  )

const headerText = ({ body, headers, method, target }: Message): string => {
  const text = body.type === "text" ? Buffer.from(body.text).toString("latin1") : ""
  const framing = text === "" ? [] : [`content-length: ${text.length + 10}`]
  return `${
    lines(`${method} ${target} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`), ...framing)
  }${text}`
}

/** Several requests sent at once, without waiting. */
const pipelined = (messages: FastCheck.Arbitrary<Message>) =>
  FastCheck.array(messages, { minLength: 2, maxLength: 6 }).map((given): readonly [string, Content] => [
    "pipelined",
    { type: "messages", messages: given }
  ])

/** @param messages orderly requests, to be spoiled */
export const plans = (messages: FastCheck.Arbitrary<Message>): FastCheck.Arbitrary<Plan> =>
  FastCheck.oneof(
    { weight: 8, arbitrary: odd },
    { weight: 1, arbitrary: random },
    { weight: 3, arbitrary: dented },
    { weight: 2, arbitrary: cut(messages, headerText) },
    { weight: 4, arbitrary: pipelined(messages) }
  ).map(([trait, content]): Plan => ({ mode: "raw", operation, trait, expects: "any", content }))
