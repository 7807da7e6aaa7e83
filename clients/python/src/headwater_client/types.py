# Generated from the OpenAPI document by clients/python/generator/generate.ts. Do not edit.

"""The types of what the operations take and give."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict, Union


class InvalidResponseProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["invalid_response"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:invalid_response"]
    status: Literal[502]
    title: Literal["Invalid response"]


class LoopDetectedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["loop_detected"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:loop_detected"]
    status: Literal[508]
    title: Literal["Loop detected"]


class MethodNotAllowedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["method_not_allowed"]
    """What went wrong, as a code for programs. Never changes."""
    details: MethodNotAllowedProblemDetails
    type: Literal["urn:headwater:problem:method_not_allowed"]
    status: Literal[405]
    title: Literal["Method not allowed"]


class MethodNotAllowedProblemDetails(TypedDict):
    allow: list[str]


class NoResponseProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["no_response"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:no_response"]
    status: Literal[400]
    title: Literal["No response"]


class ResponseTimeoutProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["response_timeout"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:response_timeout"]
    status: Literal[504]
    title: Literal["Response timeout"]


class WebhookFailingEvent(TypedDict):
    """Every attempt has failed for a while. Told with the first failure behind 50, 70 and 90 % of 5 days."""

    type: Literal["webhook.failing"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""
    percent: Literal[50, 70, 90]
    """How much of the time is over after which the webhook becomes inactive."""
    failing_since_ms: int
    """Since when every attempt failed. Unix time in milliseconds."""
    disabled_at_ms: int
    """From when on another failure makes the webhook inactive. Unix time in milliseconds."""


class WebhookDisabledEvent(TypedDict):
    """The server sends nothing to it any more, until somebody makes it active again."""

    type: Literal["webhook.disabled"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""
    reason: Literal["gone", "failing"]
    """gone: the endpoint answered 410. failing: it failed for 5 days."""


class WebhookRecoveredEvent(TypedDict):
    """The first delivery after webhook.failing or webhook.disabled was told."""

    type: Literal["webhook.recovered"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""


class DeliveryExhaustedEvent(TypedDict):
    """Its last attempt failed. Told of the first one; of others only once something has arrived again."""

    type: Literal["delivery.exhausted"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""
    delivery_id: str
    """The delivery's id."""
    emitter_id: str
    """The id of what emitted the event."""
    event_name: str
    """The event stream; empty for the default one."""
    event_id: str
    """The event's id in its emitter's log."""
    attempt_count: int
    """How often the server tried."""
    status: int | None
    """The last answer's HTTP status; null if there was none."""
    error_class: str | None
    """How the last attempt failed."""


class CircuitOpenedEvent(TypedDict):
    """The server sends nothing to it for a while. Told once, however often the probe fails."""

    type: Literal["circuit.opened"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""
    failures: int
    """How many attempts in a row failed."""
    until_ms: int
    """When the first probe is sent. Unix time in milliseconds."""


class CircuitClosedEvent(TypedDict):
    """The probe was delivered, and all goes on."""

    type: Literal["circuit.closed"]
    webhook_id: str
    """The webhook's id."""
    url: str
    """Its URL, with *** for a password."""
    ts: int
    """When it happened. Unix time in milliseconds."""


class AccountFailingEvent(TypedDict):
    """The provider refused to renew it, or the token has ended and the provider can't be reached. Told once, until it
    works again.
    """

    type: Literal["account.failing"]
    account_id: str
    """The id of the account with an app."""
    app: str
    """The app's name in component code."""
    ts: int
    """When it happened. Unix time in milliseconds."""
    error: str
    """What the provider said, or why it could not be asked."""


class AccountRecoveredEvent(TypedDict):
    """It has a new token after account.failing was told."""

    type: Literal["account.recovered"]
    account_id: str
    """The id of the account with an app."""
    app: str
    """The app's name in component code."""
    ts: int
    """When it happened. Unix time in milliseconds."""


_ClockReadyEventKeywords = TypedDict(
    "_ClockReadyEventKeywords",
    {
        # Where the clock was. Unix time in milliseconds.
        "from": "int",
    },
)


class ClockReadyEvent(_ClockReadyEventKeywords):
    """All that fell due on the way is done, and time stands still. Told to the account that asked for it."""

    type: Literal["clock.ready"]
    operation_id: str
    """The advance that ended."""
    now: int
    """Where it is. Unix time in milliseconds."""
    fired: ClockReadyEventFired
    """How much of each kind of work fell due on the way."""
    stopped_by: Literal["target", "max_fired", "nothing_due", "stopped", "busy"]
    """target: it came to its time. max_fired: so much has fired. nothing_due: there was nothing to go to. stopped: it
    was told to stop. busy: the engine did not come to rest within 10 minutes of real time.
    """
    ts: int
    """When that was, by the clock. Unix time in milliseconds."""


class ClockReadyEventFired(TypedDict):
    """How much of each kind of work fell due on the way."""

    timer: int
    """Ticks of timers."""
    emit: int
    """Delayed events."""
    retry: int
    """Deliveries that were due for another attempt."""
    resume: int
    """Runs of workflows that had waited for their time."""
    wake: int
    """Waits of rates, throttles, circuits, quotas and batches that were over."""
    delete: int
    """Deletions that were left to do."""
    bulk: int
    """Bulk actions that looked again whether they may go on."""


class InsufficientScopeProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["insufficient_scope"]
    """What went wrong, as a code for programs. Never changes."""
    details: InsufficientScopeProblemDetails
    type: Literal["urn:headwater:problem:insufficient_scope"]
    status: Literal[403]
    title: Literal["Insufficient scope"]


class InsufficientScopeProblemDetails(TypedDict):
    scope: Literal["read", "run", "write"]
    """The scope of the key."""
    needed_scope: Literal["read", "run", "write"]
    """The scope that the operation needs."""


class CrossSiteRequestProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["cross_site_request"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:cross_site_request"]
    status: Literal[403]
    title: Literal["Cross-site request"]


class AccountSuspendedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["account_suspended"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:account_suspended"]
    status: Literal[403]
    title: Literal["Account suspended"]


class UnauthorizedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["unauthorized"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:unauthorized"]
    status: Literal[401]
    title: Literal["Unauthorized"]


class UnsupportedMediaTypeProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["unsupported_media_type"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:unsupported_media_type"]
    status: Literal[415]
    title: Literal["Unsupported media type"]


class PayloadTooLargeProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["payload_too_large"]
    """What went wrong, as a code for programs. Never changes."""
    details: PayloadTooLargeProblemDetails
    type: Literal["urn:headwater:problem:payload_too_large"]
    status: Literal[413]
    title: Literal["Payload too large"]


class PayloadTooLargeProblemDetails(TypedDict):
    limit_bytes: int


class InternalErrorProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["internal_error"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:internal_error"]
    status: Literal[500]
    title: Literal["Internal error"]


class UnavailableProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["unavailable"]
    """What went wrong, as a code for programs. Never changes."""
    details: UnavailableProblemDetails
    type: Literal["urn:headwater:problem:unavailable"]
    status: Literal[503]
    title: Literal["Unavailable"]


class UnavailableProblemDetails(TypedDict):
    retry_after_seconds: int


class InvalidRequestProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["invalid_request"]
    """What went wrong, as a code for programs. Never changes."""
    details: list[InvalidRequestProblemDetailsItem]
    """Each field at fault."""
    type: Literal["urn:headwater:problem:invalid_request"]
    status: Literal[400]
    title: Literal["Invalid request"]


class InvalidRequestProblemDetailsItem(TypedDict):
    path: str
    message: str


class IdempotencyConflictProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["idempotency_conflict"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:idempotency_conflict"]
    status: Literal[409]
    title: Literal["Idempotency conflict"]


class RateLimitedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["rate_limited"]
    """What went wrong, as a code for programs. Never changes."""
    details: RateLimitedProblemDetails
    type: Literal["urn:headwater:problem:rate_limited"]
    status: Literal[429]
    title: Literal["Too many requests"]


class RateLimitedProblemDetails(TypedDict):
    retry_after_seconds: int


class QuotaExceededProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["quota_exceeded"]
    """What went wrong, as a code for programs. Never changes."""
    details: QuotaExceededProblemDetails
    type: Literal["urn:headwater:problem:quota_exceeded"]
    status: Literal[429]
    title: Literal["Quota exceeded"]


class QuotaExceededProblemDetails(TypedDict):
    retry_after_seconds: int


class NotFoundProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["not_found"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:not_found"]
    status: Literal[404]
    title: Literal["Not found"]


class Trial(TypedDict):
    outcome: Literal["success", "error", "limit"]
    """limit: it exceeded one of the limits of a run."""
    error: TrialError | None
    """What ended it early; its place is in the code."""
    trigger: Literal["http", "timer", "event", "deploy", "activate", "deactivate"]
    event: Any
    """The event as the code was given it."""
    emits: list[TrialEmitsItem]
    """The events that it would have emitted, in the order of the log."""
    duplicates: int
    """How many emits the dedupe strategy would have left out."""
    sends: list[TrialSendsItem]
    """The requests of $.send.http, which were not sent."""
    db: list[TrialDbItem]
    """What would have changed in $.service.db."""
    logs: list[TrialLogsItem]
    errors: list[TrialErrorsItem]
    """What would have gone to $errors."""
    response: TrialResponse | None
    """What the code has responded; null if it has not."""
    requests: list[TrialRequestsItem]
    """Requests over HTTP/1.1, as the run's process tells of them."""
    connections: list[TrialConnectionsItem]
    """All connections that it asked for. One with an error was not opened."""
    steps: list[TrialStepsItem]
    """Of a workflow. A step that asked to be run again appears several times."""
    exit_reason: str | None
    """The reason given to $.flow.exit."""
    timers: list[TrialTimersItem]
    """When its timers would be due next, if it were activated now. Unix milliseconds."""
    wall_ms: float
    cpu_ms: float
    omitted: int
    """How many of all these are left out, since an answer shows about 1 MiB of them."""


class _TrialErrorOptional(TypedDict, total=False):
    file: str
    """component.mjs for the code itself."""
    line: int
    column: int


class TrialError(_TrialErrorOptional):
    name: str
    message: str
    stack: str
    step: str | None
    """The step of a workflow; null for a source."""


class _TrialEmitsItemOptional(TypedDict, total=False):
    id: str | float
    summary: str
    ts: str | float


class TrialEmitsItem(_TrialEmitsItemOptional):
    step: str | None
    """The step of a workflow; null for a source."""
    event_name: str
    """The stream; empty for the default one."""
    event: Any
    """The payload."""
    due_at_ms: int | None
    """When a delayed event would have been emitted."""


class _TrialSendsItemOptional(TypedDict, total=False):
    body: str


class TrialSendsItem(_TrialSendsItemOptional):
    method: str
    url: str
    headers: dict[str, str]


class _TrialDbItemOptional(TypedDict, total=False):
    before: Any
    """Missing if the key was not there."""
    after: Any
    """Missing if the key would have been removed."""


class TrialDbItem(_TrialDbItemOptional):
    key: str


class TrialLogsItem(TypedDict):
    step: str | None
    """The step of a workflow; null for a source."""
    ts_ms: int
    """Unix time in milliseconds."""
    level: Literal["debug", "info", "warn", "error"]
    message: str


class _TrialErrorsItemOptional(TypedDict, total=False):
    stack: str


class TrialErrorsItem(_TrialErrorsItemOptional):
    name: str
    message: str


class TrialResponse(TypedDict):
    status: int
    headers: dict[str, str | list[str]]
    """By name in lower case; a list for a header that is sent several times."""
    body: str
    base64: bool
    """Whether body is base64, since it is not UTF-8."""


class _TrialRequestsItemOptional(TypedDict, total=False):
    status: int
    error: str


class TrialRequestsItem(_TrialRequestsItemOptional):
    method: str
    url: str
    ts_ms: int
    """Unix time in milliseconds."""
    wall_ms: float


class _TrialConnectionsItemOptional(TypedDict, total=False):
    error: str


class TrialConnectionsItem(_TrialConnectionsItemOptional):
    host: str
    port: int


class _TrialStepsItemOptional(TypedDict, total=False):
    exports: Any
    """What the steps after it see."""


class TrialStepsItem(_TrialStepsItemOptional):
    name: str
    outcome: Literal["success", "error", "limit"]
    wall_ms: float
    cpu_ms: float
    wait_ms: int | None
    """How long the run would have waited after it."""
    is_rerun: bool
    """Whether it asked to be run again."""


class TrialTimersItem(TypedDict):
    prop: str
    due_at_ms: list[int]


class HookFailedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["hook_failed"]
    """What went wrong, as a code for programs. Never changes."""
    details: HookFailedProblemDetails
    type: Literal["urn:headwater:problem:hook_failed"]
    status: Literal[422]
    title: Literal["Hook failed"]


class _HookFailedProblemDetailsOptional(TypedDict, total=False):
    file: str
    line: int
    column: int


class HookFailedProblemDetails(_HookFailedProblemDetailsOptional):
    message: str
    hook: str


class ComponentInvalidProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["component_invalid"]
    """What went wrong, as a code for programs. Never changes."""
    details: ComponentInvalidProblemDetails
    type: Literal["urn:headwater:problem:component_invalid"]
    status: Literal[422]
    title: Literal["Component invalid"]


class _ComponentInvalidProblemDetailsOptional(TypedDict, total=False):
    file: str
    line: int
    column: int


class ComponentInvalidProblemDetails(_ComponentInvalidProblemDetailsOptional):
    message: str


class ActionRun(TypedDict):
    outcome: Literal["success", "error", "limit"]
    """limit: it exceeded one of the limits of a run."""
    error: ActionRunError | None
    """What ended it early; its place is in the code."""
    return_value: Any
    """What run returned; null if it returned nothing."""
    exports: dict[str, Any]
    """What it gave to $.export, by name. $summary says what was done."""
    logs: list[ActionRunLogsItem]
    sends: list[ActionRunSendsItem]
    """The requests of $.send.http, which were not sent."""
    requests: list[ActionRunRequestsItem]
    """Requests over HTTP/1.1, as the run's process tells of them."""
    wall_ms: float
    cpu_ms: float
    omitted: int
    """How many of all these are left out, since an answer shows about 1 MiB of them."""


class _ActionRunErrorOptional(TypedDict, total=False):
    file: str
    """component.mjs for the code itself."""
    line: int
    column: int


class ActionRunError(_ActionRunErrorOptional):
    name: str
    message: str
    stack: str
    step: str | None
    """The step of a workflow; null for a source."""


class ActionRunLogsItem(TypedDict):
    step: str | None
    """The step of a workflow; null for a source."""
    ts_ms: int
    """Unix time in milliseconds."""
    level: Literal["debug", "info", "warn", "error"]
    message: str


class _ActionRunSendsItemOptional(TypedDict, total=False):
    body: str


class ActionRunSendsItem(_ActionRunSendsItemOptional):
    method: str
    url: str
    headers: dict[str, str]


class _ActionRunRequestsItemOptional(TypedDict, total=False):
    status: int
    error: str


class ActionRunRequestsItem(_ActionRunRequestsItemOptional):
    method: str
    url: str
    ts_ms: int
    """Unix time in milliseconds."""
    wall_ms: float


class CheckedCode(TypedDict):
    valid: bool
    """Whether a source or workflow can be made of it."""
    kind: Literal["source", "workflow"]
    key: str | None
    name: str | None
    version: str | None
    type: str | None
    description: str | None
    dedupe: str | None
    configurable_props: list[CheckedCodeConfigurablePropsItem]
    """remoteOptions: true marks a prop whose options the code computes. Of a step: <step>.<prop>."""
    has_additional_props: bool
    """Whether the code adds props depending on the values of others. With configured_props, those are included."""
    hooks: list[str]
    methods: list[str]
    steps: list[str]
    """Of a workflow, in order."""
    errors: list[CodeError]
    """Empty if the code is valid."""


class _CheckedCodeConfigurablePropsItemOptional(TypedDict, total=False):
    label: str
    description: str
    default: Any
    """A value of the prop's type."""


class CheckedCodeConfigurablePropsItem(_CheckedCodeConfigurablePropsItemOptional):
    name: str
    type: str


class CodeError(TypedDict):
    message: str
    file: str
    """component.mjs for the code itself."""
    line: int
    """From 1."""
    column: int
    """From 1."""
    advice: str
    """What to do about it."""


class DeployedCode(TypedDict):
    code: str
    """The full code."""
    code_hash: str
    """SHA-256 of the code, hexadecimal."""
    key: str | None
    """The key in the code; null if it has none."""
    name: str
    version: str
    url: str | None
    """Where the code came from, if that was given."""
    configurable_props: list[DeployedCodeConfigurablePropsItem]
    """In the order of the code, those that it adds for the values of today included. Of a step: <step>.<prop>."""


class _DeployedCodeConfigurablePropsItemOptional(TypedDict, total=False):
    label: str
    description: str
    default: Any
    """A value of the prop's type."""


class DeployedCodeConfigurablePropsItem(_DeployedCodeConfigurablePropsItemOptional):
    name: str
    type: str


class RunNotWaitingProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["run_not_waiting"]
    """What went wrong, as a code for programs. Never changes."""
    details: RunNotWaitingProblemDetails
    type: Literal["urn:headwater:problem:run_not_waiting"]
    status: Literal[409]
    title: Literal["Run not waiting"]


class RunNotWaitingProblemDetails(TypedDict):
    status: str


class WorkflowRun(TypedDict):
    id: str
    """Begins with run_."""
    workflow_id: str
    """Begins with p_."""
    deployment_id: str
    """Begins with d_."""
    status: Literal["running", "waiting", "success", "error", "cancelled"]
    """waiting: until somebody resumes it, or a delay, a rerun or a retry is due."""
    trigger: WorkflowRunTrigger
    started_at_ms: int
    """Unix time in milliseconds."""
    ended_at_ms: int | None
    due_at_ms: int | None
    """When a waiting run continues. A suspended one ends then, unless the workflow resumes it."""
    waits_for: Literal["suspend", "delay", "rerun", "retry"] | None
    """The reason for which a waiting run waits; null if it waits for nothing but its turn."""
    error: RunFault | None
    exit_reason: str | None
    """The reason that a step gave to $.flow.exit, at most 1,000 characters; empty if it gave none, null if no step
    ended the run this way.
    """


class WorkflowRunTrigger(TypedDict):
    id: str
    """The id of the event, the request or the tick."""
    source_type: Literal["HTTP", "EMAIL", "TIMER", "EVENT", "INVOCATION"]
    ts_ms: int
    """Unix time in milliseconds."""
    emitter_id: str
    event_name: str
    """The stream of an event; empty for the default one."""
    hops: int
    rerun_of: str | None
    """The run that this one repeats."""


class _RunFaultOptional(TypedDict, total=False):
    stack: str


class RunFault(_RunFaultOptional):
    name: str
    message: str


class BacklogFullProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["backlog_full"]
    """What went wrong, as a code for programs. Never changes."""
    details: BacklogFullProblemDetails
    type: Literal["urn:headwater:problem:backlog_full"]
    status: Literal[429]
    title: Literal["Too many requests"]


class BacklogFullProblemDetails(TypedDict):
    retry_after_seconds: int


class WorkflowPausedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["workflow_paused"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:workflow_paused"]
    status: Literal[409]
    title: Literal["Workflow paused"]


class RunStarted(TypedDict):
    id: str
    """Begins with run_."""


class WorkflowRunDetails(TypedDict):
    id: str
    """Begins with run_."""
    workflow_id: str
    """Begins with p_."""
    deployment_id: str
    """Begins with d_."""
    status: Literal["running", "waiting", "success", "error", "cancelled"]
    """waiting: until somebody resumes it, or a delay, a rerun or a retry is due."""
    trigger: WorkflowRunDetailsTrigger
    started_at_ms: int
    """Unix time in milliseconds."""
    ended_at_ms: int | None
    due_at_ms: int | None
    """When a waiting run continues. A suspended one ends then, unless the workflow resumes it."""
    waits_for: Literal["suspend", "delay", "rerun", "retry"] | None
    """The reason for which a waiting run waits; null if it waits for nothing but its turn."""
    error: RunFault | None
    exit_reason: str | None
    """The reason that a step gave to $.flow.exit, at most 1,000 characters; empty if it gave none, null if no step
    ended the run this way.
    """
    event: Any
    """The event that started the run."""
    steps: list[WorkflowStep]


class WorkflowRunDetailsTrigger(TypedDict):
    id: str
    """The id of the event, the request or the tick."""
    source_type: Literal["HTTP", "EMAIL", "TIMER", "EVENT", "INVOCATION"]
    ts_ms: int
    """Unix time in milliseconds."""
    emitter_id: str
    event_name: str
    """The stream of an event; empty for the default one."""
    hops: int
    rerun_of: str | None
    """The run that this one repeats."""


class WorkflowStep(TypedDict):
    n: int
    """Counts from 1. A step that ran several times appears several times."""
    name: str
    status: Literal["success", "error"]
    started_at_ms: int
    """Unix time in milliseconds."""
    wall_ms: int
    cpu_ms: int
    result: Any
    error: RunFault | None
    logs: list[Any]
    events: list[WorkflowStepEventsItem]
    """The events that it added to the workflow's log."""


class WorkflowStepEventsItem(TypedDict):
    id: str
    event_name: str


class WebhookSecret(TypedDict):
    secret: str
    """whsec_ and base64 of 32 bytes: the signing secret of the Standard Webhooks specification."""


class _WorkflowOptional(TypedDict, total=False):
    missing_props: list[str]
    """Props that need a value and have none, if there are any. It can't become active before they have one."""


class Workflow(_WorkflowOptional):
    id: str
    """Begins with p_."""
    name: str
    name_slug: str
    """Works wherever the workflow's id does."""
    code_hash: str
    """SHA-256 of the code, hexadecimal."""
    deployment_id: str
    """New with each change of the code or the props."""
    steps: list[WorkflowStepsItem]
    """In order. A step keeps its id as long as the code has a step of its name."""
    configured_props: dict[str, Any]
    """Values by prop, those of a step as <step>.<prop>."""
    active: bool
    concurrency: int
    """How many runs may be under way together, not counting waiting runs. With 1, events run in order."""
    rate_limit: WorkflowRateLimit | None
    retry_delays: list[int]
    """Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries."""
    errors: Literal["each", "last"]
    """Which failures of a step go to $errors: each one, or only the last, after which there is no retry."""
    suspension_timeout: Literal["cancel", "resume"]
    """What becomes of a suspended run that nobody resumes in time."""
    timeout_seconds: int | None
    """The longest that a step may take, at most what the server allows. null: what the server allows."""
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""


class _WorkflowStepsItemOptional(TypedDict, total=False):
    lang: Literal["python"]
    """The language that it is written in, if that is not JavaScript."""


class WorkflowStepsItem(_WorkflowStepsItemOptional):
    id: str
    """Begins with c_."""
    name: str


class WorkflowRateLimit(TypedDict):
    """At most this many runs begin within this many seconds. Further inputs wait in order."""

    limit: int
    interval_seconds: int


class DataStoreEntry(TypedDict):
    key: str
    value: Any
    """The value: any JSON."""
    expires_at_ms: int | None
    """When it is removed, in Unix milliseconds; null if it stays."""


class DataStoreEntriesSet(TypedDict):
    count: int
    """The number of keys that were set."""


class NameTakenProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["name_taken"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:name_taken"]
    status: Literal[409]
    title: Literal["Name taken"]


class DataStore(TypedDict):
    id: str
    """Begins with ds_."""
    name: str
    created_at: int
    """Unix time in seconds."""


class DataStoreWithSize(TypedDict):
    id: str
    """Begins with ds_."""
    name: str
    created_at: int
    """Unix time in seconds."""
    size: int
    """The number of its entries."""


class EnvironmentVariable(TypedDict):
    name: str
    value: str | None
    """Null for a secret."""
    secret: bool
    """Its value is never shown."""
    program_id: str | None
    """The source or workflow that it is for; null if it is for all of the account."""
    updated_at: int
    """Unix time in seconds."""


class ConnectionRefusedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["connection_refused"]
    """What went wrong, as a code for programs. Never changes."""
    details: ConnectionRefusedProblemDetails
    type: Literal["urn:headwater:problem:connection_refused"]
    status: Literal[409]
    title: Literal["Connection refused"]


class ConnectionRefusedProblemDetails(TypedDict):
    provider_error: str


class ConnectionPendingProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["connection_pending"]
    """What went wrong, as a code for programs. Never changes."""
    details: ConnectionPendingProblemDetails
    type: Literal["urn:headwater:problem:connection_pending"]
    status: Literal[409]
    title: Literal["Connection pending"]


class ConnectionPendingProblemDetails(TypedDict):
    retry_after_seconds: int


class AppAccount(TypedDict):
    id: str
    """Begins with apn_."""
    app: str
    """The app's name in component code."""
    name: str
    """Empty if none was given."""
    created_at: int
    """Unix time in seconds."""
    oauth: OAuthAccount | None
    """Null if it is not over OAuth 2."""


class OAuthAccount(TypedDict):
    provider: str | None
    """Null if the account is told by its URLs alone."""
    client_id: str
    scopes: list[str]
    authorization_url: str | None
    """Null for the provider's."""
    token_url: str | None
    """Null for the provider's."""
    device_url: str | None
    """Null for the provider's."""
    client_authentication: Literal["basic", "post", "none"] | None
    """Null for the provider's."""
    parameters: dict[str, str]
    state: Literal["unconnected", "connected", "failing"]
    """unconnected: there was no token yet. connected: there is one. failing: it can't be renewed, or has ended."""
    renewable: bool
    """There is a refresh token."""
    expires_at: int | None
    """When the access token ends. Null if the provider does not tell. Unix time in seconds."""
    renewed_at: int | None
    """When the access token was got or given. Unix time in seconds."""
    renew_at: int | None
    """When it is renewed next. Null if that is not to come. Unix time in seconds."""
    failing_since: int | None
    """Since when it is failing. Unix time in seconds."""
    error: str | None
    """Why the last renewal failed."""


class AccountConnection(TypedDict):
    url: str
    """The page that the user is to open."""
    redirect_uri: str | None
    """Where the provider sends the user back: register it with your client. Null with device."""
    user_code: str | None
    """With device: the code that the user is to enter."""
    confirmation: str | None
    """With device: what completes the connection. Otherwise the user's browser gets it in the end."""
    interval_seconds: int | None
    """With device: the least time between two questions."""
    expires_at: int
    """Unix time in seconds."""


OAuthProvider: TypeAlias = "Literal[\"airtable\", \"amazon\", \"asana\", \"atlassian\", \"auth0\", \"aweber\", \"basecamp\", \"bitbucket\", \"bitly\", \"box\", \"calendly\", \"canva\", \"clickup\", \"constant_contact\", \"digitalocean\", \"discord\", \"docusign\", \"dropbox\", \"eventbrite\", \"facebook\", \"figma\", \"fitbit\", \"freshbooks\", \"front\", \"github\", \"gitlab\", \"google\", \"gumroad\", \"harvest\", \"help_scout\", \"heroku\", \"hubspot\", \"intercom\", \"keap\", \"linear\", \"linkedin\", \"mailchimp\", \"meetup\", \"microsoft\", \"miro\", \"monday\", \"netlify\", \"notion\", \"okta\", \"patreon\", \"pinterest\", \"pipedrive\", \"podio\", \"quickbooks\", \"reddit\", \"ringcentral\", \"salesforce\", \"shopify\", \"slack\", \"spotify\", \"square\", \"strava\", \"stripe\", \"surveymonkey\", \"tiktok\", \"todoist\", \"twitch\", \"typeform\", \"vimeo\", \"webflow\", \"withings\", \"wordpress\", \"wrike\", \"x\", \"xero\", \"yahoo\", \"zendesk\", \"zoho\", \"zoom\"]"


class AuditEntry(TypedDict):
    id: str
    """Begins with aud_."""
    at: int
    """When the server answered. Unix time in seconds."""
    operation: str
    """The operation's id in this document."""
    method: str
    path: str
    """Without the query, at most 1,000 characters."""
    resource_id: str | None
    """What it was about: the id that the answer shows, otherwise the last one in the path; null if there is none."""
    status: int
    """The HTTP status of the answer; 499 if the client did not wait for it."""
    key: AuditEntryKey
    """The key of the request, or the one that its session began with."""
    session_id: str | None
    """null for a request with a key."""
    client_ip: str
    """The address that sent the request."""


class AuditEntryKey(TypedDict):
    """The key of the request, or the one that its session began with."""

    id: str
    """Begins with key_."""
    name: str
    """Empty if none was given."""


class Session(TypedDict):
    id: str
    """Begins with ses_."""
    account: SessionAccount
    key: SessionKey
    """The key that the session began with. The session may do what this key may do."""
    created_at: int
    """Unix time in seconds."""
    expires_at: int
    """When the session ends at the latest. Unix time in seconds."""
    idle_expires_at: int
    """When the session ends if no further request comes. Unix time in seconds."""


class SessionAccount(TypedDict):
    id: str
    """Begins with u_."""
    username: str
    email: str


class SessionKey(TypedDict):
    """The key that the session began with. The session may do what this key may do."""

    id: str
    """Begins with key_."""
    name: str
    """Empty if none was given."""
    scope: Literal["read", "run", "write"]
    """read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write:
    everything.
    """


class NewKey(TypedDict):
    id: str
    """Begins with key_."""
    name: str
    """Empty if none was given."""
    scope: Literal["read", "run", "write"]
    """read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write:
    everything.
    """
    key: str
    """The key itself: hw_ and 40 letters and digits. Shown here only."""
    created_at: int
    """Unix time in seconds."""
    expires_at: int | None
    """Unix time in seconds at which the key expires; null if it does not expire."""


class Key(TypedDict):
    id: str
    """Begins with key_."""
    name: str
    """Empty if none was given."""
    scope: Literal["read", "run", "write"]
    """read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write:
    everything.
    """
    created_at: int
    """Unix time in seconds."""
    expires_at: int | None
    """Unix time in seconds at which the key expires; null if it does not expire."""


class PaidUser(TypedDict):
    id: str
    """Begins with u_."""
    username: str
    email: str
    billing_period_start_ts: int
    """Unix time in seconds."""
    billing_period_end_ts: int
    """Unix time in seconds."""
    billing_period_invocations: int
    """Runs of component code in the billing period."""


class _FreeUserOptional(TypedDict, total=False):
    api_key: str
    """The key that this request carries; absent in a session."""


class FreeUser(_FreeUserOptional):
    id: str
    """Begins with u_."""
    username: str
    email: str
    daily_compute_time_quota: int
    """Milliseconds of compute time, per UTC day. -1 if the operator set no limit."""
    daily_compute_time_used: int
    """Milliseconds of compute time, per UTC day."""
    daily_invocations_quota: int
    """Runs of component code, per UTC day. -1 if the operator set no limit."""
    daily_invocations_used: int
    """Runs of component code, per UTC day."""


class BulkActionEndedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["bulk_action_ended"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:bulk_action_ended"]
    status: Literal[409]
    title: Literal["Bulk action ended"]


class BulkAction(TypedDict):
    id: str
    """Begins with ba_."""
    action: Literal["retry", "replay", "skip", "cancel"]
    """retry: attempts deliveries once more; of all states but delivered, unless the filter names one. replay: sends
    events again, apart from the accounting of their subscriptions. skip: drops pending deliveries. cancel: gives
    pending deliveries up, so that they are exhausted.
    """
    filter: BulkActionFilter
    """What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A
    replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and
    until are times of events there.
    """
    dry_run: bool
    rate_limit: int
    """Attempts a second at each webhook, at most."""
    state: Literal["running", "paused", "cancelled", "done"]
    matched: int
    """Found so far: done + failed + skipped + left."""
    done: int
    """Arrived; or dropped or given up, as it was asked for."""
    failed: int
    """Attempted, and did not arrive."""
    skipped: int
    """Nothing was to be done: the event or the subscription is gone, the filter of the subscription keeps the event
    out, or the delivery was no longer as it was found.
    """
    left: int
    """Found, and not dealt with: by a dry run all of it."""
    webhooks: BulkActionWebhooks
    """At how many webhooks it is carried out, and at how many it has ended."""
    place_ms: int | None
    """Deliveries that began, or events that were emitted, before this time are dealt with."""
    created_at_ms: int
    """Unix time in milliseconds."""
    ended_at_ms: int | None


_BulkActionFilterOptionalKeywords = TypedDict(
    "_BulkActionFilterOptionalKeywords",
    {
        # From this event of emitter_id on, or the next one if it is gone.
        "from": "str",
    },
    total=False,
)


class BulkActionFilter(_BulkActionFilterOptionalKeywords, total=False):
    """What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A
    replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and
    until are times of events there.
    """

    webhook_id: str
    """To this webhook."""
    subscription_id: str
    """Of this subscription, even if it is deleted."""
    emitter_id: str
    """Of events of this source, workflow (by id or name slug) or account."""
    event_name: str
    """Of events of this stream; empty or default for the default one."""
    event_id: str
    """Of the event with this id."""
    state: Literal["pending", "delivered", "exhausted", "dropped"]
    """pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last
    attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
    """
    error_class: Literal[
        "status",
        "throttled",
        "redirect",
        "gone",
        "refused",
        "dns",
        "connect",
        "tls",
        "certificate",
        "timeout",
        "reset",
        "protocol",
        "too_large",
    ]
    """Whose last attempt failed in this way."""
    status: str
    """Whose last attempt was answered with this status (503) or class of statuses (5xx)."""
    since: int
    """Begun at this time or later. Unix time in milliseconds."""
    until: int
    """Begun before this time. Unix time in milliseconds."""
    last_attempt_since: int
    """Whose last attempt was made at this time or later. Unix time in milliseconds."""
    text: str
    """Of events whose payload, as JSON text, contains this text. Upper and lower case differ."""
    to: str
    """Up to this event of emitter_id."""


class BulkActionWebhooks(TypedDict):
    """At how many webhooks it is carried out, and at how many it has ended."""

    total: int
    ended: int


class BulkActionsFullProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["bulk_actions_full"]
    """What went wrong, as a code for programs. Never changes."""
    details: BulkActionsFullProblemDetails
    type: Literal["urn:headwater:problem:bulk_actions_full"]
    status: Literal[409]
    title: Literal["Too many bulk actions"]


class BulkActionsFullProblemDetails(TypedDict):
    limit: int


class DeliveryNotPendingProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["delivery_not_pending"]
    """What went wrong, as a code for programs. Never changes."""
    details: DeliveryNotPendingProblemDetails
    type: Literal["urn:headwater:problem:delivery_not_pending"]
    status: Literal[409]
    title: Literal["Delivery not pending"]


class DeliveryNotPendingProblemDetails(TypedDict):
    state: str


class _DeliveryOptional(TypedDict, total=False):
    batch: DeliveredBatch


class Delivery(_DeliveryOptional):
    id: str
    """Begins with dlv_."""
    state: Literal["pending", "delivered", "exhausted", "dropped"]
    """pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last
    attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
    """
    webhook_id: str | None
    """null for a request that a workflow sends by $.send.http."""
    subscription_id: str
    emitter_id: str
    """The id of what emitted the event."""
    event_name: str
    """The event stream; empty for the default one."""
    event_id: str
    """The event's id in its emitter's log; of a batch the first one's."""
    attempt_count: int
    """Attempts made so far."""
    status: int | None
    """The HTTP status that answered the last attempt; null if there was no answer."""
    error_class: str | None
    """The kind of failure of the last attempt; null if it did not fail."""
    started_at_ms: int
    """When the delivery began. Unix time in milliseconds."""
    last_attempt_at_ms: int | None
    next_attempt_at_ms: int | None


class DeliveredBatch(TypedDict):
    """Extension: The batch that it went in: the first and the last event, and how many they are. Not there if the event
    went alone.
    """

    first_event_id: str
    last_event_id: str
    event_count: int


class DeliveryNotRepeatableProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["delivery_not_repeatable"]
    """What went wrong, as a code for programs. Never changes."""
    details: DeliveryNotRepeatableProblemDetails
    type: Literal["urn:headwater:problem:delivery_not_repeatable"]
    status: Literal[409]
    title: Literal["Delivery not repeatable"]


class DeliveryNotRepeatableProblemDetails(TypedDict):
    reason: Literal["event_deleted", "subscription_deleted"]


class _DeliveryDetailsOptional(TypedDict, total=False):
    batch: DeliveredBatch


class DeliveryDetails(_DeliveryDetailsOptional):
    id: str
    """Begins with dlv_."""
    state: Literal["pending", "delivered", "exhausted", "dropped"]
    """pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last
    attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
    """
    webhook_id: str | None
    """null for a request that a workflow sends by $.send.http."""
    subscription_id: str
    emitter_id: str
    """The id of what emitted the event."""
    event_name: str
    """The event stream; empty for the default one."""
    event_id: str
    """The event's id in its emitter's log; of a batch the first one's."""
    attempt_count: int
    """Attempts made so far."""
    status: int | None
    """The HTTP status that answered the last attempt; null if there was no answer."""
    error_class: str | None
    """The kind of failure of the last attempt; null if it did not fail."""
    started_at_ms: int
    """When the delivery began. Unix time in milliseconds."""
    last_attempt_at_ms: int | None
    next_attempt_at_ms: int | None
    event: DeliveryDetailsEvent
    next_attempt: DeliveryDetailsNextAttempt | None
    attempts: list[DeliveryAttempt]
    """Oldest first. Of very many or very large ones, the newest: 100 at most, and 1 MiB."""


class DeliveryDetailsEvent(TypedDict):
    emit_id: str | None
    """The webhook-id of every attempt; null before the first one."""
    path: str | None
    """Where to GET the event, whose payload is the body of every attempt; null for events of the account itself. It is
    a 404 once the event is deleted.
    """


class DeliveryDetailsNextAttempt(TypedDict):
    at_ms: int
    """Unix time in milliseconds."""
    reason: Literal["queued", "schedule", "retry_after", "throttled", "circuit", "rate", "inactive", "requested"]
    """queued: the first attempt waits for a slot. schedule: the retry schedule. retry_after: the endpoint asked for
    this pause. throttled: another answer of the endpoint put off all sends. circuit: the webhook's circuit is open.
    rate: it waits for the webhook's rate. inactive: the webhook is not active. requested: somebody asked for it.
    """


class DeliveryAttempt(TypedDict):
    attempt: int
    """From 1."""
    started_at_ms: int
    """Unix time in milliseconds."""
    outcome: Literal["delivered", "failed"]
    address: str | None
    """The address that the server connected to."""
    timings: DeliveryAttemptTimings
    """Milliseconds; null for a phase that the attempt did not reach or did not need."""
    request: DeliveryAttemptRequest
    response: DeliveryAttemptResponse | None
    """null if the endpoint did not answer."""
    first_request: DeliveryAttemptFirstRequest | None
    """What became of the first request, if the attempt took two. All else tells of the second one."""
    error_class: str | None
    error_message: str | None
    """The failure, in words."""
    next_attempt_at_ms: int | None
    """When the next attempt was due after this one; null if there was none to be."""


class DeliveryAttemptTimings(TypedDict):
    """Milliseconds; null for a phase that the attempt did not reach or did not need."""

    dns_ms: int | None
    """Looking up the name."""
    connect_ms: int | None
    """Connecting; null on a connection that was kept from an earlier request."""
    tls_ms: int | None
    """The TLS handshake; null without one."""
    first_byte_ms: int | None
    """From sending the request until the answer began."""
    total_ms: int
    """The whole attempt."""


class DeliveryAttemptRequest(TypedDict):
    headers: dict[str, str] | None
    """As they were sent, with *** for secrets; null for attempts of versions that did not record them. The body is the
    event's payload.
    """


class DeliveryAttemptResponse(TypedDict):
    status: int
    headers: dict[str, str]
    body: str
    """The first 1 KiB after a success, the first 16 KiB after a failure."""
    body_encoding: Literal["utf8", "base64"]


class DeliveryAttemptFirstRequest(TypedDict):
    address: str
    timings: DeliveryAttemptFirstRequestTimings
    error_class: str
    error_message: str


class DeliveryAttemptFirstRequestTimings(TypedDict):
    dns_ms: int | None
    """Looking up the name."""
    connect_ms: int | None
    """Connecting."""
    tls_ms: int | None
    """The TLS handshake."""
    total_ms: int
    """From the beginning of the attempt until the second request."""


class DueRetries(TypedDict):
    from_ms: int
    """When the first step begins: now. Unix time in milliseconds."""
    step_ms: int
    """How long a step is, in milliseconds."""
    webhooks: list[DueRetriesWebhooksItem]
    """Those with any."""
    is_cut: bool
    """Whether there are more: the server counts 50,000."""


class DueRetriesWebhooksItem(TypedDict):
    webhook_id: str | None
    """null for the requests that a workflow sends itself: workflow_id names it."""
    workflow_id: str | None
    due: list[int]
    """How many retries are due in each step. Those that are overdue are in the first."""
    later: int
    """How many are due after the last step."""


class ForcedLines(TypedDict):
    delivery_count: int
    """Deliveries that are due now."""


class Webhook(TypedDict):
    id: str
    """Begins with wh_."""
    name: str | None
    """null if none was given."""
    description: str | None
    """null if none was given."""
    url: str
    active: bool
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""


class TestedWebhook(TypedDict):
    emit_id: str
    """The webhook-id of the request."""
    attempt: DeliveryAttempt


class WebhookPublicKey(TypedDict):
    public_key: str
    """whpk_ and base64 of 32 bytes: the ed25519 public key of the Standard Webhooks specification."""


class WebhookDetails(TypedDict):
    id: str
    """Begins with wh_."""
    name: str | None
    """null if none was given."""
    description: str | None
    """null if none was given."""
    url: str
    active: bool
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""
    ordering: Literal["ordered", "strict", "none"]
    """ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those behind it
    go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start in
    order and overlap.
    """
    concurrency: int
    """First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if it is
    below 4, they take turns with first attempts.
    """
    rate_limit: WebhookRateLimit | None
    """How many attempts begin within a time; null for as many as there are."""
    retry_schedule: list[int]
    """Seconds to wait before each retry, 20 % more or less. Empty: no retries."""
    timeout_ms: int
    """How long the endpoint has to answer, in milliseconds."""
    circuit: WebhookCircuit | None
    """When to stop sending to an endpoint that fails; null for never."""
    circuit_state: WebhookDetailsCircuitState
    failing_since_ms: int | None
    """Since when nothing but failures came back; null if something arrived last. Unix time in milliseconds."""
    throttled_until_ms: int | None
    """Until when nothing is sent, since the endpoint asked for a pause; null if it asked for none. Unix time in
    milliseconds.
    """
    disabled_reason: Literal["gone", "failing"] | None
    """Why the server made the webhook inactive: gone (the endpoint answered 410) or failing (nothing arrived for five
    days); null if it did not.
    """
    signature: Literal["hmac", "ed25519", "both"]
    """What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both."""
    max_bytes: int | None
    """Larger payloads are not sent: their deliveries are exhausted, with the error class too_large."""
    http2: bool
    """Whether HTTP/2 is spoken with the endpoint if it offers it over TLS."""
    headers: dict[str, str]
    """Sent with each delivery. Not host, content-length, webhook-* and others that the server sends. Together with
    secret_headers at most 32, and 8192 bytes.
    """
    secret_headers: dict[str, str]
    """As headers, with values that are never shown again: *** stands for each, and given back keeps it."""
    tls: WebhookTls | None
    """What TLS connections to the endpoint are made with. Default: the public authorities, and no certificate."""


class WebhookDetailsCircuitState(TypedDict):
    state: Literal["closed", "open", "half_open"]
    """closed: all is sent. open: nothing is. half_open: the next attempt is the probe."""
    until_ms: int | None
    """When an open circuit lets the probe through; null if it is closed. Unix time in milliseconds."""
    failures: int
    """Failed attempts in a row, while it is closed."""


class WebhookTls(TypedDict, total=False):
    ca: str
    """Certificates as PEM text. Only what they have signed is trusted, instead of the public authorities."""
    certificate: str
    """The server's own certificate as PEM text, and behind it those between it and its authority."""
    key: str
    """***, if there is a certificate."""


class WebhookCircuit(TypedDict):
    """After some failures in a row nothing is sent for a while, and then one attempt, which is the probe."""

    failures: int
    """So many failed attempts in a row open the circuit."""
    cooldown_seconds: int
    """How long it stays open at first. Each time that the probe fails it is twice as long, up to an hour."""


class WebhookRateLimit(TypedDict):
    """So many attempts begin within so many seconds, spread evenly. Events wait in order."""

    limit: int
    interval_seconds: int
    burst: int
    """How many may begin together after a pause."""


class GivenWebhookTls(TypedDict, total=False):
    ca: str | None
    """Certificates as PEM text. Only what they have signed is trusted, instead of the public authorities."""
    certificate: str | None
    """The server's own certificate as PEM text, and behind it those between it and its authority."""
    key: str | None
    """The private key of the certificate as PEM text. Never shown again: *** stands for it, and keeps it."""


class CreatedWebhook(TypedDict):
    id: str
    """Begins with wh_."""
    name: str | None
    """null if none was given."""
    description: str | None
    """null if none was given."""
    url: str
    active: bool
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""
    user_id: str
    """Begins with u_."""


class _AutoSubscriptionOptional(TypedDict, total=False):
    filter: Filter
    """Extension: What events have to pass. Not there if all are delivered."""
    batch: Batch


class AutoSubscription(_AutoSubscriptionOptional):
    id: str
    """Begins with as_."""
    listener_id: str
    """The id of a source, workflow or webhook."""
    event_name: str
    """The event stream; empty if none was given."""
    created_at: int
    """Unix time in seconds."""


class Batch(TypedDict):
    """Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the
    JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See
    docs/delivery.md, "Batches".
    """

    max_events: int
    """So many events at most, 1 to 1000."""
    max_wait_ms: int
    """How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000."""
    max_bytes: int
    """So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone."""


Filter: TypeAlias = "dict[str, Any]"


class _SubscriptionOptional(TypedDict, total=False):
    filter: Filter
    """Extension: What events have to pass. Not there if all are delivered."""
    filter_too_costly: int
    """Extension: How many events it has dropped because it took too much work to judge them by the filter. Not there if
    it has no filter.
    """
    batch: Batch


class Subscription(_SubscriptionOptional):
    id: str
    """Begins with sub_."""
    emitter_id: str
    """The id of a source or workflow, or a glob."""
    listener_id: str
    """The id of a source, workflow or webhook."""
    event_name: str
    """The event stream; empty if none was given."""


class SubscriptionPreview(TypedDict):
    listener_id: str
    """The id of the source, workflow or webhook."""
    url: str | None
    """The webhook's URL; null for other listeners."""
    events: list[SubscriptionPreviewEventsItem]
    """Newest first."""


class _SubscriptionPreviewEventsItemOptional(TypedDict, total=False):
    clause: str
    """With the reason filtered: the clause of the filter that does not hold."""


class SubscriptionPreviewEventsItem(_SubscriptionPreviewEventsItemOptional):
    event_id: str
    """The event's id in its emitter's log."""
    emit_id: str
    """Identifies the event in every delivery."""
    emitter_id: str
    """The id of the source or workflow."""
    event_name: str
    """The event stream; empty for the default one."""
    matched: bool
    """Whether the subscription would deliver it."""
    reason: Literal[
        "other_emitter",
        "other_stream",
        "own_event",
        "too_many_hops",
        "before_start",
        "filtered",
        "filter_too_costly",
    ] | None
    """Why not; null if it would."""


class ClockFixedProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["clock_fixed"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:clock_fixed"]
    status: Literal[409]
    title: Literal["Clock can't be moved"]


class Clock(TypedDict):
    now: int
    """What time it is for the server. Unix time in milliseconds."""
    real_now: int
    """What time it really is. Unix time in milliseconds."""
    mode: Literal["real", "ahead", "frozen"]
    """real: real time. ahead: at the speed of real time, but ahead of it. frozen: it stands still."""
    status: Literal["fixed", "ready", "advancing"]
    """fixed: this server has no clock that can be moved. ready: it can be moved. advancing: it is being moved, and what
    falls due is being done.
    """
    operation: ClockOperation | None
    """The advance under way, if the account asked for it."""
    next_due: int | None
    """When anything is due next, of any account, in Unix milliseconds. null: nothing is, or the clock is fixed."""


_ClockOperationKeywords = TypedDict(
    "_ClockOperationKeywords",
    {
        # Where the clock was. Unix time in milliseconds.
        "from": "int",
    },
)


class ClockOperation(_ClockOperationKeywords):
    id: str
    """Begins with clk_."""
    state: Literal["running", "done"]
    to: int | None
    """Where it goes, in Unix milliseconds; null where it was to go to the next due time, and nothing was due."""
    now: int
    """How far it has come. Unix time in milliseconds."""
    max_fired: int | None
    fired: ClockOperationFired
    """How much of each kind of work fell due on the way."""
    stopped_by: Literal["target", "max_fired", "nothing_due", "stopped", "busy"] | None
    """target: it came to its time. max_fired: so much has fired. nothing_due: there was nothing to go to. stopped: it
    was told to stop. busy: the engine did not come to rest within 10 minutes of real time. null: it has not ended.
    """
    began_at_ms: int
    """In real time. Unix time in milliseconds."""
    ended_at_ms: int | None
    """In real time. Unix time in milliseconds."""


class ClockOperationFired(TypedDict):
    """How much of each kind of work fell due on the way."""

    timer: int
    """Ticks of timers."""
    emit: int
    """Delayed events."""
    retry: int
    """Deliveries that were due for another attempt."""
    resume: int
    """Runs of workflows that had waited for their time."""
    wake: int
    """Waits of rates, throttles, circuits, quotas and batches that were over."""
    delete: int
    """Deletions that were left to do."""
    bulk: int
    """Bulk actions that looked again whether they may go on."""


class ClockAdvancingProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["clock_advancing"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:clock_advancing"]
    status: Literal[409]
    title: Literal["Clock is being moved"]


class Diagnosis(TypedDict):
    now_ms: int
    """When the checks ended. Unix time in milliseconds."""
    versions: DiagnosisVersions
    findings: list[Finding]


class DiagnosisVersions(TypedDict):
    server: str
    node: str
    deno: str | None
    """null if it is not the packaged one."""
    postgres: str | None
    """null if the database does not answer."""


class Finding(TypedDict):
    name: Literal["database", "clock", "egress", "disk", "sandbox"]
    state: Literal["ok", "warning", "failed"]
    """failed: the server cannot do its work. warning: something may fail soon, or for some."""
    message: str
    """What was found, as a sentence."""
    todo: str | None
    """What to do about it; null if it is ok."""


class Node(TypedDict):
    id: str
    """Of this run of the process alone."""
    worker: int | None
    """Its number among the workers of its machine; null if it is one process."""
    version: str
    started_at_ms: int
    """Unix time in milliseconds."""
    seen_at_ms: int
    """When it last said that it is there. Unix time in milliseconds."""
    holds: NodeHolds
    """How many of all accounts together it has in memory."""


class NodeHolds(TypedDict):
    """How many of all accounts together it has in memory."""

    sources_and_workflows: int
    webhooks: int
    consumers: int
    accounts: int


class Graph(TypedDict):
    nodes: list[GraphNode]
    """In the order of their ids."""
    edges: list[GraphEdge]
    """The subscriptions of the nodes as listeners, at most 5,000. Their emitters can be on another page."""
    is_cut: bool
    """Whether the nodes have more subscriptions."""
    end_cursor: str
    """Where the page ends; empty if nothing is there."""
    has_more: bool
    """Whether there are more nodes: with after=end_cursor."""
    expanded: GraphExpanded | None


class GraphExpanded(TypedDict):
    subscription_id: str
    """Begins with sub_."""
    emitters: list[GraphExpandedEmittersItem]
    """What it hears, and the accounting of each, at most 1,000."""
    is_cut: bool
    """Whether it hears more."""


class GraphExpandedEmittersItem(TypedDict):
    emitter_id: str
    waiting: int
    delivered: int
    pending: int
    exhausted: int
    dropped: int
    filtered: int


class GraphEdge(TypedDict):
    subscription_id: str
    """Begins with sub_."""
    emitter_id: str
    """The id of an emitter, or a glob."""
    is_glob: bool
    listener_id: str
    """The id of a node."""
    event_name: str
    """The event stream it listens to."""
    is_filtered: bool
    """Whether it has a filter."""
    waiting: int
    """Events in front of its cursors."""


class GraphNode(TypedDict):
    id: str
    """The id of a source, workflow, webhook, consumer or account."""
    type: Literal["source", "workflow", "webhook", "consumer", "account"]
    name: str | None
    active: bool
    state: Literal["ok", "waiting", "failing", "paused"]
    """paused: it is not active; failing: a webhook to which nothing but failures came back since its last success, or
    whose circuit is open, or a source or workflow of which a run failed in the last 5 minutes; waiting: something
    has waited for it for 5 seconds, or waits for a retry or the end of a pause that the endpoint asked for; ok.
    """
    waiting: int
    """Events in front of its cursors, and requests, that it has not come to: over the first 5,000 cursors."""
    pending: int
    """Deliveries to it that wait for a retry."""
    emitted: float
    """Events that it emitted a minute, over the last 5 minutes."""
    done: float
    """Runs or attempts that it made a minute, over the last 5 minutes."""
    failed: float
    """Runs or attempts of these that failed a minute, over the last 5 minutes."""


class Figures(TypedDict):
    from_ms: int
    """When the first step begins. Unix time in milliseconds."""
    to_ms: int
    """Before when all figures are. Unix time in milliseconds."""
    step_ms: int
    """How long a step is, in milliseconds."""
    series: list[FigureStep]
    """Every step, oldest first."""
    now: AccountNow


class AccountNow(TypedDict):
    """How the account as a whole stands."""

    at_ms: int
    """When this was so: at most 5 seconds ago, the accounting a minute. Unix time in milliseconds."""
    waiting: int
    """Events in front of the cursors of subscriptions, and requests in front of sources and workflows."""
    pending: int
    """Deliveries that wait for an attempt."""
    oldest_at_ms: int | None
    """When the oldest event or request came that a listener has not come to; null if there is none. Unix time in
    milliseconds.
    """
    is_cut: bool
    """Whether there is more: the server counts over 5,000 emitters, 5,000 cursors and 20,000 deliveries."""
    imbalances: int
    """Subscriptions and emitters whose accounting does not balance; any but 0 is a bug of the server."""
    quotas: list[AccountNowQuotasItem]
    sources: AccountNowSources
    workflows: AccountNowWorkflows
    webhooks: AccountNowWebhooks


class AccountNowQuotasItem(TypedDict):
    quota: Literal["daily_compute_time", "daily_invocations", "billing_period_invocations"]
    limit: int | None
    """null if there is none. Compute time is in milliseconds."""
    used: int
    until_ms: int
    """When it is counted anew. Unix time in milliseconds."""


class AccountNowSources(TypedDict):
    total: int
    active: int


class AccountNowWorkflows(TypedDict):
    total: int
    active: int


class AccountNowWebhooks(TypedDict):
    total: int
    active: int
    disabled: int
    """Taken out of service by the server."""
    failing: int
    """In service, and nothing but failures came back since their last success."""
    throttled: int
    """Waiting, since the endpoint asked for it."""
    open: int
    """With an open circuit."""


class FigureStep(TypedDict):
    at_ms: int
    """When the step begins. Unix time in milliseconds."""
    requests: int
    """Requests to sources and workflows that were taken in."""
    events: int
    """Events that were emitted, but for errors and console lines."""
    errors: int
    """Events on $errors."""
    runs: int
    """Runs of code, of workflows each step."""
    failed_runs: int
    """Runs that threw or ran over a limit."""
    run_ms: int
    """Milliseconds that runs took together."""
    attempts: int
    """Attempts at deliveries."""
    failed_attempts: int
    """Attempts that failed."""
    attempt_ms: int
    """Milliseconds that attempts took together."""
    exhausted: int
    """Deliveries that were given up."""
    dropped: int
    """Events that were passed without an attempt or run: skipped, deleted before their turn, or at the hop limit."""
    filtered: int
    """Events that filters kept from listeners."""
    waiting: int | None
    """Events in front of the cursors of subscriptions, and requests in front of sources and workflows. Measured each
    minute, on average over the step; null for an emitter or listener.
    """
    pending: int | None
    """Deliveries that wait for an attempt. Measured each minute, on average over the step; null for an emitter or
    listener.
    """
    p50_ms: float | None
    """In how many milliseconds half of the attempts ended, about; null if there were none."""
    p99_ms: float | None
    """In how many milliseconds 99 of 100 of the attempts ended, about; null if there were none."""


class Journey(TypedDict):
    nodes: list[JourneyEvent | JourneyRequest | JourneyRun | JourneyDelivery | JourneyConsumer | JourneyListener]
    """The event itself first."""
    edges: list[JourneyEdge]
    truncated: bool
    """Whether there is more: a journey is followed for 8 emitters each way, and tells of 200 nodes."""


_JourneyEdgeKeywords = TypedDict(
    "_JourneyEdgeKeywords",
    {
        # The id of a node.
        "from": "str",
    },
)


class _JourneyEdgeOptional(TypedDict, total=False):
    clause: str
    """With the reason filtered: the clause of the filter that does not hold."""


class JourneyEdge(_JourneyEdgeKeywords, _JourneyEdgeOptional):
    to: str
    """The id of a node."""
    subscription_id: str | None
    """By which subscription; null from a request to its run, and from a run to what it emitted."""
    matched: bool
    """Whether the subscription delivers the event; true if there is none."""
    reason: Literal[
        "other_emitter",
        "other_stream",
        "own_event",
        "too_many_hops",
        "before_start",
        "filtered",
        "filter_too_costly",
    ] | None
    """Why not; null if it does."""


class JourneyListener(TypedDict):
    id: str
    """Names the node in this journey."""
    type: Literal["listener"]
    listener_id: str
    """The id of a source, workflow or webhook."""
    listener_name: str | None
    """What it is called; null if it has no name."""


class JourneyConsumer(TypedDict):
    id: str
    """Names the node in this journey."""
    type: Literal["consumer"]
    consumer_id: str
    """The id of a consumer."""
    state: Literal["waiting", "delivered", "pending", "exhausted", "dropped"]
    """waiting until the event is committed, and then delivered."""


class _JourneyDeliveryOptional(TypedDict, total=False):
    waiting_for: Literal["inactive", "throttled", "circuit", "order", "rate", "batch"]
    """With the state waiting, if it is more than its turn: for its webhook to be active, for the end of a pause that
    the endpoint asked for, for its circuit, for an event before it (strict order), for the rate, or for others to go
    with, until next_attempt_at_ms at the latest (batch).
    """


class JourneyDelivery(_JourneyDeliveryOptional):
    id: str
    """Names the node in this journey."""
    type: Literal["delivery"]
    webhook_id: str | None
    """The id of a webhook; null for a request that a workflow sends by $.send.http."""
    webhook_name: str | None
    """What it is called; null if it has no name."""
    delivery_id: str | None
    """null before the first attempt."""
    state: Literal["waiting", "delivered", "pending", "exhausted", "dropped"]
    """As in a trace."""
    attempts: int
    """How many attempts were made."""
    last_attempt: TracedAttempt | None
    next_attempt_at_ms: int | None
    """Unix time in milliseconds."""


class TracedAttempt(TypedDict):
    attempt: int
    """From 1."""
    started_at_ms: int
    """Unix time in milliseconds."""
    duration_ms: int
    """Milliseconds."""
    outcome: Literal["delivered", "failed"]
    status: int | None
    """The endpoint's HTTP status; null if it sent none."""
    address: str | None
    """The address that the server connected to."""
    error_class: str | None
    """The kind of failure; null if there was none."""
    error_message: str | None
    """The failure, in words."""


class JourneyRun(TypedDict):
    id: str
    """Names the node in this journey."""
    type: Literal["run"]
    listener_id: str
    """The id of a source, workflow or webhook."""
    listener_name: str | None
    """What it is called; null if it has no name."""
    state: Literal["waiting", "ended", "failed", "dropped", "running", "paused", "cancelled"]
    """waiting: its turn has not come; ended; failed: it left an error; dropped: it was passed without a run; for
    workflows also running, paused (it waits for a time) and cancelled.
    """
    run_id: str | None
    """Of a workflow's run; null if it is not known."""
    started_at_ms: int | None
    """Of a workflow's run. Unix time in milliseconds."""
    ended_at_ms: int | None
    """Of a workflow's run. Unix time in milliseconds."""
    error: JourneyRunError | None
    """Of a workflow's run that failed."""
    logs: int
    """Console lines that it left."""


class JourneyRunError(TypedDict):
    name: str
    message: str


class JourneyRequest(TypedDict):
    id: str
    """Names the node in this journey."""
    type: Literal["request"]
    emitter_id: str
    """The id of a source, workflow or account."""
    emitter_name: str | None
    """What it is called; null if it has no name."""
    received_at_ms: int
    """Unix time in milliseconds."""
    kind: Literal["http", "email", "invocation", "rerun"] | None
    """By its endpoint or its e-mail address, or through the API; null once the server has deleted the request."""
    emit_id: str | None
    """The request's own id; null once it is deleted."""


class JourneyEvent(TypedDict):
    id: str
    """Names the node in this journey."""
    type: Literal["event"]
    emitter_id: str
    """The id of a source, workflow or account."""
    emitter_name: str | None
    """What it is called; null if it has no name."""
    event_id: str
    """The event's id in its emitter's log."""
    indexed_at_ms: int
    """Unix time in milliseconds."""
    event_name: str | None
    """The event stream; empty for the default one; null if the event was deleted."""
    emit_id: str | None
    """Identifies the event in every delivery."""
    hops: int | None
    """How many emitters it has passed through."""


class EventSummary(TypedDict):
    id: str
    """<milliseconds>-<sequence>, ordered by time."""
    indexed_at_ms: int
    """Unix time in milliseconds."""
    event: EmittedEvent | ErrorEvent | PreviewOfAnErrorEvent
    """Data over 1 KB is cut to a preview unless expand=event."""
    metadata: EventSummaryMetadata


class EmittedEvent(TypedDict):
    raw_event: Any
    """The emitted payload: any JSON value."""


class ErrorEvent(TypedDict):
    original_event: Any
    """The event that caused the error."""
    original_context: ErrorEventOriginalContext
    error: ErrorEventError


class ErrorEventOriginalContext(TypedDict):
    id: str
    ts: str
    """ISO 8601."""
    workflow_id: str
    """For a source, the source's id."""
    deployment_id: str
    """For a source, its component's id."""
    source_type: str
    """What the run was for: HTTP, EMAIL, TIMER, EVENT, INVOCATION or HOOK."""
    verified: bool
    owner_id: str
    platform_version: str


class _ErrorEventErrorOptional(TypedDict, total=False):
    message: str
    """Extension: The error's message."""


class ErrorEventError(_ErrorEventErrorOptional):
    code: str
    """The error's name."""
    cellId: str
    ts: str
    """ISO 8601."""
    stack: str


class PreviewOfAnErrorEvent(TypedDict, total=False):
    original_event: Any
    original_context: dict[str, Any]
    error: dict[str, Any]


class _EventSummaryMetadataOptional(TypedDict, total=False):
    id: str | float
    """Extension: The emit's own id."""
    summary: str
    """Extension: The emit's own summary."""
    ts: str | float
    """Extension: The emit's own time."""
    truncated: bool
    """Extension: true if event is a cut preview."""


class EventSummaryMetadata(_EventSummaryMetadataOptional):
    emit_id: str
    """Identifies the event in every delivery."""
    name: str
    """The event stream; empty for the default one."""
    emitter_id: str
    """The id of the source or workflow."""


class EventTrace(TypedDict):
    event_id: str
    """The event's id in its emitter's log."""
    emit_id: str
    """Identifies the event in every delivery."""
    emitter_id: str
    """The id of the source or workflow."""
    event_name: str
    """The event stream; empty for the default one."""
    hops: int
    """How many emitters it has passed through."""
    subscriptions: list[TracedSubscription]
    """All subscriptions of the account, newest first."""


class _TracedSubscriptionOptional(TypedDict, total=False):
    clause: str
    """With the reason filtered: the clause of the filter that does not hold."""
    waiting_for: Literal["inactive", "throttled", "circuit", "order", "rate", "batch"]
    """With the state waiting, if it is more than its turn: for its webhook to be active, for the end of a pause that
    the endpoint asked for, for its circuit, for an event before it (strict order), for the rate, or for others to go
    with, until next_attempt_at_ms at the latest (batch).
    """
    batch: DeliveredBatch


class TracedSubscription(_TracedSubscriptionOptional):
    subscription_id: str
    """Begins with sub_."""
    emitter_id: str
    """The id of a source or workflow, or a glob."""
    listener_id: str
    """The id of a source, workflow or webhook."""
    event_name: str
    """The event stream it listens to."""
    matched: bool
    """Whether it delivers the event."""
    reason: Literal[
        "other_emitter",
        "other_stream",
        "own_event",
        "too_many_hops",
        "before_start",
        "filtered",
        "filter_too_costly",
    ] | None
    """Why not; null if it does."""
    state: Literal["waiting", "delivered", "pending", "exhausted", "dropped"] | None
    """The state of its delivery, in the order of the values: not yet attempted, delivered, to be retried, given up, or
    skipped without an attempt; null if the subscription did not match, unless it dropped the event as
    filter_too_costly.
    """
    next_attempt_at_ms: int | None
    """When the next attempt is due. Unix time in milliseconds."""
    attempts: list[TracedAttempt]
    """Oldest first."""


class _ConsumerOptional(TypedDict, total=False):
    filter: Filter
    """Extension: What events have to pass. Not there if all are delivered."""


class Consumer(_ConsumerOptional):
    id: str
    """Begins with cns_."""
    name: str | None
    """null if none was given."""
    emitter_id: str
    """The id of an emitter, or a glob."""
    event_name: str
    """The event stream; empty if none was given."""
    lease_seconds: int
    """How long a reader may be silent before another one takes over."""
    lease: ConsumerLeaseValue | None
    """null if nobody reads."""
    created_at: int
    """Unix time in seconds."""


class ConsumerLeaseValue(TypedDict):
    expires_at_ms: int
    """When it ends if its reader is silent, at the latest. Unix time in milliseconds."""


class LeaseLostProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["lease_lost"]
    """What went wrong, as a code for programs. Never changes."""
    details: dict[str, Any]
    type: Literal["urn:headwater:problem:lease_lost"]
    status: Literal[409]
    title: Literal["Lease lost"]


class ConsumerLease(TypedDict):
    id: str
    """Given with further reads and with commits."""
    expires_at_ms: int
    """When it ends. Reads and commits renew it. Unix time in milliseconds."""


class LeaseHeldProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["lease_held"]
    """What went wrong, as a code for programs. Never changes."""
    details: LeaseHeldProblemDetails
    type: Literal["urn:headwater:problem:lease_held"]
    status: Literal[409]
    title: Literal["Lease held"]


class LeaseHeldProblemDetails(TypedDict):
    expires_at_ms: int
    """When the lease ends unless it is renewed. Unix milliseconds."""


class ConsumerPosition(TypedDict):
    emitter_id: str
    """The id of the emitter."""
    position: str
    """All events up to this id are passed."""
    waiting: int
    """Events behind the position."""
    delivered: int
    """Events that were committed since the start, as all further counts."""
    filtered: int
    """Events that the filter kept out."""
    dropped: int
    """Events that were deleted before they were committed, had reached the hop limit, or took too much work to judge by
    the filter.
    """
    filter_too_costly: int
    """Those of the dropped ones that took too much work to judge by the filter."""


class Source(TypedDict):
    id: str
    """Begins with dc_."""
    component_id: str
    """Begins with sc_."""
    configured_props: dict[str, Any]
    """Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}."""
    active: bool
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""
    name: str
    name_slug: str
    """Works wherever the source's id does."""


class CreatedSource(TypedDict):
    id: str
    """Begins with dc_."""
    component_id: str
    """Begins with sc_."""
    configured_props: dict[str, Any]
    """Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}."""
    active: bool
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""
    name: str
    name_slug: str
    """Works wherever the source's id does."""
    user_id: str
    """Begins with u_."""


class ComponentInUseProblem(TypedDict):
    detail: str
    """What went wrong, as a sentence."""
    error: str
    """The same sentence as detail."""
    code: Literal["component_in_use"]
    """What went wrong, as a code for programs. Never changes."""
    details: ComponentInUseProblemDetails
    type: Literal["urn:headwater:problem:component_in_use"]
    status: Literal[409]
    title: Literal["Component in use"]


class ComponentInUseProblemDetails(TypedDict):
    sources: list[str]
    """The ids of sources that use it, at most 100."""


class Component(TypedDict):
    id: str
    """Begins with sc_."""
    code: str
    """The full component code."""
    code_hash: str
    """SHA-256 of the code, hexadecimal."""
    key: str | None
    """Extension: The `key` in the component's code; null if it has none."""
    name: str
    version: str
    description: str | None
    """Extension: The `description` in the component's code; null if it has none."""
    configurable_props: list[ComponentConfigurablePropsItem]
    """The props in the order of the code. A timer's default is {intervalSeconds}."""
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""


class _ComponentConfigurablePropsItemOptional(TypedDict, total=False):
    label: str
    description: str
    default: Any
    """A value of the prop's type."""


class ComponentConfigurablePropsItem(_ComponentConfigurablePropsItemOptional):
    name: str
    type: str


class ListedComponent(TypedDict):
    id: str
    """Begins with sc_."""
    key: str | None
    """The key in its code; null if it has none."""
    name: str
    version: str
    description: str | None
    """The first 500 characters of the description in its code; null if it has none."""
    code_hash: str
    """SHA-256 of the code, hexadecimal."""
    created_at: int
    """Unix time in seconds."""
    updated_at: int
    """Unix time in seconds."""


class ComponentConfiguration(TypedDict, total=False):
    options: list[Any]
    context: Any
    """Send it as prev_context to get the next page."""
    configurable_props: list[ComponentConfigurationConfigurablePropsItem]


class _ComponentConfigurationConfigurablePropsItemOptional(TypedDict, total=False):
    label: str
    description: str
    default: Any
    """A value of the prop's type."""


class ComponentConfigurationConfigurablePropsItem(_ComponentConfigurationConfigurablePropsItemOptional):
    name: str
    type: str


Problem: TypeAlias = Union[
    InvalidResponseProblem,
    LoopDetectedProblem,
    MethodNotAllowedProblem,
    NoResponseProblem,
    ResponseTimeoutProblem,
    InsufficientScopeProblem,
    CrossSiteRequestProblem,
    AccountSuspendedProblem,
    UnauthorizedProblem,
    UnsupportedMediaTypeProblem,
    PayloadTooLargeProblem,
    InternalErrorProblem,
    UnavailableProblem,
    InvalidRequestProblem,
    IdempotencyConflictProblem,
    RateLimitedProblem,
    QuotaExceededProblem,
    NotFoundProblem,
    HookFailedProblem,
    ComponentInvalidProblem,
    RunNotWaitingProblem,
    BacklogFullProblem,
    WorkflowPausedProblem,
    NameTakenProblem,
    ConnectionRefusedProblem,
    ConnectionPendingProblem,
    BulkActionEndedProblem,
    BulkActionsFullProblem,
    DeliveryNotPendingProblem,
    DeliveryNotRepeatableProblem,
    ClockFixedProblem,
    ClockAdvancingProblem,
    LeaseLostProblem,
    LeaseHeldProblem,
    ComponentInUseProblem,
]


ProblemCode: TypeAlias = Literal[
    "invalid_response",
    "loop_detected",
    "method_not_allowed",
    "no_response",
    "response_timeout",
    "insufficient_scope",
    "cross_site_request",
    "account_suspended",
    "unauthorized",
    "unsupported_media_type",
    "payload_too_large",
    "internal_error",
    "unavailable",
    "invalid_request",
    "idempotency_conflict",
    "rate_limited",
    "quota_exceeded",
    "not_found",
    "hook_failed",
    "component_invalid",
    "run_not_waiting",
    "backlog_full",
    "workflow_paused",
    "name_taken",
    "connection_refused",
    "connection_pending",
    "bulk_action_ended",
    "bulk_actions_full",
    "delivery_not_pending",
    "delivery_not_repeatable",
    "clock_fixed",
    "clock_advancing",
    "lease_lost",
    "lease_held",
    "component_in_use",
]


class ComponentsCreateBody(TypedDict, total=False):
    component_code: str
    """Full component code."""
    component_url: str
    """An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an
    extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_code,
    it is only metadata.
    """
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ComponentsCreateResponse(TypedDict):
    data: Component


class ComponentsConfigureBody(TypedDict, total=False):
    prop_name: str
    """The prop to list the values of."""
    configured_props: dict[str, Any]
    """The values so far, in the form that a source takes. Some may be missing."""
    page: int
    """Which page of the values, counted from 0."""
    prev_context: Any
    """The `context` of the previous page."""
    query: str
    """What the user has typed, for a prop with `useQuery`."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ComponentsConfigureResponse(TypedDict):
    data: ComponentConfiguration


class ComponentsListResponse(TypedDict):
    page_info: PageInfo
    data: list[ListedComponent]


class PageInfo(TypedDict):
    total_count: int
    """Items in the whole list."""
    count: int
    """Items on this page."""
    start_cursor: str
    """The cursor of this page's first item; empty if there is none."""
    end_cursor: str
    """The cursor of this page's last item; empty if there is none."""


class ComponentsListPublishedResponse(TypedDict):
    page_info: PageInfo
    data: list[ListedComponent]


class ComponentsGetPublishedResponse(TypedDict):
    data: Component


class ComponentsGetResponse(TypedDict):
    data: Component


class SourcesListResponse(TypedDict):
    page_info: PageInfo
    data: list[Source]


class SourcesCreateBody(TypedDict, total=False):
    component_id: str
    """The id of an existing component. Takes precedence over component_code and component_url."""
    component_code: str
    """Full component code."""
    component_url: str
    """An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an
    extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_id or
    component_code, it is only metadata.
    """
    key: str
    """Extension: The key of a component in the registry, instead of the three other component parameters. Selects its
    newest version.
    """
    name: str
    """Default: the name slug of the component."""
    configured_props: dict[str, Any]
    """Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    emit_on_deploy: bool
    """Extension: Whether to keep the events that the deploy hook emits. Default: true."""


class SourcesCreateResponse(TypedDict):
    data: CreatedSource


class SourcesGetResponse(TypedDict):
    data: Source


class SourcesUpdateBody(TypedDict, total=False):
    component_id: str
    """The id of an existing component. Takes precedence over component_code and component_url."""
    component_code: str
    """Full component code."""
    component_url: str
    """An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an
    extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_id or
    component_code, it is only metadata.
    """
    key: str
    """Extension: The key of a component in the registry, instead of the three other component parameters. Selects its
    newest version.
    """
    name: str
    """Default: the name slug of the component."""
    configured_props: dict[str, Any]
    """Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    active: bool
    """false deactivates the source, true activates it. Default: true."""


class SourcesUpdateResponse(TypedDict):
    data: Source


class EventsSourceSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class EventsSourceErrorSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class EventsSourceLogSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class EventsWorkflowSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class EventsWorkflowErrorSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class EventsWorkflowLogSummariesResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class LogSourceEventsResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class LogAccountEventsResponse(TypedDict):
    page_info: LogAccountEventsResponsePageInfo
    data: list[EventSummary]


class LogAccountEventsResponsePageInfo(TypedDict):
    count: int
    """Items on this page."""
    start_cursor: str
    """Where the page begins; empty if nothing is there."""
    end_cursor: str
    """Where the page ends; empty if nothing is there."""
    has_more: bool
    """Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with
    before alone, with before=start_cursor.
    """
    is_cut: bool
    """Whether the list ends here before the oldest event, since the account has more than 5,000 streams: name emitters
    to see older events.
    """
    position: str
    """What the list could have on it: GET /events/sse after it has everything that was committed later."""


class LogSourceEventResponse(TypedDict):
    data: EventSummary


class LogSourceEventTraceResponse(TypedDict):
    data: EventTrace


class LogWorkflowEventsResponse(TypedDict):
    page_info: PageInfo
    data: list[EventSummary]


class LogWorkflowEventResponse(TypedDict):
    data: EventSummary


class LogWorkflowEventTraceResponse(TypedDict):
    data: EventTrace


class ConsumersListResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[Consumer]


class OpenPageInfo(TypedDict):
    count: int
    """Items on this page."""
    start_cursor: str
    """Where the page begins; empty if nothing is there."""
    end_cursor: str
    """Where the page ends; empty if nothing is there."""
    has_more: bool
    """Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with
    before alone, with before=start_cursor.
    """


class ConsumersCreateBody(TypedDict, total=False):
    emitter_id: str
    """Required. An emitter, or a glob over ids with * and ?: p_* is every workflow, dc_* every source."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."""
    filter: Filter
    """Extension: What events have to pass. Default: all are delivered."""
    name: str
    """For people. Default: null."""
    start: str | int
    """Where it starts: beginning, end, an event id, or a time in Unix milliseconds. Of an id or a time, the first event
    from it on is the next. Default: end.
    """
    lease_seconds: int
    """How long a reader may be silent before another one takes over, 1 to 3600; default 60."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ConsumersCreateResponse(TypedDict):
    data: Consumer


class ConsumersGetResponse(TypedDict):
    data: Consumer


class ConsumersPositionsResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[ConsumerPosition]


class ConsumersEventsResponse(TypedDict):
    """The next events."""

    lease: ConsumerLease | None
    """null if the request gave none and there are no events."""
    positions: dict[str, str]
    """By emitter, the last of these events. To commit all of them, send this back."""
    data: list[EventSummary]
    """With their whole data; of each emitter in its log's order."""


class ConsumersCommitBody(TypedDict, total=False):
    lease: str
    """Required. The lease that the read gave."""
    positions: dict[str, str]
    """By emitter, the last event that is committed, with all before it: the positions of a read, or earlier ones.
    Default: none.
    """
    release: bool
    """Gives the lease back, so that another reader need not wait for its end. Default: false."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ConsumersCommitResponse(TypedDict):
    data: ConsumersCommitResponseData


class ConsumersCommitResponseData(TypedDict):
    lease: ConsumerLease | None
    """null if it was given back."""


class ConsumersSeekBody(TypedDict, total=False):
    to: str | int
    """Required. beginning, end, an event id, or a time in Unix milliseconds. Of an id or a time, the first event from
    it on is the next.
    """
    emitter_id: str
    """Seek in this emitter's log alone. Default: in those of all emitters that it reads."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ConsumersSeekResponse(TypedDict):
    data: Consumer


class JourneyEventResponse(TypedDict):
    data: Journey


class FiguresSeriesResponse(TypedDict):
    data: Figures


class GraphPageResponse(TypedDict):
    data: Graph


class NodesListResponse(TypedDict):
    data: list[Node]


class DiagnosisGetResponse(TypedDict):
    data: Diagnosis


class ClockGetResponse(TypedDict):
    data: Clock


class ClockReleaseResponse(TypedDict):
    data: Clock


class ClockFreezeResponse(TypedDict):
    data: Clock


class ClockAdvanceBody(TypedDict, total=False):
    to: int
    """To this time, in Unix milliseconds."""
    by: int
    """By so many milliseconds."""
    to_next: Literal[True]
    """To the next time at which anything is due."""
    max_fired: int
    """After so much due work it goes no further. What is due at the same time is done together."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class ClockAdvanceResponse(TypedDict):
    data: ClockOperation


class ClockOperationResponse(TypedDict):
    data: ClockOperation


_SubscriptionsCreateBodyOptionalKeywords = TypedDict(
    "_SubscriptionsCreateBodyOptionalKeywords",
    {
        # Extension: Where a new subscription starts: beginning, or the id of the first event to deliver. If
        # that event is gone, delivery starts at the next one. Default: the end of the log.
        "from": "str",
    },
    total=False,
)


class SubscriptionsCreateBody(_SubscriptionsCreateBodyOptionalKeywords, total=False):
    emitter_id: str
    """Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source."""
    listener_id: str
    """Required. A source, workflow or webhook."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    filter: Filter
    """Extension: What events have to pass. Default: all are delivered."""
    batch: SubscriptionsCreateBodyBatch
    """Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the
    JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See
    docs/delivery.md, "Batches". Default: each event goes alone.
    """


class SubscriptionsCreateBodyBatch(TypedDict, total=False):
    """Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the
    JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See
    docs/delivery.md, "Batches". Default: each event goes alone.
    """

    max_events: int
    """So many events at most, 1 to 1000. Default: 100."""
    max_wait_ms: int
    """How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default:
    1000.
    """
    max_bytes: int
    """So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone.
    Default: 1048576.
    """


class SubscriptionsCreateResponse(TypedDict):
    data: Subscription


class SubscriptionsUpdateBody(TypedDict, total=False):
    emitter_id: str
    """Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source."""
    listener_id: str
    """Required. A source, workflow or webhook."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    filter: Filter | None
    """What events have to pass; null removes it. Default: unchanged."""
    batch: SubscriptionsUpdateBodyBatch | None
    """Has events go together, or otherwise than before; null has each go alone. Default: unchanged."""


class SubscriptionsUpdateBodyBatch(TypedDict, total=False):
    """The events of one emitter go to the listener together: to a webhook as one request whose body is the JSON list of
    the payloads, to a source or workflow whose component asks for lists as one run. See docs/delivery.md, "Batches".
    """

    max_events: int
    """So many events at most, 1 to 1000. Default: 100."""
    max_wait_ms: int
    """How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default:
    1000.
    """
    max_bytes: int
    """So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone.
    Default: 1048576.
    """


class SubscriptionsUpdateResponse(TypedDict):
    data: Subscription


class SubscriptionsDeleteBody(TypedDict, total=False):
    emitter_id: str
    """Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source."""
    listener_id: str
    """Required. A source, workflow or webhook."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class SubscriptionsPreviewBody(TypedDict, total=False):
    emitter_id: str
    """Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source."""
    listener_id: str
    """Required. A source, workflow or webhook."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    filter: Filter
    """Extension: What events have to pass. Default: all are delivered."""


class SubscriptionsPreviewResponse(TypedDict):
    data: SubscriptionPreview


class SubscriptionsListResponse(TypedDict):
    data: list[Subscription]


class AutoSubscriptionsCreateBody(TypedDict, total=False):
    listener_id: str
    """Required. A source, workflow or webhook."""
    event_name: str
    """The event stream: $errors, $logs, default, or a name the emitters give. Default: the default one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    filter: Filter
    """Extension: What events have to pass. Default: all are delivered."""
    batch: AutoSubscriptionsCreateBodyBatch
    """Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the
    JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See
    docs/delivery.md, "Batches". Default: each event goes alone.
    """


class AutoSubscriptionsCreateBodyBatch(TypedDict, total=False):
    """Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the
    JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See
    docs/delivery.md, "Batches". Default: each event goes alone.
    """

    max_events: int
    """So many events at most, 1 to 1000. Default: 100."""
    max_wait_ms: int
    """How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default:
    1000.
    """
    max_bytes: int
    """So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone.
    Default: 1048576.
    """


class AutoSubscriptionsCreateResponse(TypedDict):
    data: AutoSubscription


class AutoSubscriptionsListResponse(TypedDict):
    page_info: PageInfo
    data: list[AutoSubscription]


class WebhooksCreateBody(TypedDict, total=False):
    url: str
    """Required. An http or https URL with a hostname; a port and a path are allowed."""
    name: str
    """For people. Default: null."""
    description: str
    """For people. Default: null."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""
    ordering: Literal["ordered", "strict", "none"] | None
    """Extension: ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and
    those behind it go on. strict: what fails holds those behind it until it is delivered or given up. none: first
    attempts start in order and overlap. Default: ordered.
    """
    concurrency: int | None
    """Extension: First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4;
    if it is below 4, they take turns with first attempts. Default: 16.
    """
    rate_limit: WebhooksCreateBodyRateLimit | None
    """Extension: How many attempts begin within a time; null for as many as there are. Default: null."""
    retry_schedule: list[int] | None
    """Extension: Seconds to wait before each retry, 20 % more or less. Empty: no retries. Default: 5, 300, 1800, 7200,
    18000, 36000, 50400, 72000, 86400.
    """
    timeout_ms: int | None
    """Extension: How long the endpoint has to answer, in milliseconds. Default: 15000."""
    circuit: WebhookCircuit | None
    """Extension: When to stop sending to an endpoint that fails; null for never. Default: null."""
    signature: Literal["hmac", "ed25519", "both"] | None
    """Extension: What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both. Default:
    hmac.
    """
    max_bytes: int | None
    """Extension: Larger payloads are not sent: their deliveries are exhausted, with the error class too_large. Default:
    no limit beside that on events.
    """
    http2: bool | None
    """Extension: Whether HTTP/2 is spoken with the endpoint if it offers it over TLS. Default: true."""
    headers: dict[str, str] | None
    """Extension: Sent with each delivery. Not host, content-length, webhook-* and others that the server sends.
    Together with secret_headers at most 32, and 8192 bytes.
    """
    secret_headers: dict[str, str] | None
    """Extension: As headers, with values that are never shown again: *** stands for each, and given back keeps it."""
    tls: GivenWebhookTls | None
    """Extension: What TLS connections to the endpoint are made with. Default: the public authorities, and no
    certificate.
    """


class _WebhooksCreateBodyRateLimitOptional(TypedDict, total=False):
    burst: int
    """How many may begin together after a pause. Default: 1."""


class WebhooksCreateBodyRateLimit(_WebhooksCreateBodyRateLimitOptional):
    limit: int
    interval_seconds: int


class WebhooksCreateResponse(TypedDict):
    data: CreatedWebhook


class WebhooksListResponse(TypedDict):
    page_info: PageInfo
    data: list[Webhook]


class WebhooksGetResponse(TypedDict):
    data: WebhookDetails


class WebhooksUpdateBody(TypedDict, total=False):
    url: str
    """An http or https URL with a hostname."""
    name: str | None
    """null removes it."""
    description: str | None
    """null removes it."""
    active: bool
    """Default: true. An inactive webhook keeps its place in the log and continues from there."""
    ordering: Literal["ordered", "strict", "none"] | None
    """ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those behind it
    go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start in
    order and overlap. null: the default.
    """
    concurrency: int | None
    """First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if it is
    below 4, they take turns with first attempts. null: the default.
    """
    rate_limit: WebhooksUpdateBodyRateLimit | None
    """How many attempts begin within a time; null for as many as there are."""
    retry_schedule: list[int] | None
    """Seconds to wait before each retry, 20 % more or less. Empty: no retries. null: the default."""
    timeout_ms: int | None
    """How long the endpoint has to answer, in milliseconds. null: the default."""
    circuit: WebhookCircuit | None
    """When to stop sending to an endpoint that fails; null for never."""
    signature: Literal["hmac", "ed25519", "both"] | None
    """Extension: What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both. Default:
    hmac.
    """
    max_bytes: int | None
    """Extension: Larger payloads are not sent: their deliveries are exhausted, with the error class too_large. Default:
    no limit beside that on events.
    """
    http2: bool | None
    """Extension: Whether HTTP/2 is spoken with the endpoint if it offers it over TLS. Default: true."""
    headers: dict[str, str] | None
    """Extension: Sent with each delivery. Not host, content-length, webhook-* and others that the server sends.
    Together with secret_headers at most 32, and 8192 bytes.
    """
    secret_headers: dict[str, str] | None
    """Extension: As headers, with values that are never shown again: *** stands for each, and given back keeps it."""
    tls: GivenWebhookTls | None
    """Extension: What TLS connections to the endpoint are made with. Default: the public authorities, and no
    certificate.
    """
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class _WebhooksUpdateBodyRateLimitOptional(TypedDict, total=False):
    burst: int
    """How many may begin together after a pause. Default: 1."""


class WebhooksUpdateBodyRateLimit(_WebhooksUpdateBodyRateLimitOptional):
    limit: int
    interval_seconds: int


class WebhooksUpdateResponse(TypedDict):
    data: WebhookDetails


class WebhooksGetSecretResponse(TypedDict):
    data: WebhookSecret


class WebhooksRotateSecretResponse(TypedDict):
    data: WebhookSecret


class WebhooksGetPublicKeyResponse(TypedDict):
    data: WebhookPublicKey


class WebhooksRotatePublicKeyResponse(TypedDict):
    data: WebhookPublicKey


class WebhooksTestBody(TypedDict, total=False):
    payload: Any
    """What to send. Default: the payload of the event, or a sample."""
    emitter_id: str
    """The source or workflow (by id or name slug) whose event is sent. Default: none, and a sample event is."""
    event_id: str
    """The event's id in the log of emitter_id."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WebhooksTestResponse(TypedDict):
    data: TestedWebhook


class WebhooksPauseResponse(TypedDict):
    data: Webhook


_WebhooksResumeBodyOptionalKeywords = TypedDict(
    "_WebhooksResumeBodyOptionalKeywords",
    {
        # place, the default: it continues where it stood. now: what waits for a first attempt or a retry is
        # dropped, and it continues with what is emitted from now on.
        "from": "Literal[\"place\", \"now\"]",
    },
    total=False,
)


class WebhooksResumeBody(_WebhooksResumeBodyOptionalKeywords, total=False):
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WebhooksResumeResponse(TypedDict):
    data: Webhook


class WebhooksForceNextBody(TypedDict, total=False):
    emitter_id: str
    """Only the line of this source or workflow (by id or name slug) or account. Default: all."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WebhooksForceNextResponse(TypedDict):
    data: ForcedLines


class DeliveriesListResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[Delivery]


class DeliveriesOfWebhookResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[Delivery]


class DeliveriesDueResponse(TypedDict):
    data: DueRetries


class DeliveriesGetResponse(TypedDict):
    data: DeliveryDetails


class DeliveriesRetryResponse(TypedDict):
    data: Delivery


class DeliveriesSkipResponse(TypedDict):
    data: Delivery


class BulkActionsListResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[BulkAction]


class _BulkActionsCreateBodyOptional(TypedDict, total=False):
    dry_run: bool
    """Only counts what matches. Default: false."""
    rate_limit: int
    """Attempts a second at each webhook, at most. Default: 100."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class BulkActionsCreateBody(_BulkActionsCreateBodyOptional):
    action: Literal["retry", "replay", "skip", "cancel"]
    """retry: attempts deliveries once more; of all states but delivered, unless the filter names one. replay: sends
    events again, apart from the accounting of their subscriptions. skip: drops pending deliveries. cancel: gives
    pending deliveries up, so that they are exhausted.
    """
    filter: BulkActionsCreateBodyFilter
    """What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A
    replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and
    until are times of events there.
    """


_BulkActionsCreateBodyFilterOptionalKeywords = TypedDict(
    "_BulkActionsCreateBodyFilterOptionalKeywords",
    {
        # From this event of emitter_id on, or the next one if it is gone.
        "from": "str",
    },
    total=False,
)


class BulkActionsCreateBodyFilter(_BulkActionsCreateBodyFilterOptionalKeywords, total=False):
    """What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A
    replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and
    until are times of events there.
    """

    webhook_id: str
    """To this webhook."""
    subscription_id: str
    """Of this subscription, even if it is deleted."""
    emitter_id: str
    """Of events of this source, workflow (by id or name slug) or account."""
    event_name: str
    """Of events of this stream; empty or default for the default one."""
    event_id: str
    """Of the event with this id."""
    state: Literal["pending", "delivered", "exhausted", "dropped"]
    """pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last
    attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
    """
    error_class: Literal[
        "status",
        "throttled",
        "redirect",
        "gone",
        "refused",
        "dns",
        "connect",
        "tls",
        "certificate",
        "timeout",
        "reset",
        "protocol",
        "too_large",
    ]
    """Whose last attempt failed in this way."""
    status: str
    """Whose last attempt was answered with this status (503) or class of statuses (5xx)."""
    since: int
    """Begun at this time or later. Unix time in milliseconds."""
    until: int
    """Begun before this time. Unix time in milliseconds."""
    last_attempt_since: int
    """Whose last attempt was made at this time or later. Unix time in milliseconds."""
    text: str
    """Of events whose payload, as JSON text, contains this text. Upper and lower case differ."""
    to: str
    """Up to this event of emitter_id."""


class BulkActionsCreateResponse(TypedDict):
    data: BulkAction


_BulkActionsReplayBodyOptionalKeywords = TypedDict(
    "_BulkActionsReplayBodyOptionalKeywords",
    {
        # From this event of emitter_id on, or the next one if it is gone.
        "from": "str",
    },
    total=False,
)


class BulkActionsReplayBody(_BulkActionsReplayBodyOptionalKeywords, total=False):
    emitter_id: str
    """A source or workflow (by id or name slug) or account: only its events."""
    to: str
    """Up to this event of emitter_id."""
    since: int
    """Begun at this time or later. Unix time in milliseconds."""
    until: int
    """Begun before this time. Unix time in milliseconds."""
    rate_limit: int
    """Attempts a second at each webhook, at most."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class BulkActionsReplayResponse(TypedDict):
    data: BulkAction


class BulkActionsGetResponse(TypedDict):
    data: BulkAction


class BulkActionsUpdateBody(TypedDict, total=False):
    rate_limit: int
    """Attempts a second at each webhook, at most."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class BulkActionsUpdateResponse(TypedDict):
    data: BulkAction


class BulkActionsPauseResponse(TypedDict):
    data: BulkAction


class BulkActionsResumeResponse(TypedDict):
    data: BulkAction


class BulkActionsCancelResponse(TypedDict):
    data: BulkAction


class UsersMeResponse(TypedDict):
    data: FreeUser | PaidUser


class KeysListResponse(TypedDict):
    page_info: PageInfo
    data: list[Key]


class KeysCreateBody(TypedDict, total=False):
    name: str
    """What the key is for. Default: empty."""
    scope: Literal["read", "run", "write"]
    """What the key may do: read, run or write. Default: write."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class KeysCreateResponse(TypedDict):
    data: NewKey


class KeysRotateBody(TypedDict, total=False):
    overlap_seconds: int
    """Seconds for which the old key stays valid, 0 to 2592000 (30 days). Default: 86400 (a day)."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class KeysRotateResponse(TypedDict):
    data: NewKey


class AuditListResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[AuditEntry]


class AppAccountsListResponse(TypedDict):
    page_info: PageInfo
    data: list[AppAccount]


class _AppAccountsCreateBodyOptional(TypedDict, total=False):
    name: str
    """A name for the account. Default: empty."""
    credentials: dict[str, Any]
    """The object that the code gets as $auth. Encrypted at rest and never shown. Required without oauth; with it, what
    $auth has beside oauth_access_token, and parts of the provider's URLs.
    """
    oauth: AppAccountsCreateBodyOauth
    """The account is over OAuth 2: the server renews its token, which the code gets as $auth.oauth_access_token."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class AppAccountsCreateBody(_AppAccountsCreateBodyOptional):
    app: str
    """The app's name in component code, such as shop in {type: "app", app: "shop"}."""


class _AppAccountsCreateBodyOauthOptional(TypedDict, total=False):
    provider: OAuthProvider | None
    client_secret: str
    """Encrypted at rest and never shown."""
    scopes: list[str]
    """What the user is asked for. Default: none."""
    authorization_url: str | None
    token_url: str | None
    device_url: str | None
    client_authentication: Literal["basic", "post", "none"] | None
    parameters: dict[str, str]
    """Parameters of the authorization URL beside the usual ones."""
    access_token: str
    """A token that there is already."""
    refresh_token: str
    """A refresh token that there is already. Without an access token and its expires_at it is used at once."""
    expires_at: int
    """When the access token that is given ends. Unix time in seconds."""


class AppAccountsCreateBodyOauth(_AppAccountsCreateBodyOauthOptional):
    """The account is over OAuth 2: the server renews its token, which the code gets as $auth.oauth_access_token."""

    client_id: str


class AppAccountsCreateResponse(TypedDict):
    data: AppAccount


class AppAccountsGetResponse(TypedDict):
    data: AppAccount


class AppAccountsUpdateBody(TypedDict, total=False):
    name: str
    """A name for the account."""
    credentials: dict[str, Any]
    """Replaces all earlier credentials, for example with a renewed token. Encrypted at rest and never shown."""
    oauth: AppAccountsUpdateBodyOauth
    """Changes the client of an account over OAuth 2, or gives it a token. Null has the provider's again."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class AppAccountsUpdateBodyOauth(TypedDict, total=False):
    """Changes the client of an account over OAuth 2, or gives it a token. Null has the provider's again."""

    client_id: str
    provider: OAuthProvider | None
    client_secret: str
    """Encrypted at rest and never shown."""
    scopes: list[str]
    """What the user is asked for. Default: none."""
    authorization_url: str | None
    token_url: str | None
    device_url: str | None
    client_authentication: Literal["basic", "post", "none"] | None
    parameters: dict[str, str]
    """Parameters of the authorization URL beside the usual ones."""
    access_token: str
    """A token that there is already."""
    refresh_token: str
    """A refresh token that there is already. Without an access token and its expires_at it is used at once."""
    expires_at: int
    """When the access token that is given ends. Unix time in seconds."""


class AppAccountsUpdateResponse(TypedDict):
    data: AppAccount


class AppAccountsConnectBody(TypedDict, total=False):
    device: bool
    """The user enters a code on a page of the provider's. Default: the provider sends the user back."""
    return_to: str
    """Where the user's browser goes in the end, with the confirmation in the query: console, or a URL on 127.0.0.1.
    Default: a page that shows it.
    """
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class AppAccountsConnectResponse(TypedDict):
    data: AccountConnection


class _AppAccountsCompleteConnectionBodyOptional(TypedDict, total=False):
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class AppAccountsCompleteConnectionBody(_AppAccountsCompleteConnectionBodyOptional):
    confirmation: str
    """What the user's browser got in the end, or the answer for a device."""


class AppAccountsCompleteConnectionResponse(TypedDict):
    data: AppAccount


class EnvironmentListResponse(TypedDict):
    data: list[EnvironmentVariable]


class EnvironmentGetResponse(TypedDict):
    data: EnvironmentVariable


class _EnvironmentSetBodyOptional(TypedDict, total=False):
    secret: bool
    """Whether its value is never shown again. Default: as it was, false for a new one."""
    program_id: str
    """Id or slug of the source or workflow that it is for. Default: all of the account."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class EnvironmentSetBody(_EnvironmentSetBodyOptional):
    value: str
    """Text of at most 64 KiB."""


class EnvironmentSetResponse(TypedDict):
    data: EnvironmentVariable


class DataStoresListResponse(TypedDict):
    page_info: PageInfo
    data: list[DataStore]


class _DataStoresCreateBodyOptional(TypedDict, total=False):
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class DataStoresCreateBody(_DataStoresCreateBodyOptional):
    name: str
    """Its name, unique in the account, of 1 to 255 characters."""


class DataStoresCreateResponse(TypedDict):
    data: DataStore


class DataStoresGetResponse(TypedDict):
    data: DataStoreWithSize


class _DataStoresUpdateBodyOptional(TypedDict, total=False):
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class DataStoresUpdateBody(_DataStoresUpdateBodyOptional):
    name: str
    """Its name, unique in the account, of 1 to 255 characters."""


class DataStoresUpdateResponse(TypedDict):
    data: DataStore


class DataStoresEntriesResponse(TypedDict):
    page_info: OpenPageInfo
    data: list[DataStoreEntry]


class _DataStoresSetEntriesBodyOptional(TypedDict, total=False):
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class DataStoresSetEntriesBody(_DataStoresSetEntriesBodyOptional):
    entries: list[DataStoresSetEntriesBodyEntriesItem]
    """At most 1000 entries. The last of those with one key counts."""


class _DataStoresSetEntriesBodyEntriesItemOptional(TypedDict, total=False):
    ttl: int | None
    """Seconds after which it is removed. Default: null, it stays."""


class DataStoresSetEntriesBodyEntriesItem(_DataStoresSetEntriesBodyEntriesItemOptional):
    key: str
    """The key."""
    value: Any
    """The value: any JSON."""


class DataStoresSetEntriesResponse(TypedDict):
    data: DataStoreEntriesSet


class DataStoresEntryResponse(TypedDict):
    data: DataStoreEntry


class _DataStoresSetEntryBodyOptional(TypedDict, total=False):
    ttl: int | None
    """Seconds after which it is removed. Default: null, it stays."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class DataStoresSetEntryBody(_DataStoresSetEntryBodyOptional):
    key: str
    """The key."""
    value: Any
    """The value: any JSON."""


class DataStoresSetEntryResponse(TypedDict):
    data: DataStoreEntry


class WorkflowsListResponse(TypedDict):
    page_info: PageInfo
    data: list[Workflow]


class WorkflowsCreateBody(TypedDict, total=False):
    workflow_code: str
    """An ES module whose default export has a function run({ steps, $ }), or an object of named steps."""
    workflow_url: str
    """An http or https URL of the code, or npm:<package>[@version]/<path>. Given together with workflow_code, it is
    only metadata.
    """
    name: str
    """Default: the name in the code, else workflow."""
    configured_props: dict[str, Any]
    """Values by the name of the prop, those of a step as <step>.<prop>."""
    active: bool
    """Default: true. A paused workflow starts no runs and keeps its place in the logs that it listens to."""
    concurrency: int
    """How many runs may be under way together, not counting waiting runs. With 1, events run in order."""
    rate_limit: WorkflowRateLimit | None
    retry_delays: list[int]
    """Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries."""
    errors: Literal["each", "last"]
    """Which failures of a step go to $errors: each one, or only the last, after which there is no retry."""
    suspension_timeout: Literal["cancel", "resume"]
    """What becomes of a suspended run that nobody resumes in time."""
    timeout_seconds: int | None
    """The longest that a step may take, at most what the server allows. null: what the server allows."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WorkflowsCreateResponse(TypedDict):
    data: Workflow


class WorkflowsGetResponse(TypedDict):
    data: Workflow


class WorkflowsUpdateBody(TypedDict, total=False):
    workflow_code: str
    """An ES module whose default export has a function run({ steps, $ }), or an object of named steps."""
    workflow_url: str
    """An http or https URL of the code, or npm:<package>[@version]/<path>. Given together with workflow_code, it is
    only metadata.
    """
    name: str
    """Default: the name in the code, else workflow."""
    configured_props: dict[str, Any]
    """Values by the name of the prop, those of a step as <step>.<prop>."""
    active: bool
    """Default: true. A paused workflow starts no runs and keeps its place in the logs that it listens to."""
    concurrency: int
    """How many runs may be under way together, not counting waiting runs. With 1, events run in order."""
    rate_limit: WorkflowRateLimit | None
    retry_delays: list[int]
    """Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries."""
    errors: Literal["each", "last"]
    """Which failures of a step go to $errors: each one, or only the last, after which there is no retry."""
    suspension_timeout: Literal["cancel", "resume"]
    """What becomes of a suspended run that nobody resumes in time."""
    timeout_seconds: int | None
    """The longest that a step may take, at most what the server allows. null: what the server allows."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WorkflowsUpdateResponse(TypedDict):
    data: Workflow


class WorkflowsGetSecretResponse(TypedDict):
    data: WebhookSecret


class WorkflowsInvokeBody(TypedDict, total=False):
    event: Any
    """What the run gets as steps.trigger.event: any JSON value. Default: null."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WorkflowsInvokeResponse(TypedDict):
    data: RunStarted


class WorkflowRunsListResponse(TypedDict):
    page_info: PageInfo
    data: list[WorkflowRun]


class WorkflowRunsGetResponse(TypedDict):
    data: WorkflowRunDetails


class WorkflowRunsRerunBody(TypedDict, total=False):
    from_step: str
    """The first step to run. Earlier steps keep their results from the given run. Default: the workflow's first step.
    """
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WorkflowRunsRerunResponse(TypedDict):
    data: RunStarted


class WorkflowRunsResumeBody(TypedDict, total=False):
    body: Any
    """The body of the request that the steps see as $resume_data: any JSON value. Default: there is no body."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class WorkflowRunsResumeResponse(TypedDict):
    data: WorkflowRun


class WorkflowRunsCancelResponse(TypedDict):
    data: WorkflowRun


class CodeSourceCodeResponse(TypedDict):
    data: DeployedCode


class CodeWorkflowCodeResponse(TypedDict):
    data: DeployedCode


class CodeCheckBody(TypedDict, total=False):
    component_code: str
    """Code of a source."""
    component_url: str
    """Its URL, as in POST /components."""
    workflow_code: str
    """Code of a workflow."""
    workflow_url: str
    """Its URL, as in POST /workflows."""
    configured_props: dict[str, Any]
    """Values for which the code is asked which props it adds. It gets no credentials of app accounts."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class CodeCheckResponse(TypedDict):
    data: CheckedCode


class CodeTryCodeBody(TypedDict, total=False):
    component_code: str
    """Code of a source."""
    component_url: str
    """Its URL, as in POST /components."""
    workflow_code: str
    """Code of a workflow."""
    workflow_url: str
    """Its URL, as in POST /workflows."""
    component_id: str
    """A saved component by its id or key, or one of the registry."""
    source_id: str
    """The source (by id or name slug) in whose place the code is run: with its props, a copy of its store, and what it
    has emitted. Without any code, its own is run.
    """
    workflow_id: str
    """The workflow in whose place the code is run."""
    configured_props: dict[str, Any]
    """Values of props, in place of those of source_id or workflow_id."""
    trigger: Literal["http", "timer", "event", "deploy", "activate", "deactivate"]
    """What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an
    apphook, timer if it has a timer, or event.
    """
    event: Any
    """What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in;
    a value with none of these is the body. With timer, the default is a tick.
    """
    emitter_id: str
    """The emitter (by id or name slug) whose event is taken in place of a sample."""
    event_id: str
    """The event's id in the log of emitter_id."""
    at_ms: int
    """When the event came about, or the tick fell due. Default: now."""
    requests: Literal["send", "refuse"]
    """refuse: the code can open no connection. Default: send, and its requests are made."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class CodeTryCodeResponse(TypedDict):
    data: Trial


class CodeRunActionBody(TypedDict, total=False):
    component_code: str
    """The action's code."""
    component_url: str
    """Its URL, as in POST /components."""
    component_id: str
    """A saved component by its id or key, or one of the registry."""
    configured_props: dict[str, Any]
    """Values of its props. Text is taken for other types where it reads as one."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class CodeRunActionResponse(TypedDict):
    data: ActionRun


class CodeTrySourceBody(TypedDict, total=False):
    trigger: Literal["http", "timer", "event", "deploy", "activate", "deactivate"]
    """What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an
    apphook, timer if it has a timer, or event.
    """
    event: Any
    """What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in;
    a value with none of these is the body. With timer, the default is a tick.
    """
    emitter_id: str
    """The emitter (by id or name slug) whose event is taken in place of a sample."""
    event_id: str
    """The event's id in the log of emitter_id."""
    at_ms: int
    """When the event came about, or the tick fell due. Default: now."""
    requests: Literal["send", "refuse"]
    """refuse: the code can open no connection. Default: send, and its requests are made."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class CodeTrySourceResponse(TypedDict):
    data: Trial


class CodeTryWorkflowBody(TypedDict, total=False):
    trigger: Literal["http", "timer", "event", "deploy", "activate", "deactivate"]
    """What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an
    apphook, timer if it has a timer, or event.
    """
    event: Any
    """What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in;
    a value with none of these is the body. With timer, the default is a tick.
    """
    emitter_id: str
    """The emitter (by id or name slug) whose event is taken in place of a sample."""
    event_id: str
    """The event's id in the log of emitter_id."""
    at_ms: int
    """When the event came about, or the tick fell due. Default: now."""
    requests: Literal["send", "refuse"]
    """refuse: the code can open no connection. Default: send, and its requests are made."""
    include: str
    """Comma-separated list of response fields to include; dotted paths reach into objects. Default: all."""
    exclude: str
    """Comma-separated list of response fields to leave out; overrides include. Default: none."""


class CodeTryWorkflowResponse(TypedDict):
    data: Trial
