import { Layer } from "effect"
import { Accounts } from "./Accounts.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { Components } from "./Components.ts"
import { GroupCommit } from "./GroupCommit.ts"
import { Sources } from "./Sources.ts"
import { Subscriptions } from "./Subscriptions.ts"
import { Webhooks } from "./Webhooks.ts"

/** Every table's service, and the node's one writer to those of the log. */
export const layer = Layer.mergeAll(
  Accounts.layer,
  ApiKeys.layer,
  Components.layer,
  Sources.layer,
  Webhooks.layer,
  GroupCommit.layer
).pipe(Layer.provideMerge(Subscriptions.layer))
