import { assert, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as MultipartForm from "./MultipartForm.ts"

const parse = (body: string | Buffer, contentType = "multipart/form-data; boundary=b") =>
  MultipartForm.parse(contentType, typeof body === "string" ? Buffer.from(body, "latin1") : body, 1_000)
    ?.map(({ name, value: { content, ...rest } }) => ({ name, text: content.toString("latin1"), ...rest }))

/** A part with these header lines. */
const form = (headers: string, content = "1") => `--b\r\n${headers}\r\n\r\n${content}\r\n--b--\r\n`

const field = (name: string, charset = "utf-8", text = "1") => [{ name, text, charset }]

it("reads every form that a browser writes", async () => {
  // A browser turns line feeds of names and fields into CRLF and escapes names, so what it does that to is left out.
  const text = fc.string({ unit: "binary" }).map((given) => given.toWellFormed().replaceAll(/[\r\n"]/g, "-"))
  const part = fc.record({
    name: text,
    content: fc.oneof(text, fc.uint8Array()),
    // Node writes an empty one not at all.
    filename: text.filter((given) => given !== "")
  })
  await fc.assert(fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 8 }), async (parts) => {
    const data = new FormData()
    for (const { content, filename, name } of parts) {
      if (typeof content === "string") data.append(name, content)
      else data.append(name, new Blob([content], { type: "application/x" }), filename)
    }
    const sent = new Response(data)
    const contentType = sent.headers.get("content-type")!
    const body = Buffer.from(await sent.arrayBuffer())
    const expected = parts.map(({ content, filename, name }) =>
      typeof content === "string"
        ? { name, text: Buffer.from(content).toString("latin1") }
        : { name, text: Buffer.from(content).toString("latin1"), filename, contentType: "application/x" }
    )
    const read = parse(body, contentType)?.map((part) => {
      if (!("charset" in part)) return part
      const { charset: _, ...rest } = part
      return rest
    })
    assert.deepStrictEqual<unknown>(read, expected)
  }))
})

it("reads headers in every form that senders write them in", () => {
  const headers = [
    `Content-Disposition: form-data; name="a"`,
    `content-disposition:form-data;name=a`,
    `Content-Disposition: form-data;\r\n name="a"`,
    `Content-Disposition:\r\n\tform-data;\r\n\t name = "a"`,
    `Content-Type: text/plain;\r\n charset=utf-8\r\nContent-Disposition: form-data; name="a"`,
    `Content-Disposition: attachment; x="; name=b"; name="a"`
  ]
  for (const each of headers) assert.deepStrictEqual<unknown>(parse(form(each)), field("a"), each)
  assert.deepStrictEqual<unknown>(parse(form(headers[0]!).replaceAll("\r\n", "\n")), field("a"))
  assert.deepStrictEqual<unknown>(parse(`before\r\n${form(headers[0]!)}behind`), field("a"))
  assert.deepStrictEqual<unknown>(parse(form(headers[0]!), `Multipart/Form-Data; Boundary="b"; x=y`), field("a"))
  assert.deepStrictEqual<unknown>(parse(form(headers[0]!).replaceAll("--b\r\n", "--b \t\r\n")), field("a"))
  assert.deepStrictEqual<unknown>(
    parse(form(headers[0]!).replaceAll("--b", "--a b/c:d=e"), "multipart/form-data; boundary=a b/c:d=e"),
    field("a")
  )
  const file = (filename: string) => [{ name: "f", text: "1", filename, contentType: "application/octet-stream" }]
  const files: ReadonlyArray<readonly [string, string]> = [
    [`filename="C:\\a\\b.txt"`, "C:\\a\\b.txt"],
    [`filename="a\\"b;c.txt"`, `a"b;c.txt`],
    [`filename=""`, ""],
    [`filename="x.txt"; filename*=UTF-8''%e2%82%ac.txt`, "€.txt"],
    [`filename*=iso-8859-1'en'%a3.txt`, "£.txt"]
  ]
  for (const [given, filename] of files) {
    const read = parse(form(`Content-Disposition: form-data; name=f; ${given}`))
    assert.deepStrictEqual<unknown>(read, file(filename), given)
  }
})

it("reads names and fields in the charset that is said", () => {
  const name = `Content-Disposition: form-data; name="\xe9"`
  const inForm = parse(form(name), "multipart/form-data; charset=iso-8859-1; boundary=b")
  assert.deepStrictEqual<unknown>(inForm, field("é", "windows-1252"))
  const declared = parse(
    `--b\r\nContent-Disposition: form-data; name=_charset_\r\n\r\niso-8859-1\r\n${form(name, "\xe9")}`
  )
  assert.deepStrictEqual<unknown>(declared?.slice(1), field("é", "windows-1252", "\xe9"))
  const ofPart = parse(form(`Content-Disposition: form-data; name="a"\r\nContent-Type: text/plain; charset=Shift_JIS`))
  assert.deepStrictEqual<unknown>(ofPart, field("a", "shift_jis"))
})

it("takes what only looks like the end of a part for its content", () => {
  const content = "\r\n--\r\n--bb\r\n --b--\r\n--c--\r\n--b x"
  const read = parse(form(`Content-Disposition: form-data; name="a"`, content))
  assert.deepStrictEqual<unknown>(read, field("a", "utf-8", content))
  const empty = parse(`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n--b--`)
  assert.deepStrictEqual<unknown>(empty, field("a", "utf-8", ""))
  assert.deepStrictEqual(parse("--b--\r\n"), [])
})

it("hands on no part of a form that it can't read as a whole", () => {
  const good = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`
  const wrong = [
    "",
    "--b",
    good,
    `${good}--b\r\n`,
    `${good}--b\r\nContent-Disposition: form-data\r\n\r\n2\r\n--b--`,
    `${good}--b\r\nContent-Type: text/plain\r\n\r\n2\r\n--b--`,
    `${good}--b\r\nno header\r\n--b--`,
    `${good}--b\r\n--b--`,
    `--b--\r\n${good}--b--`
  ]
  for (const each of wrong) assert.isUndefined(parse(each), JSON.stringify(each))
  assert.isUndefined(parse(`${good}--b--`, "multipart/form-data"))
  assert.lengthOf(parse(`${good.repeat(1_000)}--b--`)!, 1_000)
  assert.isUndefined(parse(`${good.repeat(1_001)}--b--`))
})
