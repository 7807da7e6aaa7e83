import { hrefOf } from "../api/Address.ts"
import { useLoading } from "../api/Loading.ts"
import { session } from "../api/Session.ts"
import { counted } from "../charts/Figures.ts"
import { harmless } from "../parts/Harmless.ts"
import { Quotas } from "../parts/Quotas.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as OwnAccount from "../resources/OwnAccount.ts"

const pollMs = 10_000

const Facts = ({ account: { now, user } }: { readonly account: OwnAccount.OwnAccount }) => {
  const { sources, webhooks, workflows } = now
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>
        <bdi>{harmless(user.username)}</bdi>
      </dd>
      <dt>E-mail</dt>
      <dd>
        <bdi>{harmless(user.email)}</bdi>
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{user.id}</code>
      </dd>
      {"billing_period_start_ts" in user
        ? (
          <>
            <dt>Billing period</dt>
            <dd>
              <Time ms={user.billing_period_start_ts * 1_000} /> to <Time ms={user.billing_period_end_ts * 1_000} />
            </dd>
          </>
        )
        : null}
      <dt>Resources</dt>
      <dd>
        <a href={hrefOf(["sources"])}>{counted(sources.total, "source")}</a>,{" "}
        <a href={hrefOf(["workflows"])}>{counted(workflows.total, "workflow")}</a>,{" "}
        <a href={hrefOf(["webhooks"])}>{counted(webhooks.total, "webhook")}</a>
      </dd>
    </dl>
  )
}

/** The account, its session and its quotas. The operator sets the quotas. */
export default () => {
  const account = useLoading("account", OwnAccount.read, { everyMs: pollMs })
  const own = session.value
  return (
    <div class="page">
      <div class="page-head">
        <h1>Account</h1>
        <span class="grow" />
        <a class="button" href={hrefOf(["keys"])}>Keys</a>
        <a class="button" href={hrefOf(["audit"])}>Audit log</a>
      </div>
      <Shown loading={account} what="the account">
        {(found) => (
          <>
            <Facts account={found} />
            <section class="block" aria-label="Quotas">
              <h2>Quotas</h2>
              <Quotas quotas={found.now.quotas} />
              <p class="note">
                The operator of the server sets them: <code>headwater tenants set</code>.
              </p>
            </section>
          </>
        )}
      </Shown>
      {own === undefined ? null : (
        <section class="block" aria-label="This session">
          <h2>This session</h2>
          <dl class="facts">
            <dt>Key</dt>
            <dd>
              <bdi>{harmless(own.key.name === "" ? own.key.id : own.key.name)}</bdi>, with the scope {own.key.scope}
            </dd>
            <dt>Expires</dt>
            <dd>
              <Time ms={own.expires_at * 1_000} /> at the latest
            </dd>
            <dt>Changes</dt>
            <dd>
              <a href={hrefOf(["audit"], { session: own.id })}>in the audit log</a>
            </dd>
          </dl>
        </section>
      )}
    </div>
  )
}
