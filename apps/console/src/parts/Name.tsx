import { hrefOf } from "../api/Address.ts"
import { nameOf, names } from "../resources/Directory.ts"
import { harmless } from "./Harmless.ts"

/** The name that people know something by, with its id on hover. */
export const Name = ({ id }: { readonly id: string }) => (
  <bdi class={names.value.has(id) ? "name" : "name is-id"} title={id}>{harmless(nameOf(id))}</bdi>
)

/** The name of a webhook, as a link to it. */
export const WebhookName = ({ id }: { readonly id: string }) => (
  <a href={hrefOf(["webhooks", id])}>
    <Name id={id} />
  </a>
)
