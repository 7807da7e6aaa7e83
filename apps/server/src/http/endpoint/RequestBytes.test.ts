import { assert, layer } from "@effect/vitest"
import * as Json from "@headwater/fixtures/Json"
import { Effect, Schedule } from "effect"
import { HttpServer } from "effect/http"
import * as fc from "fast-check"
import { createHash } from "node:crypto"
import * as NodeHttp from "node:http"
import * as Zlib from "node:zlib"
import * as Http from "../../../test/HttpAppFixture.ts"

/** What is said of a request by code that wants the bytes. */
const told = `{
  n: event.path.slice(1),
  bytes: (event.bodyBase64 === undefined ? Buffer.from(event.bodyRaw ?? "") : Buffer.from(event.bodyBase64, "base64")).toString("base64"),
  isNeeded: event.bodyBase64 !== undefined,
  text: event.bodyRaw,
  body: event.body
}`

const telling = Http.httpCode(`this.$emit(${told})`)
const tellingWorkflow = `export default {
  props: { http: "$.interface.http" },
  run({ steps: { trigger: { event } }, $ }) { $.emit(${told}) }
}`

const encode: Record<string, (bytes: Uint8Array) => Uint8Array> = {
  identity: (bytes) => bytes,
  gzip: Zlib.gzipSync,
  "X-GZIP": Zlib.gzipSync,
  deflate: Zlib.deflateSync,
  // As some senders do (RFC 9110, 8.4.1.2).
  Deflate: Zlib.deflateRawSync,
  br: Zlib.brotliCompressSync,
  zstd: Zlib.zstdCompressSync,
  "gzip, br": (bytes) => Zlib.brotliCompressSync(Zlib.gzipSync(bytes)),
  "zstd,identity , gzip": (bytes) => Zlib.gzipSync(Zlib.zstdCompressSync(bytes))
}

interface Sent {
  readonly bytes: Uint8Array
  readonly type: string
  readonly coding: string | undefined
  readonly isChunked: boolean
}

const exchange = (url: string, body: Uint8Array, headers: NodeHttp.OutgoingHttpHeaders) =>
  Effect.callback<{ readonly status: number; readonly headers: NodeHttp.IncomingHttpHeaders; readonly text: string }>(
    (resume) => {
      const request = NodeHttp.request(url, { method: "POST", headers, agent: false }, (response) => {
        let text = ""
        response.on("data", (chunk) => {
          text += chunk
        })
        response.on(
          "end",
          () => resume(Effect.succeed({ status: response.statusCode ?? 0, headers: response.headers, text }))
        )
      })
      request.on("error", (error) => resume(Effect.die(error)))
      request.end(body)
    }
  )

const post = (url: string, { bytes, coding, isChunked, type }: Sent) => {
  const body = coding === undefined ? bytes : encode[coding]!(bytes)
  return exchange(url, body, {
    ...(type === "" ? {} : { "content-type": type }),
    ...(coding === undefined ? {} : { "content-encoding": coding }),
    ...(isChunked ? { "transfer-encoding": "chunked" } : { "content-length": body.length })
  })
}

const charsets = ["utf-8", "UTF8", "iso-8859-1", "\"windows-1251\"", "Shift_JIS", "utf-16", "utf-16be", "gbk", "none"]
const types = ["", "text/plain", "application/json", "application/x-www-form-urlencoded", "application/octet-stream"]

const sent: fc.Arbitrary<Sent> = fc.record({
  bytes: fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.string({ unit: "grapheme", maxLength: 100 }).map((text) => new TextEncoder().encode(text)),
    fc.json({ maxDepth: 2 }).map((text) => Buffer.from(`\ufeff${text}`)),
    fc.string({ maxLength: 50 }).map((text) => Buffer.from(`\ufeff${text}`, "utf16le")),
    fc.constant(new Uint8Array([0xef, 0xbb, 0xbf])),
    fc.constant(new Uint8Array([0, 1, 0xff]))
  ),
  type: fc.tuple(fc.constantFrom(...types), fc.constantFrom("", ...charsets)).map(([type, charset]) =>
    type === "" || charset === "" ? type : `${type}; charset=${charset}`
  ),
  coding: fc.constantFrom(undefined, ...Object.keys(encode)),
  isChunked: fc.boolean()
})

/** Makes a source or workflow, and gives what it tells of requests, by their number. */
const teller = Effect.fnUntraced(function*(kind: "sources" | "workflows", code = telling) {
  const http = yield* Http.tenant()
  const { address } = yield* HttpServer.HttpServer
  const made = yield* http.created(
    `/v1/${kind}`,
    kind === "sources" ? { component_code: code } : { workflow_code: tellingWorkflow }
  )
  return {
    url: HttpServer.formatAddress(address) + Http.endpointOf(made),
    /** What was told, once it is of so many. */
    told: (count: number) =>
      http.request("GET", `/v1/events?emitter=${made.id}&expand=event&limit=100`).pipe(
        Effect.map(({ json }) => Json.listOf(json["data"]).map(({ event }) => event!["raw_event"]!)),
        Effect.repeat({ until: (found) => found.length >= count, schedule: Schedule.spaced("50 millis") }),
        Effect.timeout("60 seconds"),
        Effect.map((found) => new Map(found.map((each) => [Number(each["n"]), each])))
      )
  }
})

layer(Http.layer, { excludeTestServices: true })("a request's body", (it) => {
  for (const kind of ["sources", "workflows"] as const) {
    it.effect(
      `comes to the code of ${kind} byte for byte, whatever it is in and whichever way it takes`,
      () =>
        Effect.gen(function*() {
          const { told, url } = yield* teller(kind)
          // Also of the road for small bodies, which knows the endpoint after the first of the others.
          const first = { bytes: new Uint8Array([0xff]), type: "", coding: undefined, isChunked: true }
          const cases = [first, { ...first, isChunked: false }, ...fc.sample(sent, 90)]
          for (const [n, each] of cases.entries()) {
            const { status, text } = yield* post(`${url}/${n}`, each)
            assert.strictEqual(status, 200, text)
          }
          const found = yield* told(cases.length)
          for (const [n, each] of cases.entries()) {
            const { bytes, isNeeded, text } = found.get(n)! as Record<string, unknown>
            assert.strictEqual(bytes, Buffer.from(each.bytes).toString("base64"), JSON.stringify(each))
            assert.strictEqual(isNeeded, !Buffer.from(String(text ?? "")).equals(Buffer.from(each.bytes)))
          }
        }),
      180_000
    )
  }

  it.effect("is text by its charset, and its fields are", () =>
    Effect.gen(function*() {
      const { told, url } = yield* teller("sources")
      const latin1 = (text: string) => Buffer.from(text, "latin1")
      const form = "application/x-www-form-urlencoded"
      const octets = "application/octet-stream"
      const cases: ReadonlyArray<readonly [string, Uint8Array, unknown, unknown]> = [
        ["text/plain; charset=ISO-8859-1", latin1("caf\xe9"), "café", "café"],
        ["text/plain;charset='windows-1252'", latin1("\x80"), "€", "€"],
        ["text/plain; charset=koi8-r", Buffer.from([0xcd, 0xc9, 0xd2]), "мир", "мир"],
        ["text/plain; charset=nobody-knows", Buffer.from("ü"), "ü", "ü"],
        ["text/plain", Buffer.from("\ufeffü"), "\ufeffü", "\ufeffü"],
        ["application/json", Buffer.from(`\ufeff{"a":"ü"}`), `\ufeff{"a":"ü"}`, { a: "ü" }],
        ["application/json", Buffer.from(`\ufeff{"a":"ü"}`, "utf16le"), `\ufeff{"a":"ü"}`, { a: "ü" }],
        ["application/json; charset=utf-16le", Buffer.from(`{"a":"ü"}`, "utf16le"), `{"a":"ü"}`, { a: "ü" }],
        ["application/json; charset=iso-8859-1", latin1(`{"a":"\xfc"}`), `{"a":"ü"}`, { a: "ü" }],
        [`${form}; charset=iso-8859-1`, latin1("a=%E9+x&\xe9=%zz"), "a=%E9+x&é=%zz", { a: "é x", é: "%zz" }],
        [`${form}; charset=Shift_JIS`, Buffer.from("k=%93%FA%96%7B&k=2"), "k=%93%FA%96%7B&k=2", { k: ["日本", "2"] }],
        [form, Buffer.from("_charset_=iso-8859-1&a=%E9"), "_charset_=iso-8859-1&a=%E9", {
          _charset_: "iso-8859-1",
          a: "é"
        }],
        [form, Buffer.from("\ufeff?a=%C3%A9&="), "\ufeff?a=%C3%A9&=", { "?a": "é", "": "" }],
        [
          "multipart/form-data; boundary=b",
          latin1(
            `--b\r\nContent-Disposition: form-data;\r\n name="a"\r\n\r\n1\r\n--b\r\nContent-Type: text/plain; charset=iso-8859-1\r\n` +
              `Content-Disposition: form-data; name="e"\r\n\r\n\xe9\r\n--b\r\nContent-Disposition: form-data; name="f"; ` +
              `filename="x"\r\n\r\n\x00\xff\r\n--b--\r\n`
          ),
          undefined,
          {
            a: "1",
            e: "é",
            f: { url: "(url)", filename: "x", mimetype: octets, content_type: octets, content: "AP8=" }
          }
        ]
      ]
      for (const [n, [type, bytes]] of cases.entries()) {
        yield* post(`${url}/${n}`, { bytes, type, coding: "gzip", isChunked: false })
      }
      const found = yield* told(cases.length)
      for (const [n, [type, bytes, text, body]] of cases.entries()) {
        const told = found.get(n)!
        if (text !== undefined) assert.deepStrictEqual<unknown>(told["text"], text, type)
        // The URL of a form's file has a key that nobody can know.
        const shown = JSON.stringify(told["body"]).replace(/"https:[^"]+\/files\/[^"]+"/, `"(url)"`)
        assert.deepStrictEqual<unknown>(JSON.parse(shown), body, type)
        assert.strictEqual(Json.textOf(told["bytes"]), Buffer.from(bytes).toString("base64"))
      }
    }))

  it.effect("is refused where its coding is unknown or does not hold, or it becomes too large, and leaves nothing", () =>
    Effect.gen(function*() {
      const { told, url } = yield* teller("sources")
      const send = (coding: string, body: Uint8Array) => exchange(url, body, { "content-encoding": coding })
      const fits = new Uint8Array(Http.maxBody)
      const plain = Buffer.from(createHash("sha256").update("plain").digest())
      const bombs: ReadonlyArray<readonly [string, Uint8Array]> = Object.entries(encode)
        .filter(([coding]) => coding !== "identity")
        .flatMap(([coding, encode]) =>
          [Http.maxBody + 1, 1_000_000].map((size) => [coding, encode(new Uint8Array(size))] as const)
        )
      const inner = Zlib.gzipSync(new Uint8Array(50_000_000))
      for (const [coding, body] of [...bombs, ["gzip, gzip", Zlib.gzipSync(inner)] as const]) {
        const answer = yield* send(coding, body)
        assert.deepStrictEqual([answer.status, Json.parse(answer.text)["code"]], [413, "payload_too_large"], coding)
      }
      for (const coding of ["compress", "aes128gcm", "aws-chunked", "gzip, x", "gzip,gzip,gzip,gzip", "__proto__"]) {
        const answer = yield* send(coding, plain)
        assert.deepStrictEqual(
          [answer.status, Json.parse(answer.text)["code"]],
          [415, "unsupported_media_type"],
          coding
        )
        assert.strictEqual(answer.headers["accept-encoding"], "gzip, deflate, br, zstd")
      }
      for (const [coding, encode_] of Object.entries(encode)) {
        if (coding === "identity") continue
        const whole = encode_(plain)
        const wrong = [plain, whole.subarray(0, -1), whole.subarray(0, 5), Buffer.concat([whole, Buffer.from("more")])]
        for (const body of wrong) {
          const answer = yield* send(coding, body)
          const { code, details } = Json.parse(answer.text) as Record<string, unknown>
          assert.deepStrictEqual([answer.status, code], [400, "invalid_request"], coding)
          assert.deepStrictEqual<unknown>((details as ReadonlyArray<Json.Json>)[0]!["path"], "Content-Encoding")
        }
      }
      // A window of 128 MiB for a few bytes.
      const wide = Zlib.zstdCompressSync(new Uint8Array(200_000_000), {
        params: { [Zlib.constants.ZSTD_c_windowLog]: 27 }
      })
      assert.strictEqual((yield* send("zstd", wide.subarray(0, Http.maxBody))).status, 400)
      for (const [n, [coding, encode_]] of Object.entries(encode).entries()) {
        const { status } = yield* exchange(`${url}/${n}`, encode_(fits), { "content-encoding": coding })
        assert.strictEqual(status, 200, coding)
      }
      // Senders that name no coding at all, or their charset.
      for (const [n, coding] of ["", "none", "utf-8", "UTF8, identity"].entries()) {
        assert.strictEqual((yield* exchange(`${url}/${90 + n}`, plain, { "content-encoding": coding })).status, 200)
      }
      // Nothing is in what nobody sent.
      assert.strictEqual(
        (yield* exchange(`${url}/98`, new Uint8Array(), { "content-encoding": "x", "content-length": 0 })).status,
        200
      )
      assert.strictEqual((yield* exchange(`${url}/99`, Zlib.gzipSync(""), { "content-encoding": "gzip" })).status, 200)
      const members = Buffer.concat([Zlib.zstdCompressSync("a"), Zlib.zstdCompressSync("b")])
      assert.strictEqual((yield* exchange(`${url}/97`, members, { "content-encoding": "zstd" })).status, 200)
      const count = Object.keys(encode).length + 7
      const found = yield* told(count)
      assert.strictEqual(found.size, count)
      assert.strictEqual(Json.textOf(found.get(97)!["text"]), "ab")
      assert.notProperty(found.get(98), "text")
      assert.notProperty(found.get(99), "text")
    }))
})

const roomy = 1_000_000

const counting = Http.httpCode(`
    const { bodyRaw } = event
    this.$emit({ n: event.path.slice(1), size: bodyRaw.length, isWhole: /^(ab)*$/.test(bodyRaw) })`)

layer(Http.layerWith({ maxBody: roomy }), { excludeTestServices: true })(
  "a body that becomes many times as large",
  (it) => {
    it.effect("comes through, many at a time, up to the limit", () =>
      Effect.gen(function*() {
        const { told, url } = yield* teller("sources", counting)
        const sizes = Array.from({ length: 12 }, (_, n) => roomy - n * 70_000)
        const send = (size: number, n: number) =>
          exchange(`${url}/${n}`, Zlib.gzipSync(Buffer.alloc(size, "ab")), { "content-encoding": "gzip" })
        const answers = yield* Effect.forEach([...sizes, roomy + 1], send, { concurrency: "unbounded" })
        assert.deepStrictEqual(answers.map(({ status }) => status), [...sizes.map(() => 200), 413])
        const found = yield* told(sizes.length)
        for (const [n, size] of sizes.entries()) {
          assert.deepStrictEqual<unknown>(found.get(n), { n: String(n), size, isWhole: true })
        }
      }))
  }
)
