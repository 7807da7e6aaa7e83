import { hrefOf } from "../api/Address.ts"
import { type Loading, useLoading } from "../api/Loading.ts"
import { session } from "../api/Session.ts"
import { counted, duration } from "../charts/Figures.ts"
import { ContractDialog } from "../parts/ContractForm.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Opens } from "../parts/Opens.tsx"
import { amountText, Quotas } from "../parts/Quotas.tsx"
import { Shown } from "../parts/Shown.tsx"
import { Time } from "../parts/Time.tsx"
import * as OwnAccount from "../resources/OwnAccount.ts"

const pollMs = 10_000

const Facts = ({ account: { now, settings, user } }: { readonly account: OwnAccount.OwnAccount }) => {
  const { sources, webhooks, workflows } = now
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>
        <bdi>{harmless(settings.username)}</bdi>
      </dd>
      <dt>E-mail</dt>
      <dd>
        <bdi>{harmless(settings.email)}</bdi>
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{settings.id}</code>
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

/** A dialog that changes some of the account's settings. */
const Change = ({ account, field, name, note, title, what }: {
  readonly account: Loading<OwnAccount.OwnAccount>
  readonly what: string
  readonly name: string
  readonly title: string
  readonly note: (settings: OwnAccount.OwnAccount["settings"]) => string
  readonly field: ReadonlyArray<string>
}) => (
  <Opens needs="write" what={what} name={name}>
    {(close) => (
      <Shown loading={account} what="the account">
        {({ settings }) => (
          <ContractDialog
            title={title}
            note={note(settings)}
            operation="users.update"
            current={settings}
            first={field}
            isShort
            name="Save"
            doing="Saving …"
            done="The account is changed."
            submit={async (body) => {
              await OwnAccount.change(body)
              void account.reload()
              close()
            }}
            onClose={close}
          />
        )}
      </Shown>
    )}
  </Opens>
)

const limitNote = ({ used }: OwnAccount.OwnAccount["settings"]): string =>
  "Nothing more runs when a limit is reached, until the day or the billing period ends. Of the operator's limit and " +
  `yours, the smaller holds. Used today: ${duration(used.daily_compute_time)} of compute time and ` +
  `${counted(used.daily_invocations, "invocation")}; in the billing period: ` +
  `${counted(used.billing_period_invocations, "invocation")}.`

const OwnQuotas = ({ account: { now, settings } }: { readonly account: OwnAccount.OwnAccount }) => {
  const { limits, operator_limits, own_limits, used } = settings
  return (
    <Quotas
      quotas={now.quotas.map(({ quota, until_ms }) => ({
        quota,
        until_ms,
        limit: limits[quota],
        used: used[quota]
      }))}
      limitedBy={(quota) =>
        ([["the operator's limit", operator_limits[quota]], ["your own", own_limits[quota]]] as const)
          .flatMap(([whose, limit]) => limit === null ? [] : [`; ${whose}: ${amountText(quota)(limit)}`])
          .join("")}
    />
  )
}

/** The account, its session and its quotas, which the operator and the account itself limit. */
export default () => {
  const account = useLoading("account", OwnAccount.read, { everyMs: pollMs })
  const own = session.value
  return (
    <div class="page">
      <div class="page-head">
        <h1>Account</h1>
        <span class="grow" />
        <Change
          account={account}
          what="edit"
          name="Change …"
          title="Change the account"
          note={() => "Its keys and everything that belongs to it stay as they are."}
          field={["username", "email"]}
        />
        <a class="button" href={hrefOf(["keys"])}>Keys</a>
        <a class="button" href={hrefOf(["audit"])}>Audit log</a>
      </div>
      <Shown loading={account} what="the account">
        {(found) => (
          <>
            <Facts account={found} />
            <section class="block" aria-label="Quotas">
              <div class="bar">
                <h2>Quotas</h2>
                <span class="grow" />
                <Change
                  account={account}
                  what="limits"
                  name="Limit …"
                  title="Limit the account"
                  note={limitNote}
                  field={["own_limits"]}
                />
              </div>
              <OwnQuotas account={found} />
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
