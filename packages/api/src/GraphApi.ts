import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import * as Extension from "./Extension.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck } from "./RequestCheck.ts"
import { ResourceId } from "./ResourceId.ts"
import { Text } from "./Text.ts"

const rate = (what: string) => Schema.Finite.annotate({ description: `${what} a minute, over the last 5 minutes.` })

const GraphNode = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of a source, workflow, webhook, consumer or account." }),
  type: Schema.Literals(["source", "workflow", "webhook", "consumer", "account"]),
  name: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  state: Schema.Literals(["ok", "waiting", "failing", "paused", "disabled"]).annotate({
    description:
      "disabled: the server has switched it off; paused: it is not active otherwise; failing: of its attempts or runs of the last hour (or, if they are fewer than 5, of 24 hours, " +
      "else of 7 days) more than half failed; waiting: something has " +
      "waited for it for 5 seconds, or waits for a retry or the end of a pause that the endpoint asked for; ok."
  }),
  waiting: Schema.Int.annotate({
    description: "Events in front of its cursors, and requests, that it has not come to: over the first 5,000 cursors."
  }),
  pending: Schema.Int.annotate({ description: "Deliveries to it that wait for a retry." }),
  emitted: rate("Events that it emitted"),
  done: rate("Runs or attempts that it made"),
  failed: rate("Runs or attempts of these that failed")
}).annotate({ identifier: "GraphNode" })

const GraphEdge = Schema.Struct({
  subscription_id: ResourceId("subscription"),
  emitter_id: Schema.String.annotate({ description: "The id of an emitter, or a glob." }),
  is_glob: Schema.Boolean,
  listener_id: Schema.String.annotate({ description: "The id of a node." }),
  event_name: Schema.String.annotate({ description: "The event stream it listens to." }),
  is_filtered: Schema.Boolean.annotate({ description: "Whether it has a filter." }),
  waiting: Schema.Int.annotate({ description: "Events in front of its cursors." })
}).annotate({ identifier: "GraphEdge" })

const Heard = Schema.Struct({
  emitter_id: Schema.String,
  waiting: Schema.Int,
  delivered: Schema.Int,
  pending: Schema.Int,
  exhausted: Schema.Int,
  dropped: Schema.Int,
  filtered: Schema.Int
})

export const Graph = Schema.Struct({
  nodes: Schema.Array(GraphNode).annotate({ description: "In the order of their ids." }),
  edges: Schema.Array(GraphEdge).annotate({
    description: "The subscriptions of the nodes as listeners, at most 5,000. Their emitters can be on another page."
  }),
  is_cut: Schema.Boolean.annotate({ description: "Whether the nodes have more subscriptions." }),
  end_cursor: Schema.String.annotate({ description: "Where the page ends; empty if nothing is there." }),
  has_more: Schema.Boolean.annotate({ description: "Whether there are more nodes: with after=end_cursor." }),
  expanded: Schema.NullOr(Schema.Struct({
    subscription_id: ResourceId("subscription"),
    emitters: Schema.Array(Heard).annotate({
      description: "What it hears, and the accounting of each, at most 1,000."
    }),
    is_cut: Schema.Boolean.annotate({ description: "Whether it hears more." })
  }))
}).annotate({
  identifier: "Graph",
  examples: [{
    nodes: [{
      id: "wh_0Uz7MtBwGh3VyUc8PqJk",
      type: "webhook" as const,
      name: "Shop",
      active: true,
      state: "waiting" as const,
      waiting: 2,
      pending: 1,
      emitted: 0,
      done: 12.4,
      failed: 0.2
    }],
    edges: [{
      subscription_id: "sub_0Uz7MtS4Bn6RwSe2MxDa",
      emitter_id: "dc_*",
      is_glob: true,
      listener_id: "wh_0Uz7MtBwGh3VyUc8PqJk",
      event_name: "",
      is_filtered: false,
      waiting: 2
    }],
    is_cut: false,
    end_cursor: Pagination.cursorOf("wh_0Uz7MtBwGh3VyUc8PqJk"),
    has_more: false,
    expanded: null
  }]
})
export type Graph = typeof Graph.Type

/** The graph of emitters and their listeners. */
export class GraphApi extends HttpApiGroup.make("graph")
  .add(
    HttpApiEndpoint.get("page", "/graph", {
      query: {
        ...Pagination.graphQuery,
        node: Schema.optionalKey(Text.annotate({
          description:
            "The id of a source, workflow, webhook, consumer or account: only this node, and what it listens to."
        })),
        expand: Schema.optionalKey(Text.annotate({
          description: "The id of a subscription, whose emitters are listed: those that a glob matches."
        })),
        ...Projection.fields
      },
      success: Pagination.Single(Graph),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get the graph",
      "The emitters and listeners of the account, with their rates and whether something fails or waits, and the subscriptions " +
        "between them. What waits is at most 5 seconds old, rates are as the figures."
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({ title: "Graph", description: "Emitters, listeners and the subscriptions between them." })
  )
{}
