import { assert, it } from "@effect/vitest"
import * as EndpointBody from "./EndpointBody.ts"

/** A form of so many fields. */
const fields = (count: number): string => Array.from({ length: count }, () => "a=1").join("&")

/** The same as parts. */
const parts = (count: number): string =>
  `${`--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n`.repeat(count)}--b--\r\n`

it("takes a form apart up to 1,000 fields, and hands one with more on as text", () => {
  for (
    const [contentType, form] of [["application/x-www-form-urlencoded", fields], [
      "multipart/form-data; boundary=b",
      parts
    ]] as const
  ) {
    const parsed = (count: number) =>
      EndpointBody.fieldsOf(contentType, Buffer.from(form(count)), form(count), () => "")
    assert.deepStrictEqual(parsed(1_000), { a: Array.from({ length: 1_000 }, () => "1") })
    assert.isUndefined(parsed(1_001))
    assert.isUndefined(parsed(120_000))
  }
})
