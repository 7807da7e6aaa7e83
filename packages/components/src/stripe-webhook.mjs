import { createHmac } from "node:crypto"
import { bytesOf, isEqual } from "./Signature.mjs"

/** The parts of `t=1492774577,v1=5257a8…,v1=…`. */
const partsOf = (header) => {
  const parts = header.split(",").map((part) => part.trim().split("="))
  const valuesOf = (name) => parts.filter(([key]) => key === name).map(([, value = ""]) => value)
  return { timestamp: valuesOf("t")[0] ?? "", signatures: valuesOf("v1") }
}

const isSigned = (secret, timestamp, body, signatures) => {
  const expected = createHmac("sha256", secret).update(`${timestamp}.`).update(body).digest("hex")
  return signatures.some((signature) => isEqual(signature, expected))
}

export default {
  key: "headwater-stripe-webhook",
  name: "Stripe webhook",
  version: "1.1.0",
  type: "source",
  description: "Emits an event for each event that Stripe sends, once its signature is found right. Also for others " +
    "that sign as Stripe does, with t=… and v1=… in one header.",
  dedupe: "unique",
  exactNumbers: true,
  props: {
    http: { type: "$.interface.http", customResponse: true },
    secret: {
      type: "string",
      label: "Signing secret",
      description:
        "The webhook endpoint's secret, as shown: with its whsec_. A request without a signature is refused.",
      secret: true
    },
    eventTypes: {
      type: "string[]",
      label: "Event types",
      description: "Types of the events to emit, such as invoice.paid, or invoice.* for all that begin so. All where " +
        "none is named.",
      optional: true
    },
    toleranceSeconds: {
      type: "integer",
      label: "Tolerance",
      description: "How many seconds old a signature may be. 0 takes one of any age.",
      default: 300,
      min: 0
    },
    signatureHeader: {
      type: "string",
      label: "Signature header",
      description: "Name of the header with the signature.",
      default: "Stripe-Signature"
    }
  },
  hooks: {
    activate() {
      if (this.secret === "") throw new Error("The secret is empty: anybody could sign with it.")
    }
  },
  methods: {
    refusal(request) {
      const { signatures, timestamp } = partsOf(request.headers[this.signatureHeader.toLowerCase()] ?? "")
      if (!isSigned(this.secret, timestamp, bytesOf(request), signatures)) return "The signature is missing or wrong."
      const isRecent = Math.abs(Date.now() / 1000 - Number(timestamp)) <= this.toleranceSeconds
      return this.toleranceSeconds === 0 || isRecent ? undefined : "The signature is too old."
    },
    isWanted(type) {
      if (!this.eventTypes?.length) return true
      return this.eventTypes.some((wanted) =>
        wanted.endsWith("*") ? type?.startsWith(wanted.slice(0, -1)) : type === wanted
      )
    }
  },
  async run(request) {
    const refusal = this.refusal(request)
    if (refusal !== undefined) return this.http.respond({ status: 401, body: refusal })
    const event = request.body
    if (this.isWanted(event?.type)) {
      this.$emit(event, { id: event?.id, summary: event?.type, ts: event?.created })
    }
    await this.http.respond({ status: 200 })
  },
  sampleEmit: {
    id: "evt_1NG8Du2eZvKYlo2CUI79vXWy",
    object: "event",
    type: "invoice.paid",
    created: 1686089970,
    livemode: false,
    data: { object: { id: "in_1NG8Dt2eZvKYlo2C", object: "invoice", amount_paid: 1700, currency: "eur" } }
  }
}
