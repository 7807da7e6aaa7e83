import { createHmac } from "node:crypto"
import * as ExactJson from "./ExactJson.mjs"
import { bytesOf, isEqual } from "./Signature.mjs"

const isSigned = (secret, body, signature) =>
  isEqual(signature, `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`)

export default {
  key: "headwater-github",
  name: "GitHub webhook",
  version: "1.1.0",
  type: "source",
  description: "Emits an event for each delivery of a GitHub repository's webhook, after verifying its signature.",
  dedupe: "unique",
  exactNumbers: true,
  props: {
    http: { type: "$.interface.http", customResponse: true },
    db: "$.service.db",
    secret: {
      type: "string",
      label: "Secret",
      description: "The webhook's secret, which signs its deliveries. Deliveries without a signature are refused.",
      secret: true
    },
    events: {
      type: "string[]",
      label: "Events",
      description: "Names of the events to emit, such as push and issues. All but ping where none is named.",
      optional: true
    },
    repository: {
      type: "string",
      label: "Repository",
      description: "As owner/name. With a token, the source adds its webhook to the repository, and removes it again " +
        "when it is switched off or deleted. Without one, add the webhook yourself, with the source's endpoint.",
      optional: true
    },
    token: {
      type: "string",
      label: "Token",
      description: "An access token that may administer the repository's webhooks.",
      optional: true,
      secret: true
    },
    apiUrl: {
      type: "string",
      label: "API",
      description: "Where GitHub's API is: for an Enterprise Server https://<host>/api/v3.",
      default: "https://api.github.com"
    }
  },
  methods: {
    async call(method, path, body) {
      const response = await fetch(this.apiUrl.replace(/\/+$/, "") + path, {
        method,
        headers: {
          accept: "application/vnd.github+json",
          authorization: `Bearer ${this.token}`,
          "x-github-api-version": "2022-11-28",
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        signal: AbortSignal.timeout(30_000),
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      // What is to be removed may be gone already.
      if (response.ok || (method === "DELETE" && response.status === 404)) {
        return text === ""
          ? undefined
          : JSON.parse(text)
      }
      throw new Error(`GitHub answered ${response.status} to ${method} ${path}: ${text.slice(0, 500)}`)
    }
  },
  hooks: {
    async activate() {
      const { events, repository, secret, token } = this
      if (secret === "") throw new Error("The secret is empty: anybody could sign with it.")
      if (!repository !== !token) throw new Error("A repository and a token are of use only together.")
      if (!repository) return
      if (!/^[\w.-]+\/[\w.-]+$/.test(repository)) throw new Error("The repository has to be given as owner/name.")
      const webhook = {
        name: "web",
        active: true,
        events: events?.length > 0 ? events : ["*"],
        config: { url: this.http.endpoint, content_type: "json", insecure_ssl: "0", secret }
      }
      const path = `/repos/${repository}/hooks`
      // One that an interrupted start has left is used again: GitHub takes no second one with the same URL.
      const existing = (await this.call("GET", `${path}?per_page=100`)).find(({ config }) =>
        config.url === webhook.config.url
      )
      const { id } = existing === undefined
        ? await this.call("POST", path, webhook)
        : await this.call("PATCH", `${path}/${existing.id}`, webhook)
      this.db.set("webhook", `${path}/${id}`)
    },
    async deactivate() {
      const webhook = this.db.get("webhook")
      if (webhook === undefined) return
      await this.call("DELETE", webhook)
      this.db.set("webhook", undefined)
    }
  },
  async run(request) {
    const { body, headers } = request
    if (!isSigned(this.secret, bytesOf(request), headers["x-hub-signature-256"] ?? "")) {
      return this.http.respond({ status: 401, body: "The signature is missing or wrong." })
    }
    const event = headers["x-github-event"]
    const isWanted = this.events?.length > 0 ? this.events.includes(event) : event !== "ping"
    if (isWanted) {
      const id = headers["x-github-delivery"]
      // A webhook that was set to forms has the JSON in a field.
      const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(headers["content-type"] ?? "")
      const payload = isForm ? ExactJson.exactly(body.payload) : body
      this.$emit({ id, event, payload }, {
        id,
        summary: [event, payload.action, payload.repository?.full_name].filter(Boolean).join(" ")
      })
    }
    await this.http.respond({ status: 200 })
  },
  sampleEmit: {
    id: "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    event: "issues",
    payload: {
      action: "opened",
      issue: { number: 17, title: "The river is rising" },
      repository: { full_name: "octocat/river" },
      sender: { login: "octocat" }
    }
  }
}
