import { useEffect } from "preact/hooks"
import { address, hrefOf, setQuery, visit } from "../api/Address.ts"
import { failureOf } from "../api/Failure.ts"
import { useLoading } from "../api/Loading.ts"
import { Act } from "../parts/Act.tsx"
import { StateBadge } from "../parts/Badge.tsx"
import { ContractDialog } from "../parts/ContractForm.tsx"
import { Delete } from "../parts/Delete.tsx"
import { harmless } from "../parts/Harmless.ts"
import { tell } from "../parts/Notices.tsx"
import { Opens } from "../parts/Opens.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as Accounts from "../resources/Accounts.ts"
import type { PageComponent } from "../routes.ts"

const pollMs = 5_000

type OAuth = NonNullable<Accounts.AppAccountResource["oauth"]>

const When = ({ seconds, otherwise }: { readonly seconds: number | null; readonly otherwise: string }) =>
  seconds === null ? <span class="note">{otherwise}</span> : <Time ms={seconds * 1_000} />

const Facts = ({ oauth }: { readonly oauth: OAuth }) => (
  <dl class="facts">
    <dt>State</dt>
    <dd>
      <StateBadge state={oauth.state} />
    </dd>
    {oauth.error === null ? null : (
      <>
        <dt>Error</dt>
        <dd class="fault">
          <bdi>{harmless(oauth.error)}</bdi>
        </dd>
      </>
    )}
    <dt>Provider</dt>
    <dd>
      <bdi>{harmless(oauth.provider ?? oauth.token_url ?? "")}</bdi>
    </dd>
    <dt>Client</dt>
    <dd>
      <bdi>{harmless(oauth.client_id)}</bdi>
    </dd>
    <dt>Scopes</dt>
    <dd>
      <bdi>{harmless(oauth.scopes.join(" "))}</bdi>
    </dd>
    <dt>Token renewed</dt>
    <dd>
      <When seconds={oauth.renewed_at} otherwise="never" />
    </dd>
    <dt>Token ends</dt>
    <dd>
      <When seconds={oauth.expires_at} otherwise="unknown" />
    </dd>
    <dt>Next renewal</dt>
    <dd>
      <When seconds={oauth.renew_at} otherwise="not" />
    </dd>
  </dl>
)

/** Completes a connection, and tells what came of it. */
const complete = async (id: string, confirmation: string, onDone: () => void) => {
  try {
    await Accounts.complete(id, confirmation)
    tell("done", "Connected.")
    onDone()
  } catch (thrown) {
    const failure = failureOf(thrown)
    tell("failed", `${failure.message} ${failure.advice}`)
  }
}

/** Takes the confirmation with which the reader comes back from the provider, once. */
const useReturn = (id: string, onDone: () => void) => {
  useEffect(() => {
    const { query } = address.value
    const confirmation = query.get("confirmation")
    const error = query.get("error")
    if (confirmation === null && error === null) return
    setQuery({ confirmation: undefined, error: undefined })
    if (confirmation === null) tell("failed", `The provider says: ${harmless(error ?? "")}`)
    else void complete(id, confirmation, onDone)
  }, [id])
}

/** One account with an app. */
const AccountPage: PageComponent = ({ params }) => {
  const id = params["account"]!
  const account = useLoading(id, (signal) => Accounts.one(id, signal), { everyMs: pollMs })
  useReturn(id, () => void account.reload())
  return (
    <div class="page">
      <Shown loading={account} what="the account">
        {(found) => {
          const { app, name, oauth } = found
          return (
            <>
              <div class="page-head">
                <h1>
                  <bdi>{harmless(name === "" ? app : `${app} ${name}`)}</bdi>
                </h1>
                <span class="grow" />
                {oauth === null ?
                  null :
                  (
                    <Act needs="write" kind="main" act={async () => location.assign(await Accounts.connect(id))}>
                      {oauth.state === "connected" ? "Connect again" : "Connect"}
                    </Act>
                  )}
                <Opens needs="write" what="edit" name="Change …">
                  {(close) => (
                    <ContractDialog
                      title="Change the account"
                      note="The credentials you enter replace the stored ones. New runs use them."
                      operation="appAccounts.update"
                      current={found}
                      first={["name", "credentials"]}
                      leftOut={oauth === null ? ["oauth"] : ["oauth.expires_at"]}
                      name="Save"
                      doing="Saving …"
                      done="The account is changed."
                      submit={async (body) => {
                        await Accounts.change(id, body)
                        void account.reload()
                        close()
                      }}
                      onClose={close}
                    />
                  )}
                </Opens>
                <Delete
                  what={`the account ${harmless(name === "" ? app : `${app} ${name}`)}`}
                  act={async () => {
                    await Accounts.drop(id)
                    tell("done", "The account is removed.")
                    visit(hrefOf(["accounts"]))
                  }}
                >
                  <p>Sources and workflows that use it get no credentials from their next run on.</p>
                </Delete>
              </div>
              {oauth === null
                ? <p class="note">Its credentials were entered by hand; there is no token to renew.</p>
                : <Facts oauth={oauth} />}
            </>
          )
        }}
      </Shown>
    </div>
  )
}

export default AccountPage
