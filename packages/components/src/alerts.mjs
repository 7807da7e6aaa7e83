import { sendUntilTaken } from "./Web.mjs"

const since = (ms) => new Date(ms).toISOString().slice(0, 16).replace("T", " ")

/** What an event says, in words. */
const sentences = {
  "webhook.failing": (event) =>
    `Every delivery to ${event.url} has failed since ${since(event.failing_since_ms)} UTC. ` +
    `It is switched off from ${since(event.disabled_at_ms)} UTC on.`,
  "webhook.disabled": (event) =>
    event.reason === "gone"
      ? `${event.url} is switched off: it answered that it is gone.`
      : `${event.url} is switched off: every delivery failed for 5 days.`,
  "webhook.recovered": (event) => `${event.url} gets its deliveries again.`,
  "delivery.exhausted": (event) =>
    `A delivery to ${event.url} was given up after ${event.attempt_count} attempts (${
      event.status ?? event.error_class
    }): ` +
    `${event.delivery_id}.`,
  "circuit.opened": (event) =>
    `${event.url} failed ${event.failures} times in a row. Nothing is sent to it until ${since(event.until_ms)} UTC.`,
  "circuit.closed": (event) => `${event.url} answers again.`,
  "account.failing": (event) =>
    `The account ${event.account_id} with ${event.app} fails: its token can't be renewed (${event.error}).`,
  "account.recovered": (event) => `The account ${event.account_id} with ${event.app} works again.`
}

export default {
  key: "headwater-alerts",
  name: "Alerts",
  version: "1.1.0",
  type: "source",
  description: "Reports problems of the account's webhooks to a chat, or to a service that mails or calls people. " +
    "It listens to the account's streams $webhooks and $accounts.",
  props: {
    url: {
      type: "string",
      label: "URL",
      description: "Where to post: the incoming webhook of a chat, or a service's API.",
      secret: true
    },
    field: {
      type: "string",
      label: "Field for the text",
      description: "What the sentence is called in the JSON that is posted: text for Slack, Mattermost and Teams, " +
        "content for Discord.",
      default: "text"
    },
    fields: {
      type: "object",
      label: "More fields",
      description: "Posted beside it, such as from, to and subject for a service that sends mail.",
      optional: true
    },
    headers: {
      type: "object",
      label: "Headers",
      description: "Headers of the request, such as Authorization.",
      optional: true,
      secret: true
    },
    types: {
      type: "string[]",
      label: "Types",
      description: "Only events of these types, such as webhook.disabled. Default: all.",
      optional: true
    }
  },
  async run(event) {
    const { type } = event
    if (this.types?.length && !this.types.includes(type)) return
    const text = Object.hasOwn(sentences, type) ? sentences[type](event) : `${type}: ${event.url ?? event.account_id}`
    const status = await sendUntilTaken(this.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...this.headers },
      body: JSON.stringify({ ...this.fields, [this.field]: text }),
      timeoutSeconds: 15,
      pausesSeconds: [1, 5]
    })
    const { account_id, webhook_id } = event
    this.$emit({ type, ...(account_id ? { account_id } : { webhook_id }), text, status }, { summary: text })
  },
  sampleEmit: {
    type: "webhook.disabled",
    webhook_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
    text: "https://warehouse.example.com/orders is switched off: every delivery failed for 5 days.",
    status: 200
  }
}
