import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { WebhookUrl } from "./WebhookUrl.ts"

const accepts = Schema.is(WebhookUrl)

describe("WebhookUrl", () => {
  it.each([
    "http://localhost",
    "https://example.com/path?query#fragment",
    "HTTPS://Example.com:8443",
    "http://[::1]:80/x",
    "http://10.0.0.1/"
  ])("takes %s", (url) => assert.isTrue(accepts(url)))

  it.each([
    "",
    "example.com",
    "//example.com",
    "ftp://example.com",
    "javascript:alert(1)",
    "http:example.com",
    "http:///path",
    "http://",
    "http://?x",
    "http://exa mple.com",
    "http://example.com/a b",
    "http://example.com/\nx",
    " http://example.com",
    "http://example.com:99999",
    `http://example.com/${"x".repeat(2_048)}`
  ])("refuses %j", (url) => assert.isFalse(accepts(url)))
})
