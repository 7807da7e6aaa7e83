import { useSignal } from "@preact/signals"
import { hrefOf, visit } from "../api/Address.ts"
import * as Webhooks from "../resources/Webhooks.ts"
import { Act } from "./Act.tsx"
import { ContractDialog } from "./ContractForm.tsx"
import { Delete } from "./Delete.tsx"
import { Dialog } from "./Dialog.tsx"
import { harmless } from "./Harmless.ts"
import { tell } from "./Notices.tsx"
import { Opens } from "./Opens.tsx"
import { Revealed } from "./Revealed.tsx"

const first = ["url", "name", "description"]

/** Makes a webhook, and goes to its page, which shows the secret. */
export const NewWebhook = () => (
  <Opens needs="write" what="new" kind="main" name="New webhook …">
    {(close) => (
      <ContractDialog
        title="New webhook"
        note="Events of what it is subscribed to are sent to its URL, signed with a secret that it gets."
        operation="webhooks.create"
        first={first}
        name="Create"
        doing="Creating …"
        submit={async (body) => visit(hrefOf(["webhooks", await Webhooks.create(body)], { do: "keys" }))}
        onClose={close}
      />
    )}
  </Opens>
)

const Keys = ({ id, onClose, signature }: {
  readonly id: string
  readonly signature: Webhooks.WebhookDetails["signature"]
  readonly onClose: () => void
}) => {
  const shown = useSignal<{ readonly what: string; readonly text: string } | undefined>(undefined)
  const show = (what: string, read: (id: string) => Promise<string>) => async () => {
    shown.value = { what, text: await read(id) }
  }
  return (
    <Dialog title="Secrets of the webhook" onClose={onClose}>
      {signature === "ed25519" ? null : (
        <>
          <p class="note">The endpoint verifies with the secret that a request comes from here.</p>
          <Act needs="write" act={show("signing secret", Webhooks.secret)}>Show the secret</Act>
          <Act
            needs="write"
            ask="The new secret signs from now on. For 24 hours the present one signs too: give the endpoint the new one until then."
            act={show("new signing secret", Webhooks.rotateSecret)}
          >
            Rotate the secret
          </Act>
        </>
      )}
      {signature === "hmac" ? null : (
        <>
          <p class="note">The public key verifies the signatures. The private key is never shown.</p>
          <Act needs="write" act={show("public key", Webhooks.publicKey)}>Show the public key</Act>
          <Act
            needs="write"
            ask="The new key signs from now on. For 24 hours the present one signs too: give the endpoint the new public key until then."
            act={show("new public key", Webhooks.rotatePublicKey)}
          >
            Rotate the key pair
          </Act>
        </>
      )}
      {shown.value === undefined ? null : (
        <>
          <p>The {shown.value.what}:</p>
          <Revealed {...shown.value} />
        </>
      )}
      <div class="dialog-acts">
        <button type="button" class="quiet" onClick={onClose}>Close</button>
      </div>
    </Dialog>
  )
}

/** Shows and rotates the secrets of a webhook, and changes and deletes it. */
export const WebhookActs = ({ onChange, webhook }: {
  readonly webhook: Webhooks.WebhookDetails
  readonly onChange: () => void
}) => (
  <>
    <Opens needs="write" what="keys" name="Secrets …">
      {(close) => <Keys id={webhook.id} signature={webhook.signature} onClose={close} />}
    </Opens>
    <Opens needs="write" what="edit" name="Change …">
      {(close) => (
        <ContractDialog
          title="Change the webhook"
          note="Deliveries that begin now are made with the new settings."
          operation="webhooks.update"
          current={webhook}
          first={first}
          leftOut={["active"]}
          name="Save"
          doing="Saving …"
          done="The webhook is changed."
          submit={async (body) => {
            await Webhooks.change(webhook, body)
            onChange()
            close()
          }}
          onClose={close}
        />
      )}
    </Opens>
    <Delete
      what={`the webhook ${harmless(webhook.name ?? webhook.url)}`}
      act={async () => {
        await Webhooks.drop(webhook.id)
        tell("done", "The webhook is deleted.")
        visit(hrefOf(["webhooks"]))
      }}
    >
      <p>
        Its subscriptions go with it, and what waits for it or for a retry is sent no more. To only stop it, pause it.
      </p>
    </Delete>
  </>
)
