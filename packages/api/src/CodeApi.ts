import { ConfigurableProp } from "@headwater/domain/Component"
import { EventIdText } from "@headwater/domain/EventId"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { ChangesNothing } from "./ChangesNothing.ts"
import * as Extension from "./Extension.ts"
import * as Idempotency from "./Idempotency.ts"
import { JsonValue } from "./JsonValue.ts"
import { NeededScope } from "./NeededScope.ts"
import * as Pagination from "./Pagination.ts"
import { PathId, workflowParams } from "./PathId.ts"
import * as Problem from "./Problem.ts"
import * as Projection from "./Projection.ts"
import { RequestCheck, TakesLargeBody } from "./RequestCheck.ts"
import { StepProps } from "./StepProps.ts"
import { CodeText, ComponentUrl, Text } from "./Text.ts"
import { UnixMillis } from "./UnixMillis.ts"

const exampleCode = `export default {
  key: "orders",
  version: "0.1.0",
  props: { http: "$.interface.http", db: "$.service.db" },
  async run(event) {
    const count = (this.db.get("count") ?? 0) + 1
    this.db.set("count", count)
    this.$emit({ order: event.body.order, count }, { id: event.body.order })
  }
}
`

const milliseconds = Schema.Int.annotate({ description: "Unix time in milliseconds." })

const exampleProps = [{ name: "http", type: "$.interface.http" }, { name: "db", type: "$.service.db" }]

/** The code that a source or workflow runs. */
export const DeployedCode = Schema.Struct({
  code: Schema.String.annotate({ description: "The full code." }),
  code_hash: Schema.String.annotate({ description: "SHA-256 of the code, hexadecimal." }),
  key: Schema.NullOr(Schema.String).annotate({ description: "The key in the code; null if it has none." }),
  name: Schema.String,
  version: Schema.String,
  url: Schema.NullOr(Schema.String).annotate({ description: "Where the code came from, if that was given." }),
  configurable_props: Schema.Array(ConfigurableProp).annotate({
    description:
      "In the order of the code, those that it adds for the values of today included. Of a step: <step>.<prop>."
  })
}).annotate({
  identifier: "DeployedCode",
  examples: [{
    code: exampleCode,
    code_hash: "9b6c4d167885f87b334ace61ba1fd2a317a057117233c80daa71422ea7095451",
    key: "orders",
    name: "orders",
    version: "0.1.0",
    url: null,
    configurable_props: exampleProps
  }]
})
export type DeployedCode = typeof DeployedCode.Type

/** A fault of code, with advice about it. */
export const CodeError = Schema.Struct({
  message: Schema.String,
  file: Schema.String.annotate({ description: "component.mjs for the code itself." }),
  line: Schema.Int.annotate({ description: "From 1." }),
  column: Schema.Int.annotate({ description: "From 1." }),
  advice: Schema.String.annotate({ description: "What to do about it." })
}).annotate({ identifier: "CodeError" })

/** The outcome of a check of code, which is loaded for it. */
export const CheckedCode = Schema.Struct({
  valid: Schema.Boolean.annotate({ description: "Whether a source or workflow can be made of it." }),
  kind: Schema.Literals(["source", "workflow"]),
  key: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  version: Schema.NullOr(Schema.String),
  type: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  dedupe: Schema.NullOr(Schema.String),
  configurable_props: Schema.Array(ConfigurableProp).annotate({
    description: "remoteOptions: true marks a prop whose options the code computes. Of a step: <step>.<prop>."
  }),
  has_additional_props: Schema.Boolean.annotate({
    description:
      "Whether the code adds props depending on the values of others. With configured_props, those are included."
  }),
  hooks: Schema.Array(Schema.String),
  methods: Schema.Array(Schema.String),
  steps: Schema.Array(Schema.String).annotate({ description: "Of a workflow, in order." }),
  errors: Schema.Array(CodeError).annotate({ description: "Empty if the code is valid." })
}).annotate({
  identifier: "CheckedCode",
  examples: [{
    valid: true,
    kind: "source" as const,
    key: "orders",
    name: "orders",
    version: "0.1.0",
    type: null,
    description: null,
    dedupe: null,
    configurable_props: exampleProps,
    has_additional_props: false,
    hooks: [],
    methods: [],
    steps: [],
    errors: []
  }]
})
export type CheckedCode = typeof CheckedCode.Type

const outcome = Schema.Literals(["success", "error", "limit"])

const step = Schema.NullOr(Schema.String).annotate({ description: "The step of a workflow; null for a source." })

const TrialError = Schema.Struct({
  name: Schema.String,
  message: Schema.String,
  stack: Schema.String,
  step,
  file: Schema.optionalKey(Schema.String.annotate({ description: "component.mjs for the code itself." })),
  line: Schema.optionalKey(Schema.Int),
  column: Schema.optionalKey(Schema.Int)
})

/** The outcome and the effects that a run would have had. */
export const Trial = Schema.Struct({
  outcome: outcome.annotate({ description: "limit: it exceeded one of the limits of a run." }),
  error: Schema.NullOr(TrialError).annotate({ description: "What ended it early; its place is in the code." }),
  trigger: Schema.Literals(["http", "timer", "event", "deploy", "activate", "deactivate"]),
  event: JsonValue("The event as the code was given it."),
  emits: Schema.Array(Schema.Struct({
    step,
    event_name: Schema.String.annotate({ description: "The stream; empty for the default one." }),
    event: JsonValue("The payload."),
    id: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
    summary: Schema.optionalKey(Schema.String),
    ts: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite])),
    due_at_ms: Schema.NullOr(milliseconds).annotate({ description: "When a delayed event would have been emitted." })
  })).annotate({ description: "The events that it would have emitted, in the order of the log." }),
  duplicates: Schema.Int.annotate({ description: "How many emits the dedupe strategy would have left out." }),
  sends: Schema.Array(Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    headers: Schema.Record(Schema.String, Schema.String),
    body: Schema.optionalKey(Schema.String)
  })).annotate({ description: "The requests of $.send.http, which were not sent." }),
  db: Schema.Array(Schema.Struct({
    key: Schema.String,
    before: Schema.optionalKey(JsonValue("Missing if the key was not there.")),
    after: Schema.optionalKey(JsonValue("Missing if the key would have been removed."))
  })).annotate({ description: "What would have changed in $.service.db." }),
  logs: Schema.Array(Schema.Struct({
    step,
    ts_ms: milliseconds,
    level: Schema.Literals(["debug", "info", "warn", "error"]),
    message: Schema.String
  })),
  errors: Schema.Array(Schema.Struct({
    name: Schema.String,
    message: Schema.String,
    stack: Schema.optionalKey(Schema.String)
  })).annotate({ description: "What would have gone to $errors." }),
  response: Schema.NullOr(Schema.Struct({
    status: Schema.Int,
    headers: Schema.Record(Schema.String, Schema.Union([Schema.String, Schema.Array(Schema.String)])).annotate({
      description: "By name in lower case; a list for a header that is sent several times."
    }),
    body: Schema.String,
    base64: Schema.Boolean.annotate({ description: "Whether body is base64, since it is not UTF-8." })
  })).annotate({ description: "What the code has responded; null if it has not." }),
  requests: Schema.Array(Schema.Struct({
    method: Schema.String,
    url: Schema.String,
    status: Schema.optionalKey(Schema.Int),
    error: Schema.optionalKey(Schema.String),
    ts_ms: milliseconds,
    wall_ms: Schema.Finite
  })).annotate({ description: "Requests over HTTP/1.1, as the run's process tells of them." }),
  connections: Schema.Array(Schema.Struct({
    host: Schema.String,
    port: Schema.Int,
    error: Schema.optionalKey(Schema.String)
  })).annotate({ description: "All connections that it asked for. One with an error was not opened." }),
  steps: Schema.Array(Schema.Struct({
    name: Schema.String,
    outcome,
    wall_ms: Schema.Finite,
    cpu_ms: Schema.Finite,
    configured_props: StepProps,
    exports: Schema.optionalKey(JsonValue("What the steps after it see.")),
    wait_ms: Schema.NullOr(Schema.Int).annotate({ description: "How long the run would have waited after it." }),
    is_rerun: Schema.Boolean.annotate({ description: "Whether it asked to be run again." })
  })).annotate({ description: "Of a workflow. A step that asked to be run again appears several times." }),
  exit_reason: Schema.NullOr(Schema.String).annotate({ description: "The reason given to $.flow.exit." }),
  timers: Schema.Array(Schema.Struct({
    prop: Schema.String,
    due_at_ms: Schema.Array(Schema.Int)
  })).annotate({ description: "When its timers would be due next, if it were activated now. Unix milliseconds." }),
  wall_ms: Schema.Finite,
  cpu_ms: Schema.Finite,
  omitted: Schema.Int.annotate({
    description: "How many of all these are left out, since an answer shows about 1 MiB of them."
  })
}).annotate({
  identifier: "Trial",
  examples: [{
    outcome: "success" as const,
    error: null,
    trigger: "http" as const,
    event: { method: "POST", path: "/", body: { order: 17 } },
    emits: [{ step: null, event_name: "", event: { order: 17, count: 3 }, id: 17, due_at_ms: null }],
    duplicates: 0,
    sends: [],
    db: [{ key: "count", before: 2, after: 3 }],
    logs: [],
    errors: [],
    response: null,
    requests: [],
    connections: [],
    steps: [],
    exit_reason: null,
    timers: [],
    wall_ms: 3.2,
    cpu_ms: 2.1,
    omitted: 0
  }]
})

/** The outcome of an action that was run by itself. */
export const ActionRun = Schema.Struct({
  outcome: Trial.fields.outcome,
  error: Trial.fields.error,
  return_value: JsonValue("What run returned; null if it returned nothing."),
  exports: Schema.Record(Schema.String, Schema.Json).annotate({
    description: "What it gave to $.export, by name. $summary says what was done."
  }),
  logs: Trial.fields.logs,
  sends: Trial.fields.sends,
  requests: Trial.fields.requests,
  wall_ms: Schema.Finite,
  cpu_ms: Schema.Finite,
  omitted: Trial.fields.omitted
}).annotate({
  identifier: "ActionRun",
  examples: [{
    outcome: "success" as const,
    error: null,
    return_value: { ok: true },
    exports: { $summary: "Sent the message" },
    logs: [],
    sends: [],
    requests: [],
    wall_ms: 120.5,
    cpu_ms: 8.2,
    omitted: 0
  }]
})

const given = {
  component_code: Schema.optionalKey(CodeText.annotate({ description: "Code of a source." })),
  component_url: Schema.optionalKey(ComponentUrl.annotate({ description: "Its URL, as in POST /components." })),
  workflow_code: Schema.optionalKey(CodeText.annotate({ description: "Code of a workflow." })),
  workflow_url: Schema.optionalKey(ComponentUrl.annotate({ description: "Its URL, as in POST /workflows." }))
}

const configuredProps = Schema.Record(Schema.String, Schema.Json)

const sample = {
  trigger: Schema.optionalKey(Trial.fields.trigger.annotate({
    description:
      "What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an " +
      "apphook, timer if it has a timer, or event."
  })),
  event: Schema.optionalKey(JsonValue(
    "What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in; a " +
      "value with none of these is the body. With timer, the default is a tick."
  )),
  emitter_id: Schema.optionalKey(
    Text.annotate({ description: "The emitter (by id or name slug) whose event is taken in place of a sample." })
  ),
  event_id: Schema.optionalKey(EventIdText.annotate({ description: "The event's id in the log of emitter_id." })),
  at_ms: Schema.optionalKey(
    UnixMillis.annotate({ description: "When the event came about, or the tick fell due. Default: now." })
  ),
  requests: Schema.optionalKey(
    Schema.Literals(["send", "refuse"]).annotate({
      description: "refuse: the code can open no connection. Default: send, and its requests are made."
    })
  ),
  ...Projection.fields
}

const whatIsKept =
  "Runs the code once, in the sandbox and within the limits of a run, and answers what it would have done. Nothing is " +
  "kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not count as an invocation. " +
  "$.service.db is a copy. The requests that the code makes are made, unless requests is refuse."

const refusals = [Problem.NotFound, Problem.QuotaExceeded] as const

const exampleSample = { event: { body: { order: 17 } }, requests: "refuse" as const }

const action = {
  component_code: Schema.optionalKey(CodeText.annotate({ description: "The action's code." })),
  component_url: Schema.optionalKey(ComponentUrl.annotate({ description: "Its URL, as in POST /components." })),
  component_id: Schema.optionalKey(
    Text.annotate({ description: "A saved component by its id or key, or one of the registry." })
  ),
  configured_props: Schema.optionalKey(
    configuredProps.annotate({
      description: "Values of its props. Text is taken for other types where it reads as one."
    })
  )
}

export class CodeApi extends HttpApiGroup.make("code")
  .add(
    HttpApiEndpoint.get("sourceCode", "/sources/:id/code", {
      params: PathId("The source's id or its name slug."),
      query: Projection.fields,
      success: Pagination.Single(DeployedCode),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get a source's code",
      "The code that it runs, also if its component was withdrawn from the registry, with its props."
    )),
    HttpApiEndpoint.get("workflowCode", "/workflows/:id/code", {
      params: workflowParams,
      query: Projection.fields,
      success: Pagination.Single(DeployedCode),
      error: Problem.NotFound
    }).annotate(NeededScope, "read").annotateMerge(Extension.operation(
      "Get a workflow's code",
      "The code of its current deployment, with the props of its steps."
    )),
    HttpApiEndpoint.post("check", "/code/check", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        ...given,
        configured_props: Schema.optionalKey(configuredProps.annotate({
          description: "Values for which the code is asked which props it adds. It gets no credentials of app accounts."
        })),
        ...Projection.fields
      }).annotate({ examples: [{ component_code: exampleCode }] }),
      success: Pagination.Single(CheckedCode)
    }).annotate(NeededScope, "run").annotate(ChangesNothing, true).annotate(TakesLargeBody, "code").middleware(
      Idempotency.Idempotency
    ).annotateMerge(Extension.operation(
      "Check code",
      "Loads code in the sandbox and answers what it is, or what is wrong with it and where. Nothing is kept. One of " +
        "component_code, component_url, workflow_code and workflow_url is required."
    )),
    HttpApiEndpoint.post("tryCode", "/code/trial", {
      headers: Idempotency.headers,
      payload: Schema.Struct({
        ...given,
        component_id: Schema.optionalKey(
          Text.annotate({ description: "A saved component by its id or key, or one of the registry." })
        ),
        source_id: Schema.optionalKey(Text.annotate({
          description:
            "The source (by id or name slug) in whose place the code is run: with its props, a copy of its store, and what it " +
            "has emitted. Without any code, its own is run."
        })),
        workflow_id: Schema.optionalKey(Text.annotate({ description: "The workflow in whose place the code is run." })),
        configured_props: Schema.optionalKey(
          configuredProps.annotate({ description: "Values of props, in place of those of source_id or workflow_id." })
        ),
        ...sample
      }).annotate({ examples: [{ component_code: exampleCode, ...exampleSample }] }),
      success: Pagination.Single(Trial),
      error: [...refusals, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").middleware(Idempotency.Idempotency)
      .annotateMerge(
        Extension.operation(
          "Try code",
          `${whatIsKept} Needs write, since code of one's own reads the secrets and accounts that its props name.`
        )
      ),
    HttpApiEndpoint.post("runAction", "/actions/run", {
      headers: Idempotency.headers,
      payload: Schema.Struct({ ...action, ...Projection.fields }).annotate({
        examples: [{ component_url: "npm:@acme/shop/actions/send.mjs", configured_props: { text: "Hello" } }]
      }),
      success: Pagination.Single(ActionRun),
      error: [...refusals, Problem.ComponentInvalid, Problem.HookFailed]
    }).annotate(NeededScope, "write").annotate(TakesLargeBody, "code").middleware(Idempotency.Idempotency)
      .annotateMerge(
        Extension.operation(
          "Run an action",
          "Runs an action once, by itself, and answers its result. Its requests are made, and what it changes in data stores is " +
            "kept; it has no log, so $.emit and $.send send nothing. One of component_code, component_url and component_id is " +
            "required."
        )
      ),
    HttpApiEndpoint.post("trySource", "/sources/:id/trial", {
      params: PathId("The source's id or its name slug."),
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [Schema.Null, Schema.Struct(sample).annotate({ examples: [exampleSample] })],
      success: Pagination.Single(Trial),
      error: refusals
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(
      Extension.operation("Try a source", `${whatIsKept} The code and the props are those of the source.`)
    ),
    HttpApiEndpoint.post("tryWorkflow", "/workflows/:id/trial", {
      params: workflowParams,
      headers: Idempotency.headers,
      query: Projection.fields,
      // An empty body reads as null.
      payload: [Schema.Null, Schema.Struct(sample).annotate({ examples: [exampleSample] })],
      success: Pagination.Single(Trial),
      error: refusals
    }).annotate(NeededScope, "run").middleware(Idempotency.Idempotency).annotateMerge(Extension.operation(
      "Try a workflow",
      `${whatIsKept} Its steps run one after the other at once: waits and delays are told and not waited for.`
    ))
  )
  .middleware(RequestCheck)
  .middleware(Projection.Projection)
  .middleware(Authorization)
  .annotateMerge(
    OpenApi.annotations({
      title: "Code",
      description: "Reading the code of sources and workflows, checking code, and trying it without keeping anything."
    })
  )
{}
