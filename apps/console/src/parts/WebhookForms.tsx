import { useSignal } from "@preact/signals"
import { hrefOf, visit } from "../api/Address.ts"
import { useDoing } from "../api/useDoing.ts"
import * as Webhooks from "../resources/Webhooks.ts"
import { ContractDialog } from "./ContractForm.tsx"
import { Delete } from "./Delete.tsx"
import { Dialog } from "./Dialog.tsx"
import { Failed } from "./Failed.tsx"
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
        name="Make it"
        doing="Creating …"
        submit={async (body) => visit(hrefOf(["webhooks", await Webhooks.create(body)], { do: "keys" }))}
        onClose={close}
      />
    )}
  </Opens>
)

const Secret = ({ act, doing, name, what }: {
  readonly act: () => Promise<string>
  readonly name: string
  readonly doing: string
  readonly what: string
}) => {
  const shown = useSignal<string | undefined>(undefined)
  const { failure, isUnderWay, start } = useDoing(async () => {
    shown.value = await act()
  })
  return (
    <>
      <button type="button" disabled={isUnderWay.value} onClick={() => void start()}>
        {isUnderWay.value ? doing : name}
      </button>
      {failure.value === undefined ? null : <Failed what="It could not be shown." failure={failure.value} />}
      {shown.value === undefined ? null : <Revealed text={shown.value} what={what} />}
    </>
  )
}

const Keys = ({ id, onClose, signature }: {
  readonly id: string
  readonly signature: Webhooks.WebhookDetails["signature"]
  readonly onClose: () => void
}) => (
  <Dialog title="Secrets of the webhook" onClose={onClose}>
    {signature === "ed25519" ? null : (
      <>
        <p class="note">
          The secret verifies what the endpoint gets. A rotated one signs from now on, and the one before for another 24
          hours.
        </p>
        <Secret name="Show the secret" doing="Asking …" what="signing secret" act={() => Webhooks.secret(id)} />
        <Secret
          name="Rotate the secret"
          doing="Rotating …"
          what="new signing secret"
          act={() => Webhooks.rotateSecret(id)}
        />
      </>
    )}
    {signature === "hmac" ? null : (
      <>
        <p class="note">The public key verifies the signatures. The private key is never shown.</p>
        <Secret name="Show the public key" doing="Asking …" what="public key" act={() => Webhooks.publicKey(id)} />
        <Secret
          name="Rotate the key pair"
          doing="Rotating …"
          what="new public key"
          act={() => Webhooks.rotatePublicKey(id)}
        />
      </>
    )}
    <div class="dialog-acts">
      <button type="button" class="quiet" onClick={onClose}>Close</button>
    </div>
  </Dialog>
)

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
