import { assert, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { EchoedSecrets } from "./EchoedSecrets.ts"

const bodyOf = (secrets: EchoedSecrets, text: string, isCut = false) =>
  Buffer.from(secrets.body(Buffer.from(text), isCut)).toString()

/** A value of a header that holds nothing of the mask. */
const secret = FastCheck.string({
  unit: FastCheck.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)).filter((unit) =>
    unit !== "*"
  ),
  minLength: 6,
  maxLength: 60
})

/** How servers show what they were sent, read back by whoever knows the kind of text. */
const echoes: ReadonlyArray<readonly [show: (value: string) => string, read: (text: string) => string]> = [
  [(value) => `you sent: ${value}!`, (text) => text],
  [(value) => JSON.stringify({ headers: { "X-Key": value } }), (text) => JSON.parse(text).headers["X-Key"]],
  [(value) => JSON.stringify({ a: value }).replaceAll("/", "\\/"), (text) => JSON.parse(text).a],
  [
    (value) =>
      JSON.stringify({ a: value }).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026"),
    (text) => JSON.parse(text).a
  ],
  [(value) => `?key=${encodeURIComponent(value)}&b=1`, (text) => new URLSearchParams(text).get("key") ?? ""],
  [(value) => String(new URLSearchParams({ key: value })), (text) => new URLSearchParams(text).get("key") ?? ""]
]

it("what an endpoint shows of a secret is not in what is kept, however it spells it", () => {
  FastCheck.assert(FastCheck.property(secret, FastCheck.boolean(), (value, hasScheme) => {
    const sent = hasScheme ? `Bearer ${value}` : value
    const secrets = new EchoedSecrets([sent])
    for (const [show, read] of echoes) {
      for (const shown of [sent, value]) {
        const kept = bodyOf(secrets, show(shown))
        assert.notInclude(kept, value)
        assert.notInclude(read(kept), value)
      }
    }
    assert.notInclude(secrets.headers({ "x-echo": `key ${sent}` })["x-echo"], value)
  }))
})

it("the parts of a secret count, as an endpoint takes them apart", () => {
  const cases: ReadonlyArray<readonly [value: string, echo: string, kept: string]> = [
    ["Bearer 7Yb2", "{\"token\":\"7Yb2\"}", "{\"token\":\"***\"}"],
    ["session=s3cr7Yb2; theme=dark", "s3cr7Yb2 dark", "*** dark"],
    [
      `Basic ${Buffer.from("ann:p&ss/w0rd").toString("base64")}`,
      "ann has p&ss/w0rd or p&amp;ss/w0rd",
      "ann has *** or ***"
    ],
    ["a<b\"c", "<p>a&lt;b&quot;c</p>", "<p>***</p>"],
    ["/!!!!!!!!!!!!!!&", `{"a":"\\/!!!!!!!!!!!!!!&"}`, `{"a":"***"}`],
    ["abc", "the abc of it", "the abc of it"]
  ]
  for (const [value, echo, kept] of cases) assert.strictEqual(bodyOf(new EchoedSecrets([value]), echo), kept, value)
})

it("those of the URL and of headers with a telling name count, and no others", () => {
  const secrets = EchoedSecrets.of("https://ann:pa%20ssw@a.example/", {
    authorization: "Token t0k3n",
    "x-team": "orders"
  }, {
    "x-plain": "hush!"
  })
  const basic = Buffer.from("ann:pa ssw").toString("base64")
  assert.strictEqual(bodyOf(secrets, `${basic} pa ssw t0k3n orders hush!`), "*** *** *** orders ***")
})

it("a secret that was cut, by whoever shows it or at the end of what is kept, is masked as far as it goes", () => {
  const secrets = new EchoedSecrets(["0123456789abcdefghij"])
  assert.strictEqual(bodyOf(secrets, "<0123456789abcdefgh…>"), "<***…>")
  assert.strictEqual(bodyOf(secrets, "the key is 01234", true), "the key is ***")
  assert.strictEqual(bodyOf(secrets, "the key is 01234", false), "the key is 01234")
})

it("bytes that are no text, and answers without secrets, are kept as they came", () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, i) => i)
  assert.deepStrictEqual(new EchoedSecrets(["a secret"]).body(bytes, true), bytes)
  const around = Buffer.concat([bytes, Buffer.from("a secret"), bytes])
  assert.deepStrictEqual(
    Buffer.from(new EchoedSecrets(["a secret"]).body(around, false)),
    Buffer.concat([bytes, Buffer.from("***"), bytes])
  )
})

it("a secret and a text that are hard to tell apart take no longer than others", () => {
  const text = "a".repeat(16 * 1024)
  const secrets = new EchoedSecrets([`${"a".repeat(8_000)}b`, `b${"a".repeat(8_000)}`])
  const before = process.cpuUsage()
  for (let i = 0; i < 100; i++) secrets.body(Buffer.from(text), true)
  const { user } = process.cpuUsage(before)
  assert.isBelow(user / 100, 50_000)
})
