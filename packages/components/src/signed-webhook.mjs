import { createHmac } from "node:crypto"
import { bytesOf, isEqual } from "./Signature.mjs"

/** The Standard Webhooks specification (symmetric signatures) in terms of the component's props. */
const standardWebhooks = (vendor) => ({
  secretEncoding: "base64",
  algorithm: "sha256",
  encoding: "base64",
  prefix: "v1,",
  signatureHeader: `${vendor}-signature`,
  signedText: "{id}.{timestamp}.{body}",
  timestampHeader: `${vendor}-timestamp`,
  idHeader: `${vendor}-id`
})

/** The header's value, and each value it holds where it is a list. */
const candidates = (header) => [header, ...header.split(/\s+/), ...header.split(/\s*,\s*/)]

const keyOf = ({ secret, secretEncoding }) =>
  secretEncoding === "text" ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ""), secretEncoding)

/** Unix milliseconds of a time in seconds, milliseconds or ISO 8601. */
const millisecondsOf = (text) => /^\d+$/.test(text) ? Number(text) * (text.length > 11 ? 1 : 1000) : Date.parse(text)

export default {
  key: "headwater-signed-webhook",
  name: "Signed webhook",
  version: "1.1.0",
  type: "source",
  description:
    "Emits an event for each request to its endpoint whose signature is right, however the sender signs: an " +
    "HMAC of the body, of a text with the body in it, by Standard Webhooks, or a plain token.",
  dedupe: "unique",
  exactNumbers: true,
  props: {
    http: { type: "$.interface.http", customResponse: true },
    scheme: {
      type: "string",
      label: "Scheme",
      description:
        "How requests are signed. For Standard Webhooks the secret is all there is to set; for a token, the " +
        "secret is what the signature header holds, after the prefix.",
      options: [
        { label: "HMAC", value: "hmac" },
        { label: "Standard Webhooks", value: "standard-webhooks" },
        { label: "Token", value: "token" }
      ],
      default: "hmac"
    },
    secret: {
      type: "string",
      label: "Secret",
      description: "The secret that signs requests. Requests without a signature are refused.",
      secret: true
    },
    secretEncoding: {
      type: "string",
      label: "Secret's encoding",
      description: "Whether the secret is the text as it stands, or bytes written in base64 or hexadecimal.",
      options: ["text", "base64", "hex"],
      default: "text"
    },
    signatureHeader: {
      type: "string",
      label: "Signature header",
      description: "Name of the header with the signature, or with a list of which one has to be right.",
      default: "X-Signature"
    },
    prefix: {
      type: "string",
      label: "Prefix",
      description: "The text before the signature in its header, such as sha256= or Bearer with a space.",
      default: ""
    },
    algorithm: {
      type: "string",
      label: "Hash",
      description: "The hash of the HMAC.",
      options: ["sha1", "sha256", "sha512"],
      default: "sha256"
    },
    encoding: {
      type: "string",
      label: "Encoding",
      description: "How the signature is written.",
      options: ["hex", "base64"],
      default: "hex"
    },
    signedText: {
      type: "string",
      label: "Signed text",
      description:
        "What is signed. {body}, {timestamp}, {id}, {method} and {url} stand for what the request has there, " +
        "as in v0:{timestamp}:{body}.",
      default: "{body}"
    },
    timestampHeader: {
      type: "string",
      label: "Timestamp header",
      description: "Name of the header with the time of signing: Unix seconds or milliseconds, or ISO 8601.",
      optional: true
    },
    toleranceSeconds: {
      type: "integer",
      label: "Tolerance",
      description: "How many seconds old a signature with a timestamp may be. 0 takes one of any age.",
      default: 300,
      min: 0
    },
    idHeader: {
      type: "string",
      label: "Id header",
      description:
        "Name of a header that is the same where a request is sent again. Of requests with the same one only " +
        "the first is emitted.",
      optional: true
    },
    bodyOnly: {
      type: "boolean",
      label: "Body only",
      description: "Emit the parsed body of a request alone, without method, path, query and headers.",
      default: false
    }
  },
  hooks: {
    activate() {
      const { idHeader, scheme, signedText, timestampHeader } = this
      if (keyOf(this.settings()).length === 0) throw new Error("The secret is empty: anybody could sign with it.")
      if (scheme !== "hmac") return
      const isSigned = (name) => signedText.includes(`{${name}}`)
      if (!isSigned("body")) throw new Error("The signed text has no {body}: the body could be any.")
      if (isSigned("timestamp") !== Boolean(timestampHeader)) {
        throw new Error("A timestamp header and {timestamp} in the signed text are of use only together.")
      }
      if (isSigned("id") && !idHeader) throw new Error("The signed text has {id}, so there has to be an id header.")
    }
  },
  methods: {
    settings(vendor = "webhook") {
      return this.scheme === "standard-webhooks" ? { ...this, ...standardWebhooks(vendor) } : this
    },
    isSigned({ algorithm, encoding, prefix, scheme, secret, ...settings }, signature, values) {
      const given = candidates(signature).filter((each) => each.startsWith(prefix)).map((each) =>
        each.slice(prefix.length)
      )
      if (scheme === "token") return given.some((token) => isEqual(token, secret))
      const hmac = createHmac(algorithm, keyOf({ secret, ...settings }))
      // Text and names in turn.
      const parts = settings.signedText.split(/\{(body|id|method|timestamp|url)\}/)
      for (const [index, part] of parts.entries()) hmac.update(index % 2 === 0 ? part : values[part])
      const expected = hmac.digest()
      return given.some((each) => isEqual(Buffer.from(each, encoding), expected))
    }
  },
  async run(request) {
    const { body = null, headers, method, path, url } = request
    const settings = this.settings("svix-id" in headers ? "svix" : "webhook")
    const header = (name) => headers[name?.toLowerCase()] || undefined
    const id = header(settings.idHeader)
    const timestamp = header(settings.timestampHeader)
    const values = { body: bytesOf(request), id: id ?? "", method, timestamp: timestamp ?? "", url }
    if (!this.isSigned(settings, header(settings.signatureHeader) ?? "", values)) {
      return this.http.respond({ status: 401, body: "The signature is missing or wrong." })
    }
    const signedAt = millisecondsOf(values.timestamp)
    const isTimed = settings.timestampHeader && this.toleranceSeconds > 0
    if (isTimed && !(Math.abs(Date.now() - signedAt) <= this.toleranceSeconds * 1000)) {
      return this.http.respond({ status: 401, body: "The signature is too old." })
    }
    this.$emit(this.bodyOnly ? body : request, {
      id,
      summary: `${method} ${path}`,
      ts: Number.isNaN(signedAt) ? undefined : signedAt
    })
    await this.http.respond({ status: 200 })
  },
  sampleEmit: {
    method: "POST",
    path: "/",
    query: {},
    headers: {
      "content-type": "application/json",
      "x-signature": "5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"
    },
    bodyRaw: "{\"order\":17}",
    body: { order: 17 },
    client_ip: "192.0.2.1",
    url: "https://events.example.com/http/9jM6lgPyV3utddjDpCvUDLHT/"
  }
}
