import { hrefOf, visit } from "../api/Address.ts"
import { usePagedList } from "../api/usePagedList.ts"
import { StateBadge } from "../parts/Badge.tsx"
import { ContractDialog } from "../parts/ContractForm.tsx"
import { Empty } from "../parts/Empty.tsx"
import { harmless } from "../parts/Harmless.ts"
import { Opens } from "../parts/Opens.tsx"
import { PagedRows, type RowColumn } from "../parts/PagedRows.tsx"
import { Time } from "../parts/Time.tsx"
import * as Accounts from "../resources/Accounts.ts"

/** Of an account whose credentials were entered by hand, which nothing renews. */
const none = <span class="note">–</span>

const columns: ReadonlyArray<RowColumn<Accounts.AppAccountResource>> = [
  {
    name: "App",
    width: "minmax(8rem, 1fr)",
    cell: ({ app, id }) => (
      <a tabIndex={-1} href={hrefOf(["accounts", id])}>
        <bdi>{harmless(app)}</bdi>
      </a>
    )
  },
  { name: "Name", width: "minmax(8rem, 1fr)", cell: ({ name }) => <bdi>{harmless(name)}</bdi> },
  {
    name: "State",
    width: "7rem",
    cell: ({ oauth }) => oauth === null ? none : <StateBadge state={oauth.state} title={harmless(oauth.error ?? "")} />
  },
  {
    name: "Next renewal",
    width: "8.5rem",
    cell: ({ oauth }) => oauth === null || oauth.renew_at === null ? none : <Time ms={oauth.renew_at * 1_000} />,
    isWideOnly: true
  },
  { name: "Added", width: "8.5rem", cell: ({ created_at }) => <Time ms={created_at * 1_000} />, isWideOnly: true }
]

/** The accounts with the apps that components connect to. */
export default () => {
  const accounts = usePagedList("accounts", Accounts.list)
  return (
    <div class="page is-list">
      <div class="page-head">
        <h1>App accounts</h1>
        <span class="grow" />
        <Opens needs="write" what="new" kind="main" name="New app account …">
          {(close) => (
            <ContractDialog
              title="New app account"
              note="Give the credentials that code gets as $auth. An account over OAuth 2 has a client, under More settings, and is connected on its page."
              operation="appAccounts.create"
              first={["app", "name", "credentials"]}
              name="Create"
              doing="Creating …"
              submit={async (body) => visit(hrefOf(["accounts", await Accounts.create(body)]))}
              onClose={close}
            />
          )}
        </Opens>
      </div>
      <PagedRows
        list={accounts}
        noun={["app account", "app accounts"]}
        columns={columns}
        onOpen={({ id }) => visit(hrefOf(["accounts", id]))}
        empty={
          <Empty what="There are no app accounts yet.">
            <p>
              Make one with the credentials of a service, and choose it in the props of components that use the service.
            </p>
          </Empty>
        }
      />
    </div>
  )
}
