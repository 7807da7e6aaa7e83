import { useLoading } from "../api/Loading.ts"
import { may } from "../api/Session.ts"
import * as Directory from "../resources/Directory.ts"
import { spelled } from "../resources/Events.ts"
import * as Subscriptions from "../resources/Subscriptions.ts"
import { Act } from "./Act.tsx"
import { ContractDialog } from "./ContractForm.tsx"
import { Stream } from "./EventCells.tsx"
import { harmless } from "./Harmless.ts"
import { LinkedName } from "./Name.tsx"
import { tell } from "./Notices.tsx"
import { Opens } from "./Opens.tsx"
import { Shown } from "./Shown.tsx"
import { SubscriptionPreview } from "./SubscriptionPreview.tsx"

const first = ["emitter_id", "listener_id", "event_name", "filter"]

/** Subscribes a listener to an emitter or to several by a glob. Either can be given. */
export const NewSubscription = ({ fixed = {}, kind, name = "Subscribe …", onDone }: {
  readonly fixed?: { readonly emitter_id?: string; readonly listener_id?: string }
  readonly name?: string
  readonly kind?: "main"
  readonly onDone: () => void
}) => (
  <Opens
    needs="write"
    what={["subscribe", ...Object.keys(fixed)].join(" ")}
    name={name}
    {...(kind === undefined ? {} : { kind })}
  >
    {(close) => (
      <ContractDialog
        title="New subscription"
        note="The listener receives events emitted from now on that pass the filter."
        operation="subscriptions.create"
        first={first}
        leftOut={Object.keys(fixed)}
        name="Subscribe"
        doing="Subscribing …"
        submit={async (body) => {
          await Subscriptions.create({ ...fixed, ...body })
          tell("done", "The subscription was made.")
          onDone()
          close()
        }}
        onClose={close}
        below={(body) => <SubscriptionPreview body={{ ...fixed, ...body }} />}
      />
    )}
  </Opens>
)

/** Changes or removes a subscription. */
export const SubscriptionDialog = ({ onClose, onDone, subscription }: {
  readonly subscription: Subscriptions.SubscriptionResource
  readonly onDone: () => void
  readonly onClose: () => void
}) => {
  const { emitter_id, event_name, filter, listener_id } = subscription
  const names = [emitter_id, listener_id].map((id) => harmless(Directory.nameOf(id)))
  return (
    <ContractDialog
      title="Change the subscription"
      note={`${names[1]} hears ${names[0]}, the stream ${
        harmless(spelled(event_name))
      }. A change holds for every event that the subscription has not passed yet.`}
      operation="subscriptions.update"
      current={subscription}
      first={["filter"]}
      leftOut={["emitter_id", "listener_id", "event_name"]}
      name="Save"
      doing="Saving …"
      done="The subscription is changed."
      submit={async (body) => {
        await Subscriptions.change(subscription, body)
        onDone()
        onClose()
      }}
      onClose={onClose}
      below={(body) => <SubscriptionPreview body={{ emitter_id, listener_id, event_name, filter, ...body }} />}
    >
      <Act
        needs="write"
        kind="danger"
        ask={`${names[1]} no longer hears ${names[0]}. Events that wait for it are dropped.`}
        done="The subscription is removed."
        act={async () => {
          await Subscriptions.drop(subscription)
          onDone()
          onClose()
        }}
      >
        Remove
      </Act>
    </ContractDialog>
  )
}

/** The subscriptions of a listener or an emitter, to add to and to change. */
export const Subscribed = ({ id, side }: {
  readonly id: string
  /** The side of a subscription on which it is. */
  readonly side: "listener_id" | "emitter_id"
}) => {
  const subscriptions = useLoading(`${side} ${id}`, (signal) => Subscriptions.of(side, id, signal), { everyMs: 5_000 })
  Directory.useFreshNames()
  const title = side === "listener_id" ? "Listens to" : "Heard by"
  const changed = () => void subscriptions.reload()
  const isChangeable = may("write")
  return (
    <section class="block" aria-label={title}>
      <div class="bar">
        <h2>{title}</h2>
        <NewSubscription
          fixed={{ [side]: id }}
          name={side === "listener_id" ? "Subscribe it …" : "Add a listener …"}
          onDone={changed}
        />
      </div>
      <Shown loading={subscriptions} what="its subscriptions">
        {(found) =>
          found.length === 0 ?
            <p class="note">{side === "listener_id" ? "It listens to nothing yet." : "Nothing listens to it yet."}</p> :
            (
              <div class="wide-table" tabIndex={0} role="group" aria-label={title}>
                <table class="plain">
                  <thead>
                    <tr>
                      <th scope="col">{side === "listener_id" ? "Emitter" : "Listener"}</th>
                      <th scope="col">Stream</th>
                      <th scope="col">Filter</th>
                      {isChangeable ? <th scope="col">Change</th> : null}
                    </tr>
                  </thead>
                  <tbody>
                    {found.map((one) => (
                      <tr key={one.id}>
                        <td>
                          <LinkedName id={side === "listener_id" ? one.emitter_id : one.listener_id} />
                        </td>
                        <td>
                          <Stream name={one.event_name} />
                        </td>
                        <td>
                          {one.filter === undefined ? <span class="note">none</span> : (
                            <code>
                              <bdi>{harmless(JSON.stringify(one.filter).slice(0, 300))}</bdi>
                            </code>
                          )}
                        </td>
                        {isChangeable
                          ? (
                            <td>
                              <Opens needs="write" kind="quiet" what={one.id} name="Change …">
                                {(close) => <SubscriptionDialog subscription={one} onDone={changed} onClose={close} />}
                              </Opens>
                            </td>
                          )
                          : null}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
      </Shown>
    </section>
  )
}
