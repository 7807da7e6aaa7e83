// Generated from the OpenAPI document by packages/client/build/generate.ts. Do not edit.

export type ClientOptions = {
    baseUrl: 'http://127.0.0.1:8787' | (string & {});
};

export type Webhooks = EventWebhookFailingWebhookRequest | EventWebhookDisabledWebhookRequest | EventWebhookRecoveredWebhookRequest | EventDeliveryExhaustedWebhookRequest | EventCircuitOpenedWebhookRequest | EventCircuitClosedWebhookRequest | EventAccountFailingWebhookRequest | EventAccountRecoveredWebhookRequest | EventClockReadyWebhookRequest;

export type InvalidResponseProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'invalid_response';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:invalid_response';
    status: 502;
    title: 'Invalid response';
};

export type LoopDetectedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'loop_detected';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:loop_detected';
    status: 508;
    title: 'Loop detected';
};

export type MethodNotAllowedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'method_not_allowed';
    details: {
        allow: Array<string>;
    };
    type: 'urn:headwater:problem:method_not_allowed';
    status: 405;
    title: 'Method not allowed';
};

export type NoResponseProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'no_response';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:no_response';
    status: 400;
    title: 'No response';
};

export type ResponseTimeoutProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'response_timeout';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:response_timeout';
    status: 504;
    title: 'Response timeout';
};

/**
 * A webhook fails
 *
 * Every attempt has failed for a while. Told with the first failure behind 50, 70 and 90 % of 5 days.
 */
export type WebhookFailingEvent = {
    type: 'webhook.failing';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
    /**
     * How much of the time is over after which the webhook becomes inactive.
     */
    percent: 50 | 70 | 90;
    /**
     * Since when every attempt failed. Unix time in milliseconds.
     */
    failing_since_ms: number;
    /**
     * From when on another failure makes the webhook inactive. Unix time in milliseconds.
     */
    disabled_at_ms: number;
};

/**
 * A webhook became inactive
 *
 * The server sends nothing to it any more, until somebody makes it active again.
 */
export type WebhookDisabledEvent = {
    type: 'webhook.disabled';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
    /**
     * gone: the endpoint answered 410. failing: it failed for 5 days.
     */
    reason: 'gone' | 'failing';
};

/**
 * A webhook works again
 *
 * The first delivery after webhook.failing or webhook.disabled was told.
 */
export type WebhookRecoveredEvent = {
    type: 'webhook.recovered';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
};

/**
 * A delivery was given up
 *
 * Its last attempt failed. Told of the first one; of others only once something has arrived again.
 */
export type DeliveryExhaustedEvent = {
    type: 'delivery.exhausted';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
    /**
     * The delivery's id.
     */
    delivery_id: string;
    /**
     * The id of what emitted the event.
     */
    emitter_id: string;
    /**
     * The event stream; empty for the default one.
     */
    event_name: string;
    /**
     * The event's id in its emitter's log.
     */
    event_id: string;
    /**
     * How often the server tried.
     */
    attempt_count: number;
    /**
     * The last answer's HTTP status; null if there was none.
     */
    status: number | null;
    /**
     * How the last attempt failed.
     */
    error_class: string | null;
};

/**
 * A webhook's circuit opened
 *
 * The server sends nothing to it for a while. Told once, however often the probe fails.
 */
export type CircuitOpenedEvent = {
    type: 'circuit.opened';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
    /**
     * How many attempts in a row failed.
     */
    failures: number;
    /**
     * When the first probe is sent. Unix time in milliseconds.
     */
    until_ms: number;
};

/**
 * A webhook's circuit closed
 *
 * The probe was delivered, and all goes on.
 */
export type CircuitClosedEvent = {
    type: 'circuit.closed';
    /**
     * The webhook's id.
     */
    webhook_id: string;
    /**
     * Its URL, with *** for a password.
     */
    url: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
};

/**
 * The token of an account can't be renewed
 *
 * The provider refused to renew it, or the token has ended and the provider can't be reached. Told once, until it works again.
 */
export type AccountFailingEvent = {
    type: 'account.failing';
    /**
     * The id of the account with an app.
     */
    account_id: string;
    /**
     * The app's name in component code.
     */
    app: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
    /**
     * What the provider said, or why it could not be asked.
     */
    error: string;
};

/**
 * An account works again
 *
 * It has a new token after account.failing was told.
 */
export type AccountRecoveredEvent = {
    type: 'account.recovered';
    /**
     * The id of the account with an app.
     */
    account_id: string;
    /**
     * The app's name in component code.
     */
    app: string;
    /**
     * When it happened. Unix time in milliseconds.
     */
    ts: number;
};

/**
 * The clock was moved
 *
 * All that fell due on the way is done, and time stands still. Told to the account that asked for it.
 */
export type ClockReadyEvent = {
    type: 'clock.ready';
    /**
     * The advance that ended.
     */
    operation_id: string;
    /**
     * Where the clock was. Unix time in milliseconds.
     */
    from: number;
    /**
     * Where it is. Unix time in milliseconds.
     */
    now: number;
    /**
     * How much of each kind of work fell due on the way.
     */
    fired: {
        /**
         * Ticks of timers.
         */
        timer: number;
        /**
         * Delayed events.
         */
        emit: number;
        /**
         * Deliveries that were due for another attempt.
         */
        retry: number;
        /**
         * Runs of workflows that had waited for their time.
         */
        resume: number;
        /**
         * Waits of rates, throttles, circuits, quotas and batches that were over.
         */
        wake: number;
        /**
         * Deletions that were left to do.
         */
        delete: number;
        /**
         * Bulk actions that looked again whether they may go on.
         */
        bulk: number;
    };
    /**
     * target: it came to its time. max_fired: so much has fired. nothing_due: there was nothing to go to. stopped: it was told to stop. busy: the engine did not come to rest within 10 minutes of real time.
     */
    stopped_by: 'target' | 'max_fired' | 'nothing_due' | 'stopped' | 'busy';
    /**
     * When that was, by the clock. Unix time in milliseconds.
     */
    ts: number;
};

export type InsufficientScopeProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'insufficient_scope';
    details: {
        /**
         * The scope of the key.
         */
        scope: 'read' | 'run' | 'write';
        /**
         * The scope that the operation needs.
         */
        needed_scope: 'read' | 'run' | 'write';
    };
    type: 'urn:headwater:problem:insufficient_scope';
    status: 403;
    title: 'Insufficient scope';
};

export type CrossSiteRequestProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'cross_site_request';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:cross_site_request';
    status: 403;
    title: 'Cross-site request';
};

export type AccountSuspendedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'account_suspended';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:account_suspended';
    status: 403;
    title: 'Account suspended';
};

export type UnauthorizedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'unauthorized';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:unauthorized';
    status: 401;
    title: 'Unauthorized';
};

export type UnsupportedMediaTypeProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'unsupported_media_type';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:unsupported_media_type';
    status: 415;
    title: 'Unsupported media type';
};

export type PayloadTooLargeProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'payload_too_large';
    details: {
        limit_bytes: number;
    };
    type: 'urn:headwater:problem:payload_too_large';
    status: 413;
    title: 'Payload too large';
};

export type InternalErrorProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'internal_error';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:internal_error';
    status: 500;
    title: 'Internal error';
};

export type UnavailableProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'unavailable';
    details: {
        retry_after_seconds: number;
    };
    type: 'urn:headwater:problem:unavailable';
    status: 503;
    title: 'Unavailable';
};

export type InvalidRequestProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'invalid_request';
    /**
     * Each field at fault.
     */
    details: Array<{
        path: string;
        message: string;
    }>;
    type: 'urn:headwater:problem:invalid_request';
    status: 400;
    title: 'Invalid request';
};

export type IdempotencyConflictProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'idempotency_conflict';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:idempotency_conflict';
    status: 409;
    title: 'Idempotency conflict';
};

export type RateLimitedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'rate_limited';
    details: {
        retry_after_seconds: number;
    };
    type: 'urn:headwater:problem:rate_limited';
    status: 429;
    title: 'Too many requests';
};

export type QuotaExceededProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'quota_exceeded';
    details: {
        retry_after_seconds: number;
    };
    type: 'urn:headwater:problem:quota_exceeded';
    status: 429;
    title: 'Quota exceeded';
};

export type NotFoundProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'not_found';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:not_found';
    status: 404;
    title: 'Not found';
};

export type Trial = {
    /**
     * limit: it exceeded one of the limits of a run.
     */
    outcome: 'success' | 'error' | 'limit';
    /**
     * What ended it early; its place is in the code.
     */
    error: {
        name: string;
        message: string;
        stack: string;
        /**
         * The step of a workflow; null for a source.
         */
        step: string | null;
        /**
         * component.mjs for the code itself.
         */
        file?: string;
        line?: number;
        column?: number;
    } | null;
    trigger: 'http' | 'timer' | 'event' | 'deploy' | 'activate' | 'deactivate';
    /**
     * The event as the code was given it.
     */
    event: unknown;
    /**
     * The events that it would have emitted, in the order of the log.
     */
    emits: Array<{
        /**
         * The step of a workflow; null for a source.
         */
        step: string | null;
        /**
         * The stream; empty for the default one.
         */
        event_name: string;
        /**
         * The payload.
         */
        event: unknown;
        id?: string | number;
        summary?: string;
        ts?: string | number;
        /**
         * When a delayed event would have been emitted.
         */
        due_at_ms: number | null;
    }>;
    /**
     * How many emits the dedupe strategy would have left out.
     */
    duplicates: number;
    /**
     * The requests of $.send.http, which were not sent.
     */
    sends: Array<{
        method: string;
        url: string;
        headers: {
            [key: string]: string;
        };
        body?: string;
    }>;
    /**
     * What would have changed in $.service.db.
     */
    db: Array<{
        key: string;
        /**
         * Missing if the key was not there.
         */
        before?: unknown;
        /**
         * Missing if the key would have been removed.
         */
        after?: unknown;
    }>;
    logs: Array<{
        /**
         * The step of a workflow; null for a source.
         */
        step: string | null;
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        level: 'debug' | 'info' | 'warn' | 'error';
        message: string;
    }>;
    /**
     * What would have gone to $errors.
     */
    errors: Array<{
        name: string;
        message: string;
        stack?: string;
    }>;
    /**
     * What the code has responded; null if it has not.
     */
    response: {
        status: number;
        /**
         * By name in lower case; a list for a header that is sent several times.
         */
        headers: {
            [key: string]: string | Array<string>;
        };
        body: string;
        /**
         * Whether body is base64, since it is not UTF-8.
         */
        base64: boolean;
    } | null;
    /**
     * Requests over HTTP/1.1, as the run's process tells of them.
     */
    requests: Array<{
        method: string;
        url: string;
        status?: number;
        error?: string;
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        wall_ms: number;
    }>;
    /**
     * All connections that it asked for. One with an error was not opened.
     */
    connections: Array<{
        host: string;
        port: number;
        error?: string;
    }>;
    /**
     * Of a workflow. A step that asked to be run again appears several times.
     */
    steps: Array<{
        name: string;
        outcome: 'success' | 'error' | 'limit';
        wall_ms: number;
        cpu_ms: number;
        /**
         * What the steps after it see.
         */
        exports?: unknown;
        /**
         * How long the run would have waited after it.
         */
        wait_ms: number | null;
        /**
         * Whether it asked to be run again.
         */
        is_rerun: boolean;
    }>;
    /**
     * The reason given to $.flow.exit.
     */
    exit_reason: string | null;
    /**
     * When its timers would be due next, if it were activated now. Unix milliseconds.
     */
    timers: Array<{
        prop: string;
        due_at_ms: Array<number>;
    }>;
    wall_ms: number;
    cpu_ms: number;
    /**
     * How many of all these are left out, since an answer shows about 1 MiB of them.
     */
    omitted: number;
};

export type HookFailedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'hook_failed';
    details: {
        message: string;
        file?: string;
        line?: number;
        column?: number;
        hook: string;
    };
    type: 'urn:headwater:problem:hook_failed';
    status: 422;
    title: 'Hook failed';
};

export type ComponentInvalidProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'component_invalid';
    details: {
        message: string;
        file?: string;
        line?: number;
        column?: number;
    };
    type: 'urn:headwater:problem:component_invalid';
    status: 422;
    title: 'Component invalid';
};

export type ActionRun = {
    /**
     * limit: it exceeded one of the limits of a run.
     */
    outcome: 'success' | 'error' | 'limit';
    /**
     * What ended it early; its place is in the code.
     */
    error: {
        name: string;
        message: string;
        stack: string;
        /**
         * The step of a workflow; null for a source.
         */
        step: string | null;
        /**
         * component.mjs for the code itself.
         */
        file?: string;
        line?: number;
        column?: number;
    } | null;
    /**
     * What run returned; null if it returned nothing.
     */
    return_value: unknown;
    /**
     * What it gave to $.export, by name. $summary says what was done.
     */
    exports: {
        [key: string]: unknown;
    };
    logs: Array<{
        /**
         * The step of a workflow; null for a source.
         */
        step: string | null;
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        level: 'debug' | 'info' | 'warn' | 'error';
        message: string;
    }>;
    /**
     * The requests of $.send.http, which were not sent.
     */
    sends: Array<{
        method: string;
        url: string;
        headers: {
            [key: string]: string;
        };
        body?: string;
    }>;
    /**
     * Requests over HTTP/1.1, as the run's process tells of them.
     */
    requests: Array<{
        method: string;
        url: string;
        status?: number;
        error?: string;
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        wall_ms: number;
    }>;
    wall_ms: number;
    cpu_ms: number;
    /**
     * How many of all these are left out, since an answer shows about 1 MiB of them.
     */
    omitted: number;
};

export type CheckedCode = {
    /**
     * Whether a source or workflow can be made of it.
     */
    valid: boolean;
    kind: 'source' | 'workflow';
    key: string | null;
    name: string | null;
    version: string | null;
    type: string | null;
    description: string | null;
    dedupe: string | null;
    /**
     * remoteOptions: true marks a prop whose options the code computes. Of a step: <step>.<prop>.
     */
    configurable_props: Array<{
        name: string;
        type: string;
        label?: string;
        description?: string;
        /**
         * A value of the prop's type.
         */
        default?: unknown;
        [key: string]: unknown;
    }>;
    /**
     * Whether the code adds props depending on the values of others. With configured_props, those are included.
     */
    has_additional_props: boolean;
    hooks: Array<string>;
    methods: Array<string>;
    /**
     * Of a workflow, in order.
     */
    steps: Array<string>;
    /**
     * Empty if the code is valid.
     */
    errors: Array<CodeError>;
};

export type CodeError = {
    message: string;
    /**
     * component.mjs for the code itself.
     */
    file: string;
    /**
     * From 1.
     */
    line: number;
    /**
     * From 1.
     */
    column: number;
    /**
     * What to do about it.
     */
    advice: string;
};

export type DeployedCode = {
    /**
     * The full code.
     */
    code: string;
    /**
     * SHA-256 of the code, hexadecimal.
     */
    code_hash: string;
    /**
     * The key in the code; null if it has none.
     */
    key: string | null;
    name: string;
    version: string;
    /**
     * Where the code came from, if that was given.
     */
    url: string | null;
    /**
     * In the order of the code, those that it adds for the values of today included. Of a step: <step>.<prop>.
     */
    configurable_props: Array<{
        name: string;
        type: string;
        label?: string;
        description?: string;
        /**
         * A value of the prop's type.
         */
        default?: unknown;
        [key: string]: unknown;
    }>;
};

export type RunNotWaitingProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'run_not_waiting';
    details: {
        status: string;
    };
    type: 'urn:headwater:problem:run_not_waiting';
    status: 409;
    title: 'Run not waiting';
};

export type WorkflowRun = {
    /**
     * Begins with run_.
     */
    id: string;
    /**
     * Begins with p_.
     */
    workflow_id: string;
    /**
     * Begins with d_.
     */
    deployment_id: string;
    /**
     * waiting: until somebody resumes it, or a delay, a rerun or a retry is due.
     */
    status: 'running' | 'waiting' | 'success' | 'error' | 'cancelled';
    trigger: {
        /**
         * The id of the event, the request or the tick.
         */
        id: string;
        source_type: 'HTTP' | 'EMAIL' | 'TIMER' | 'EVENT' | 'INVOCATION';
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        emitter_id: string;
        /**
         * The stream of an event; empty for the default one.
         */
        event_name: string;
        hops: number;
        /**
         * The run that this one repeats.
         */
        rerun_of: string | null;
    };
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    ended_at_ms: number | null;
    /**
     * When a waiting run continues. A suspended one ends then, unless the workflow resumes it.
     */
    due_at_ms: number | null;
    /**
     * The reason for which a waiting run waits; null if it waits for nothing but its turn.
     */
    waits_for: 'suspend' | 'delay' | 'rerun' | 'retry' | null;
    error: RunFault | null;
    /**
     * The reason that a step gave to $.flow.exit, at most 1,000 characters; empty if it gave none, null if no step ended the run this way.
     */
    exit_reason: string | null;
};

export type RunFault = {
    name: string;
    message: string;
    stack?: string;
};

export type BacklogFullProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'backlog_full';
    details: {
        retry_after_seconds: number;
    };
    type: 'urn:headwater:problem:backlog_full';
    status: 429;
    title: 'Too many requests';
};

export type WorkflowPausedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'workflow_paused';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:workflow_paused';
    status: 409;
    title: 'Workflow paused';
};

export type RunStarted = {
    /**
     * Begins with run_.
     */
    id: string;
};

export type WorkflowRunDetails = {
    /**
     * Begins with run_.
     */
    id: string;
    /**
     * Begins with p_.
     */
    workflow_id: string;
    /**
     * Begins with d_.
     */
    deployment_id: string;
    /**
     * waiting: until somebody resumes it, or a delay, a rerun or a retry is due.
     */
    status: 'running' | 'waiting' | 'success' | 'error' | 'cancelled';
    trigger: {
        /**
         * The id of the event, the request or the tick.
         */
        id: string;
        source_type: 'HTTP' | 'EMAIL' | 'TIMER' | 'EVENT' | 'INVOCATION';
        /**
         * Unix time in milliseconds.
         */
        ts_ms: number;
        emitter_id: string;
        /**
         * The stream of an event; empty for the default one.
         */
        event_name: string;
        hops: number;
        /**
         * The run that this one repeats.
         */
        rerun_of: string | null;
    };
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    ended_at_ms: number | null;
    /**
     * When a waiting run continues. A suspended one ends then, unless the workflow resumes it.
     */
    due_at_ms: number | null;
    /**
     * The reason for which a waiting run waits; null if it waits for nothing but its turn.
     */
    waits_for: 'suspend' | 'delay' | 'rerun' | 'retry' | null;
    error: RunFault | null;
    /**
     * The reason that a step gave to $.flow.exit, at most 1,000 characters; empty if it gave none, null if no step ended the run this way.
     */
    exit_reason: string | null;
    /**
     * The event that started the run.
     */
    event: unknown;
    steps: Array<WorkflowStep>;
};

export type WorkflowStep = {
    /**
     * Counts from 1. A step that ran several times appears several times.
     */
    n: number;
    name: string;
    status: 'success' | 'error';
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    wall_ms: number;
    cpu_ms: number;
    result: unknown | null;
    error: RunFault | null;
    logs: Array<unknown>;
    /**
     * The events that it added to the workflow's log.
     */
    events: Array<{
        id: string;
        event_name: string;
    }>;
};

export type WebhookSecret = {
    /**
     * whsec_ and base64 of 32 bytes: the signing secret of the Standard Webhooks specification.
     */
    secret: string;
};

export type Workflow = {
    /**
     * Begins with p_.
     */
    id: string;
    name: string;
    /**
     * Works wherever the workflow's id does.
     */
    name_slug: string;
    /**
     * SHA-256 of the code, hexadecimal.
     */
    code_hash: string;
    /**
     * New with each change of the code or the props.
     */
    deployment_id: string;
    /**
     * In order. A step keeps its id as long as the code has a step of its name.
     */
    steps: Array<{
        /**
         * Begins with c_.
         */
        id: string;
        name: string;
        /**
         * The language that it is written in, if that is not JavaScript.
         */
        lang?: 'python';
    }>;
    /**
     * Values by prop, those of a step as <step>.<prop>.
     */
    configured_props: {
        [key: string]: unknown;
    };
    /**
     * Props that need a value and have none, if there are any. It can't become active before they have one.
     */
    missing_props?: Array<string>;
    active: boolean;
    /**
     * How many runs may be under way together, not counting waiting runs. With 1, events run in order.
     */
    concurrency: number;
    rate_limit: WorkflowRateLimit | null;
    /**
     * Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries.
     */
    retry_delays: Array<number>;
    /**
     * Which failures of a step go to $errors: each one, or only the last, after which there is no retry.
     */
    errors: 'each' | 'last';
    /**
     * What becomes of a suspended run that nobody resumes in time.
     */
    suspension_timeout: 'cancel' | 'resume';
    /**
     * The longest that a step may take, at most what the server allows. null: what the server allows.
     */
    timeout_seconds: number | null;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
};

/**
 * At most this many runs begin within this many seconds. Further inputs wait in order.
 */
export type WorkflowRateLimit = {
    limit: number;
    interval_seconds: number;
};

export type DataStoreEntry = {
    key: string;
    /**
     * The value: any JSON.
     */
    value: unknown;
    /**
     * When it is removed, in Unix milliseconds; null if it stays.
     */
    expires_at_ms: number | null;
};

export type DataStoreEntriesSet = {
    /**
     * The number of keys that were set.
     */
    count: number;
};

export type NameTakenProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'name_taken';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:name_taken';
    status: 409;
    title: 'Name taken';
};

export type DataStore = {
    /**
     * Begins with ds_.
     */
    id: string;
    name: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
};

export type DataStoreWithSize = {
    /**
     * Begins with ds_.
     */
    id: string;
    name: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * The number of its entries.
     */
    size: number;
};

export type EnvironmentVariable = {
    name: string;
    /**
     * Null for a secret.
     */
    value: string | null;
    /**
     * Its value is never shown.
     */
    secret: boolean;
    /**
     * The source or workflow that it is for; null if it is for all of the account.
     */
    program_id: string | null;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
};

export type ConnectionRefusedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'connection_refused';
    details: {
        provider_error: string;
    };
    type: 'urn:headwater:problem:connection_refused';
    status: 409;
    title: 'Connection refused';
};

export type ConnectionPendingProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'connection_pending';
    details: {
        retry_after_seconds: number;
    };
    type: 'urn:headwater:problem:connection_pending';
    status: 409;
    title: 'Connection pending';
};

export type AppAccount = {
    /**
     * Begins with apn_.
     */
    id: string;
    /**
     * The app's name in component code.
     */
    app: string;
    /**
     * Empty if none was given.
     */
    name: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Null if it is not over OAuth 2.
     */
    oauth: OAuthAccount | null;
};

export type OAuthAccount = {
    /**
     * Null if the account is told by its URLs alone.
     */
    provider: string | null;
    client_id: string;
    scopes: Array<string>;
    /**
     * Null for the provider's.
     */
    authorization_url: string | null;
    /**
     * Null for the provider's.
     */
    token_url: string | null;
    /**
     * Null for the provider's.
     */
    device_url: string | null;
    /**
     * Null for the provider's.
     */
    client_authentication: 'basic' | 'post' | 'none' | null;
    parameters: {
        [key: string]: string;
    };
    /**
     * unconnected: there was no token yet. connected: there is one. failing: it can't be renewed, or has ended.
     */
    state: 'unconnected' | 'connected' | 'failing';
    /**
     * There is a refresh token.
     */
    renewable: boolean;
    /**
     * When the access token ends. Null if the provider does not tell. Unix time in seconds.
     */
    expires_at: number | null;
    /**
     * When the access token was got or given. Unix time in seconds.
     */
    renewed_at: number | null;
    /**
     * When it is renewed next. Null if that is not to come. Unix time in seconds.
     */
    renew_at: number | null;
    /**
     * Since when it is failing. Unix time in seconds.
     */
    failing_since: number | null;
    /**
     * Why the last renewal failed.
     */
    error: string | null;
};

export type AccountConnection = {
    /**
     * The page that the user is to open.
     */
    url: string;
    /**
     * Where the provider sends the user back: register it with your client. Null with device.
     */
    redirect_uri: string | null;
    /**
     * With device: the code that the user is to enter.
     */
    user_code: string | null;
    /**
     * With device: what completes the connection. Otherwise the user's browser gets it in the end.
     */
    confirmation: string | null;
    /**
     * With device: the least time between two questions.
     */
    interval_seconds: number | null;
    /**
     * Unix time in seconds.
     */
    expires_at: number;
};

/**
 * A provider whose endpoints the server knows. Anything else is told by its URLs.
 */
export type OAuthProvider = 'airtable' | 'amazon' | 'asana' | 'atlassian' | 'auth0' | 'aweber' | 'basecamp' | 'bitbucket' | 'bitly' | 'box' | 'calendly' | 'canva' | 'clickup' | 'constant_contact' | 'digitalocean' | 'discord' | 'docusign' | 'dropbox' | 'eventbrite' | 'facebook' | 'figma' | 'fitbit' | 'freshbooks' | 'front' | 'github' | 'gitlab' | 'google' | 'gumroad' | 'harvest' | 'help_scout' | 'heroku' | 'hubspot' | 'intercom' | 'keap' | 'linear' | 'linkedin' | 'mailchimp' | 'meetup' | 'microsoft' | 'miro' | 'monday' | 'netlify' | 'notion' | 'okta' | 'patreon' | 'pinterest' | 'pipedrive' | 'podio' | 'quickbooks' | 'reddit' | 'ringcentral' | 'salesforce' | 'shopify' | 'slack' | 'spotify' | 'square' | 'strava' | 'stripe' | 'surveymonkey' | 'tiktok' | 'todoist' | 'twitch' | 'typeform' | 'vimeo' | 'webflow' | 'withings' | 'wordpress' | 'wrike' | 'x' | 'xero' | 'yahoo' | 'zendesk' | 'zoho' | 'zoom';

export type AuditEntry = {
    /**
     * Begins with aud_.
     */
    id: string;
    /**
     * When the server answered. Unix time in seconds.
     */
    at: number;
    /**
     * The operation's id in this document.
     */
    operation: string;
    method: string;
    /**
     * Without the query, at most 1,000 characters.
     */
    path: string;
    /**
     * What it was about: the id that the answer shows, otherwise the last one in the path; null if there is none.
     */
    resource_id: string | null;
    /**
     * The HTTP status of the answer; 499 if the client did not wait for it.
     */
    status: number;
    /**
     * The key of the request, or the one that its session began with.
     */
    key: {
        /**
         * Begins with key_.
         */
        id: string;
        /**
         * Empty if none was given.
         */
        name: string;
    };
    /**
     * null for a request with a key.
     */
    session_id: string | null;
    /**
     * The address that sent the request.
     */
    client_ip: string;
};

export type Session = {
    /**
     * Begins with ses_.
     */
    id: string;
    account: {
        /**
         * Begins with u_.
         */
        id: string;
        username: string;
        email: string;
    };
    /**
     * The key that the session began with. The session may do what this key may do.
     */
    key: {
        /**
         * Begins with key_.
         */
        id: string;
        /**
         * Empty if none was given.
         */
        name: string;
        /**
         * read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write: everything.
         */
        scope: 'read' | 'run' | 'write';
    };
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * When the session ends at the latest. Unix time in seconds.
     */
    expires_at: number;
    /**
     * When the session ends if no further request comes. Unix time in seconds.
     */
    idle_expires_at: number;
};

export type NewKey = {
    /**
     * Begins with key_.
     */
    id: string;
    /**
     * Empty if none was given.
     */
    name: string;
    /**
     * read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write: everything.
     */
    scope: 'read' | 'run' | 'write';
    /**
     * The key itself: hw_ and 40 letters and digits. Shown here only.
     */
    key: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds at which the key expires; null if it does not expire.
     */
    expires_at: number | null;
};

export type Key = {
    /**
     * Begins with key_.
     */
    id: string;
    /**
     * Empty if none was given.
     */
    name: string;
    /**
     * read: what shows something, secrets excepted. run: also what runs, sends or steers what exists. write: everything.
     */
    scope: 'read' | 'run' | 'write';
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds at which the key expires; null if it does not expire.
     */
    expires_at: number | null;
};

export type PaidUser = {
    /**
     * Begins with u_.
     */
    id: string;
    username: string;
    email: string;
    /**
     * Unix time in seconds.
     */
    billing_period_start_ts: number;
    /**
     * Unix time in seconds.
     */
    billing_period_end_ts: number;
    /**
     * Runs of component code in the billing period.
     */
    billing_period_invocations: number;
};

export type FreeUser = {
    /**
     * Begins with u_.
     */
    id: string;
    username: string;
    email: string;
    /**
     * The key that this request carries; absent in a session.
     */
    api_key?: string;
    /**
     * Milliseconds of compute time, per UTC day. -1 if the operator set no limit.
     */
    daily_compute_time_quota: number;
    /**
     * Milliseconds of compute time, per UTC day.
     */
    daily_compute_time_used: number;
    /**
     * Runs of component code, per UTC day. -1 if the operator set no limit.
     */
    daily_invocations_quota: number;
    /**
     * Runs of component code, per UTC day.
     */
    daily_invocations_used: number;
};

export type BulkActionEndedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'bulk_action_ended';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:bulk_action_ended';
    status: 409;
    title: 'Bulk action ended';
};

export type BulkAction = {
    /**
     * Begins with ba_.
     */
    id: string;
    /**
     * retry: attempts deliveries once more; of all states but delivered, unless the filter names one. replay: sends events again, apart from the accounting of their subscriptions. skip: drops pending deliveries. cancel: gives pending deliveries up, so that they are exhausted.
     */
    action: 'retry' | 'replay' | 'skip' | 'cancel';
    /**
     * What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and until are times of events there.
     */
    filter: {
        /**
         * To this webhook.
         */
        webhook_id?: string;
        /**
         * Of this subscription, even if it is deleted.
         */
        subscription_id?: string;
        /**
         * Of events of this source, workflow (by id or name slug) or account.
         */
        emitter_id?: string;
        /**
         * Of events of this stream; empty or default for the default one.
         */
        event_name?: string;
        /**
         * Of the event with this id.
         */
        event_id?: string;
        /**
         * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
         */
        state?: 'pending' | 'delivered' | 'exhausted' | 'dropped';
        /**
         * Whose last attempt failed in this way.
         */
        error_class?: 'status' | 'throttled' | 'redirect' | 'gone' | 'refused' | 'dns' | 'connect' | 'tls' | 'certificate' | 'timeout' | 'reset' | 'protocol' | 'too_large';
        /**
         * Whose last attempt was answered with this status (503) or class of statuses (5xx).
         */
        status?: string;
        /**
         * Begun at this time or later. Unix time in milliseconds.
         */
        since?: number;
        /**
         * Begun before this time. Unix time in milliseconds.
         */
        until?: number;
        /**
         * Whose last attempt was made at this time or later. Unix time in milliseconds.
         */
        last_attempt_since?: number;
        /**
         * Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
         */
        text?: string;
        /**
         * From this event of emitter_id on, or the next one if it is gone.
         */
        from?: string;
        /**
         * Up to this event of emitter_id.
         */
        to?: string;
    };
    dry_run: boolean;
    /**
     * Attempts a second at each webhook, at most.
     */
    rate_limit: number;
    state: 'running' | 'paused' | 'cancelled' | 'done';
    /**
     * Found so far: done + failed + skipped + left.
     */
    matched: number;
    /**
     * Arrived; or dropped or given up, as it was asked for.
     */
    done: number;
    /**
     * Attempted, and did not arrive.
     */
    failed: number;
    /**
     * Nothing was to be done: the event or the subscription is gone, the filter of the subscription keeps the event out, or the delivery was no longer as it was found.
     */
    skipped: number;
    /**
     * Found, and not dealt with: by a dry run all of it.
     */
    left: number;
    /**
     * At how many webhooks it is carried out, and at how many it has ended.
     */
    webhooks: {
        total: number;
        ended: number;
    };
    /**
     * Deliveries that began, or events that were emitted, before this time are dealt with.
     */
    place_ms: number | null;
    /**
     * Unix time in milliseconds.
     */
    created_at_ms: number;
    ended_at_ms: number | null;
};

export type BulkActionsFullProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'bulk_actions_full';
    details: {
        limit: number;
    };
    type: 'urn:headwater:problem:bulk_actions_full';
    status: 409;
    title: 'Too many bulk actions';
};

export type DeliveryNotPendingProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'delivery_not_pending';
    details: {
        state: string;
    };
    type: 'urn:headwater:problem:delivery_not_pending';
    status: 409;
    title: 'Delivery not pending';
};

export type Delivery = {
    /**
     * Begins with dlv_.
     */
    id: string;
    /**
     * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
     */
    state: 'pending' | 'delivered' | 'exhausted' | 'dropped';
    /**
     * null for a request that a workflow sends by $.send.http.
     */
    webhook_id: string | null;
    subscription_id: string;
    /**
     * The id of what emitted the event.
     */
    emitter_id: string;
    /**
     * The event stream; empty for the default one.
     */
    event_name: string;
    /**
     * The event's id in its emitter's log; of a batch the first one's.
     */
    event_id: string;
    batch?: DeliveredBatch;
    /**
     * Attempts made so far.
     */
    attempt_count: number;
    /**
     * The HTTP status that answered the last attempt; null if there was no answer.
     */
    status: number | null;
    /**
     * The kind of failure of the last attempt; null if it did not fail.
     */
    error_class: string | null;
    /**
     * When the delivery began. Unix time in milliseconds.
     */
    started_at_ms: number;
    last_attempt_at_ms: number | null;
    next_attempt_at_ms: number | null;
};

/**
 * Extension: The batch that it went in: the first and the last event, and how many they are. Not there if the event went alone.
 */
export type DeliveredBatch = {
    first_event_id: string;
    last_event_id: string;
    event_count: number;
};

export type DeliveryNotRepeatableProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'delivery_not_repeatable';
    details: {
        reason: 'event_deleted' | 'subscription_deleted';
    };
    type: 'urn:headwater:problem:delivery_not_repeatable';
    status: 409;
    title: 'Delivery not repeatable';
};

export type DeliveryDetails = {
    /**
     * Begins with dlv_.
     */
    id: string;
    /**
     * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
     */
    state: 'pending' | 'delivered' | 'exhausted' | 'dropped';
    /**
     * null for a request that a workflow sends by $.send.http.
     */
    webhook_id: string | null;
    subscription_id: string;
    /**
     * The id of what emitted the event.
     */
    emitter_id: string;
    /**
     * The event stream; empty for the default one.
     */
    event_name: string;
    /**
     * The event's id in its emitter's log; of a batch the first one's.
     */
    event_id: string;
    batch?: DeliveredBatch;
    /**
     * Attempts made so far.
     */
    attempt_count: number;
    /**
     * The HTTP status that answered the last attempt; null if there was no answer.
     */
    status: number | null;
    /**
     * The kind of failure of the last attempt; null if it did not fail.
     */
    error_class: string | null;
    /**
     * When the delivery began. Unix time in milliseconds.
     */
    started_at_ms: number;
    last_attempt_at_ms: number | null;
    next_attempt_at_ms: number | null;
    event: {
        /**
         * The webhook-id of every attempt; null before the first one.
         */
        emit_id: string | null;
        /**
         * Where to GET the event, whose payload is the body of every attempt; null for events of the account itself. It is a 404 once the event is deleted.
         */
        path: string | null;
    };
    next_attempt: {
        /**
         * Unix time in milliseconds.
         */
        at_ms: number;
        /**
         * queued: the first attempt waits for a slot. schedule: the retry schedule. retry_after: the endpoint asked for this pause. throttled: another answer of the endpoint put off all sends. circuit: the webhook's circuit is open. rate: it waits for the webhook's rate. inactive: the webhook is not active. requested: somebody asked for it.
         */
        reason: 'queued' | 'schedule' | 'retry_after' | 'throttled' | 'circuit' | 'rate' | 'inactive' | 'requested';
    } | null;
    /**
     * Oldest first. Of very many or very large ones, the newest: 100 at most, and 1 MiB.
     */
    attempts: Array<DeliveryAttempt>;
};

export type DeliveryAttempt = {
    /**
     * From 1.
     */
    attempt: number;
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    outcome: 'delivered' | 'failed';
    /**
     * The address that the server connected to.
     */
    address: string | null;
    /**
     * Milliseconds; null for a phase that the attempt did not reach or did not need.
     */
    timings: {
        /**
         * Looking up the name.
         */
        dns_ms: number | null;
        /**
         * Connecting; null on a connection that was kept from an earlier request.
         */
        connect_ms: number | null;
        /**
         * The TLS handshake; null without one.
         */
        tls_ms: number | null;
        /**
         * From sending the request until the answer began.
         */
        first_byte_ms: number | null;
        /**
         * The whole attempt.
         */
        total_ms: number;
    };
    request: {
        /**
         * As they were sent, with *** for secrets; null for attempts of versions that did not record them. The body is the event's payload.
         */
        headers: {
            [key: string]: string;
        } | null;
    };
    /**
     * null if the endpoint did not answer.
     */
    response: {
        status: number;
        headers: {
            [key: string]: string;
        };
        /**
         * The first 1 KiB after a success, the first 16 KiB after a failure.
         */
        body: string;
        body_encoding: 'utf8' | 'base64';
    } | null;
    /**
     * What became of the first request, if the attempt took two. All else tells of the second one.
     */
    first_request: {
        address: string;
        timings: {
            /**
             * Looking up the name.
             */
            dns_ms: number | null;
            /**
             * Connecting.
             */
            connect_ms: number | null;
            /**
             * The TLS handshake.
             */
            tls_ms: number | null;
            /**
             * From the beginning of the attempt until the second request.
             */
            total_ms: number;
        };
        error_class: string;
        error_message: string;
    } | null;
    error_class: string | null;
    /**
     * The failure, in words.
     */
    error_message: string | null;
    /**
     * When the next attempt was due after this one; null if there was none to be.
     */
    next_attempt_at_ms: number | null;
};

export type DueRetries = {
    /**
     * When the first step begins: now. Unix time in milliseconds.
     */
    from_ms: number;
    /**
     * How long a step is, in milliseconds.
     */
    step_ms: number;
    /**
     * Those with any.
     */
    webhooks: Array<{
        /**
         * null for the requests that a workflow sends itself: workflow_id names it.
         */
        webhook_id: string | null;
        workflow_id: string | null;
        /**
         * How many retries are due in each step. Those that are overdue are in the first.
         */
        due: Array<number>;
        /**
         * How many are due after the last step.
         */
        later: number;
    }>;
    /**
     * Whether there are more: the server counts 50,000.
     */
    is_cut: boolean;
};

export type ForcedLines = {
    /**
     * Deliveries that are due now.
     */
    delivery_count: number;
};

export type Webhook = {
    /**
     * Begins with wh_.
     */
    id: string;
    /**
     * null if none was given.
     */
    name: string | null;
    /**
     * null if none was given.
     */
    description: string | null;
    url: string;
    active: boolean;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
};

export type TestedWebhook = {
    /**
     * The webhook-id of the request.
     */
    emit_id: string;
    attempt: DeliveryAttempt;
};

export type WebhookPublicKey = {
    /**
     * whpk_ and base64 of 32 bytes: the ed25519 public key of the Standard Webhooks specification.
     */
    public_key: string;
};

export type WebhookDetails = {
    /**
     * Begins with wh_.
     */
    id: string;
    /**
     * null if none was given.
     */
    name: string | null;
    /**
     * null if none was given.
     */
    description: string | null;
    url: string;
    active: boolean;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
    /**
     * ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those behind it go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start in order and overlap.
     */
    ordering: 'ordered' | 'strict' | 'none';
    /**
     * First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if it is below 4, they take turns with first attempts.
     */
    concurrency: number;
    /**
     * How many attempts begin within a time; null for as many as there are.
     */
    rate_limit: WebhookRateLimit | null;
    /**
     * Seconds to wait before each retry, 20 % more or less. Empty: no retries.
     */
    retry_schedule: Array<number>;
    /**
     * How long the endpoint has to answer, in milliseconds.
     */
    timeout_ms: number;
    /**
     * When to stop sending to an endpoint that fails; null for never.
     */
    circuit: WebhookCircuit | null;
    circuit_state: {
        /**
         * closed: all is sent. open: nothing is. half_open: the next attempt is the probe.
         */
        state: 'closed' | 'open' | 'half_open';
        /**
         * When an open circuit lets the probe through; null if it is closed. Unix time in milliseconds.
         */
        until_ms: number | null;
        /**
         * Failed attempts in a row, while it is closed.
         */
        failures: number;
    };
    /**
     * Since when nothing but failures came back; null if something arrived last. Unix time in milliseconds.
     */
    failing_since_ms: number | null;
    /**
     * Until when nothing is sent, since the endpoint asked for a pause; null if it asked for none. Unix time in milliseconds.
     */
    throttled_until_ms: number | null;
    /**
     * Why the server made the webhook inactive: gone (the endpoint answered 410) or failing (nothing arrived for five days); null if it did not.
     */
    disabled_reason: 'gone' | 'failing' | null;
    /**
     * What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both.
     */
    signature: 'hmac' | 'ed25519' | 'both';
    /**
     * Larger payloads are not sent: their deliveries are exhausted, with the error class too_large.
     */
    max_bytes: number | null;
    /**
     * Whether HTTP/2 is spoken with the endpoint if it offers it over TLS.
     */
    http2: boolean;
    /**
     * Sent with each delivery. Not host, content-length, webhook-* and others that the server sends. Together with secret_headers at most 32, and 8192 bytes.
     */
    headers: {
        [key: string]: string;
    };
    /**
     * As headers, with values that are never shown again: *** stands for each, and given back keeps it.
     */
    secret_headers: {
        [key: string]: string;
    };
    /**
     * What TLS connections to the endpoint are made with. Default: the public authorities, and no certificate.
     */
    tls: WebhookTls | null;
};

export type WebhookTls = {
    /**
     * Certificates as PEM text. Only what they have signed is trusted, instead of the public authorities.
     */
    ca?: string;
    /**
     * The server's own certificate as PEM text, and behind it those between it and its authority.
     */
    certificate?: string;
    /**
     * ***, if there is a certificate.
     */
    key?: string;
};

/**
 * After some failures in a row nothing is sent for a while, and then one attempt, which is the probe.
 */
export type WebhookCircuit = {
    /**
     * So many failed attempts in a row open the circuit.
     */
    failures: number;
    /**
     * How long it stays open at first. Each time that the probe fails it is twice as long, up to an hour.
     */
    cooldown_seconds: number;
};

/**
 * So many attempts begin within so many seconds, spread evenly. Events wait in order.
 */
export type WebhookRateLimit = {
    limit: number;
    interval_seconds: number;
    /**
     * How many may begin together after a pause.
     */
    burst: number;
};

export type GivenWebhookTls = {
    /**
     * Certificates as PEM text. Only what they have signed is trusted, instead of the public authorities.
     */
    ca?: string | null;
    /**
     * The server's own certificate as PEM text, and behind it those between it and its authority.
     */
    certificate?: string | null;
    /**
     * The private key of the certificate as PEM text. Never shown again: *** stands for it, and keeps it.
     */
    key?: string | null;
};

export type CreatedWebhook = {
    /**
     * Begins with wh_.
     */
    id: string;
    /**
     * null if none was given.
     */
    name: string | null;
    /**
     * null if none was given.
     */
    description: string | null;
    url: string;
    active: boolean;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
    /**
     * Begins with u_.
     */
    user_id: string;
};

export type AutoSubscription = {
    /**
     * Begins with as_.
     */
    id: string;
    /**
     * The id of a source, workflow or webhook.
     */
    listener_id: string;
    /**
     * The event stream; empty if none was given.
     */
    event_name: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Extension: What events have to pass. Not there if all are delivered.
     */
    filter?: Filter;
    batch?: Batch;
};

/**
 * Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See docs/delivery.md, "Batches".
 */
export type Batch = {
    /**
     * So many events at most, 1 to 1000.
     */
    max_events: number;
    /**
     * How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000.
     */
    max_wait_ms: number;
    /**
     * So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone.
     */
    max_bytes: number;
};

/**
 * Filter
 *
 * Events have to pass it, in the syntax of simple-json-match: fields with values, and operators such as $gt, $in, $or and $not, over the event's payload; $metadata for what was said beside it. At most 4096 bytes, 100 values and 10 levels. See docs/delivery.md, "Filter what a listener gets".
 */
export type Filter = {
    [key: string]: unknown;
};

export type Subscription = {
    /**
     * Begins with sub_.
     */
    id: string;
    /**
     * The id of a source or workflow, or a glob.
     */
    emitter_id: string;
    /**
     * The id of a source, workflow or webhook.
     */
    listener_id: string;
    /**
     * The event stream; empty if none was given.
     */
    event_name: string;
    /**
     * Extension: What events have to pass. Not there if all are delivered.
     */
    filter?: Filter;
    /**
     * Extension: How many events it has dropped because it took too much work to judge them by the filter. Not there if it has no filter.
     */
    filter_too_costly?: number;
    batch?: Batch;
};

export type SubscriptionPreview = {
    /**
     * The id of the source, workflow or webhook.
     */
    listener_id: string;
    /**
     * The webhook's URL; null for other listeners.
     */
    url: string | null;
    /**
     * Newest first.
     */
    events: Array<{
        /**
         * The event's id in its emitter's log.
         */
        event_id: string;
        /**
         * Identifies the event in every delivery.
         */
        emit_id: string;
        /**
         * The id of the source or workflow.
         */
        emitter_id: string;
        /**
         * The event stream; empty for the default one.
         */
        event_name: string;
        /**
         * Whether the subscription would deliver it.
         */
        matched: boolean;
        /**
         * Why not; null if it would.
         */
        reason: 'other_emitter' | 'other_stream' | 'own_event' | 'too_many_hops' | 'before_start' | 'filtered' | 'filter_too_costly' | null;
        /**
         * With the reason filtered: the clause of the filter that does not hold.
         */
        clause?: string;
    }>;
};

export type ClockFixedProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'clock_fixed';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:clock_fixed';
    status: 409;
    title: 'Clock can\'t be moved';
};

export type Clock = {
    /**
     * What time it is for the server. Unix time in milliseconds.
     */
    now: number;
    /**
     * What time it really is. Unix time in milliseconds.
     */
    real_now: number;
    /**
     * real: real time. ahead: at the speed of real time, but ahead of it. frozen: it stands still.
     */
    mode: 'real' | 'ahead' | 'frozen';
    /**
     * fixed: this server has no clock that can be moved. ready: it can be moved. advancing: it is being moved, and what falls due is being done.
     */
    status: 'fixed' | 'ready' | 'advancing';
    /**
     * The advance under way, if the account asked for it.
     */
    operation: ClockOperation | null;
    /**
     * When anything is due next, of any account, in Unix milliseconds. null: nothing is, or the clock is fixed.
     */
    next_due: number | null;
};

export type ClockOperation = {
    /**
     * Begins with clk_.
     */
    id: string;
    state: 'running' | 'done';
    /**
     * Where the clock was. Unix time in milliseconds.
     */
    from: number;
    /**
     * Where it goes, in Unix milliseconds; null where it was to go to the next due time, and nothing was due.
     */
    to: number | null;
    /**
     * How far it has come. Unix time in milliseconds.
     */
    now: number;
    max_fired: number | null;
    /**
     * How much of each kind of work fell due on the way.
     */
    fired: {
        /**
         * Ticks of timers.
         */
        timer: number;
        /**
         * Delayed events.
         */
        emit: number;
        /**
         * Deliveries that were due for another attempt.
         */
        retry: number;
        /**
         * Runs of workflows that had waited for their time.
         */
        resume: number;
        /**
         * Waits of rates, throttles, circuits, quotas and batches that were over.
         */
        wake: number;
        /**
         * Deletions that were left to do.
         */
        delete: number;
        /**
         * Bulk actions that looked again whether they may go on.
         */
        bulk: number;
    };
    /**
     * target: it came to its time. max_fired: so much has fired. nothing_due: there was nothing to go to. stopped: it was told to stop. busy: the engine did not come to rest within 10 minutes of real time. null: it has not ended.
     */
    stopped_by: 'target' | 'max_fired' | 'nothing_due' | 'stopped' | 'busy' | null;
    /**
     * In real time. Unix time in milliseconds.
     */
    began_at_ms: number;
    /**
     * In real time. Unix time in milliseconds.
     */
    ended_at_ms: number | null;
};

export type ClockAdvancingProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'clock_advancing';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:clock_advancing';
    status: 409;
    title: 'Clock is being moved';
};

export type Diagnosis = {
    /**
     * When the checks ended. Unix time in milliseconds.
     */
    now_ms: number;
    versions: {
        server: string;
        node: string;
        /**
         * null if it is not the packaged one.
         */
        deno: string | null;
        /**
         * null if the database does not answer.
         */
        postgres: string | null;
    };
    findings: Array<Finding>;
};

export type Finding = {
    name: 'database' | 'clock' | 'egress' | 'disk' | 'sandbox';
    /**
     * failed: the server cannot do its work. warning: something may fail soon, or for some.
     */
    state: 'ok' | 'warning' | 'failed';
    /**
     * What was found, as a sentence.
     */
    message: string;
    /**
     * What to do about it; null if it is ok.
     */
    todo: string | null;
};

export type Node = {
    /**
     * Of this run of the process alone.
     */
    id: string;
    /**
     * Its number among the workers of its machine; null if it is one process.
     */
    worker: number | null;
    version: string;
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    /**
     * When it last said that it is there. Unix time in milliseconds.
     */
    seen_at_ms: number;
    /**
     * How many of all accounts together it has in memory.
     */
    holds: {
        sources_and_workflows: number;
        webhooks: number;
        consumers: number;
        accounts: number;
    };
};

export type Graph = {
    /**
     * In the order of their ids.
     */
    nodes: Array<GraphNode>;
    /**
     * The subscriptions of the nodes as listeners, at most 5,000. Their emitters can be on another page.
     */
    edges: Array<GraphEdge>;
    /**
     * Whether the nodes have more subscriptions.
     */
    is_cut: boolean;
    /**
     * Where the page ends; empty if nothing is there.
     */
    end_cursor: string;
    /**
     * Whether there are more nodes: with after=end_cursor.
     */
    has_more: boolean;
    expanded: {
        /**
         * Begins with sub_.
         */
        subscription_id: string;
        /**
         * What it hears, and the accounting of each, at most 1,000.
         */
        emitters: Array<{
            emitter_id: string;
            waiting: number;
            delivered: number;
            pending: number;
            exhausted: number;
            dropped: number;
            filtered: number;
        }>;
        /**
         * Whether it hears more.
         */
        is_cut: boolean;
    } | null;
};

export type GraphEdge = {
    /**
     * Begins with sub_.
     */
    subscription_id: string;
    /**
     * The id of an emitter, or a glob.
     */
    emitter_id: string;
    is_glob: boolean;
    /**
     * The id of a node.
     */
    listener_id: string;
    /**
     * The event stream it listens to.
     */
    event_name: string;
    /**
     * Whether it has a filter.
     */
    is_filtered: boolean;
    /**
     * Events in front of its cursors.
     */
    waiting: number;
};

export type GraphNode = {
    /**
     * The id of a source, workflow, webhook, consumer or account.
     */
    id: string;
    type: 'source' | 'workflow' | 'webhook' | 'consumer' | 'account';
    name: string | null;
    active: boolean;
    /**
     * paused: it is not active; failing: a webhook to which nothing but failures came back since its last success, or whose circuit is open, or a source or workflow of which a run failed in the last 5 minutes; waiting: something has waited for it for 5 seconds, or waits for a retry or the end of a pause that the endpoint asked for; ok.
     */
    state: 'ok' | 'waiting' | 'failing' | 'paused';
    /**
     * Events in front of its cursors, and requests, that it has not come to: over the first 5,000 cursors.
     */
    waiting: number;
    /**
     * Deliveries to it that wait for a retry.
     */
    pending: number;
    /**
     * Events that it emitted a minute, over the last 5 minutes.
     */
    emitted: number;
    /**
     * Runs or attempts that it made a minute, over the last 5 minutes.
     */
    done: number;
    /**
     * Runs or attempts of these that failed a minute, over the last 5 minutes.
     */
    failed: number;
};

export type Figures = {
    /**
     * When the first step begins. Unix time in milliseconds.
     */
    from_ms: number;
    /**
     * Before when all figures are. Unix time in milliseconds.
     */
    to_ms: number;
    /**
     * How long a step is, in milliseconds.
     */
    step_ms: number;
    /**
     * Every step, oldest first.
     */
    series: Array<FigureStep>;
    now: AccountNow;
};

/**
 * How the account as a whole stands.
 */
export type AccountNow = {
    /**
     * When this was so: at most 5 seconds ago, the accounting a minute. Unix time in milliseconds.
     */
    at_ms: number;
    /**
     * Events in front of the cursors of subscriptions, and requests in front of sources and workflows.
     */
    waiting: number;
    /**
     * Deliveries that wait for an attempt.
     */
    pending: number;
    /**
     * When the oldest event or request came that a listener has not come to; null if there is none. Unix time in milliseconds.
     */
    oldest_at_ms: number | null;
    /**
     * Whether there is more: the server counts over 5,000 emitters, 5,000 cursors and 20,000 deliveries.
     */
    is_cut: boolean;
    /**
     * Subscriptions and emitters whose accounting does not balance; any but 0 is a bug of the server.
     */
    imbalances: number;
    quotas: Array<{
        quota: 'daily_compute_time' | 'daily_invocations' | 'billing_period_invocations';
        /**
         * null if there is none. Compute time is in milliseconds.
         */
        limit: number | null;
        used: number;
        /**
         * When it is counted anew. Unix time in milliseconds.
         */
        until_ms: number;
    }>;
    sources: {
        total: number;
        active: number;
    };
    workflows: {
        total: number;
        active: number;
    };
    webhooks: {
        total: number;
        active: number;
        /**
         * Taken out of service by the server.
         */
        disabled: number;
        /**
         * In service, and nothing but failures came back since their last success.
         */
        failing: number;
        /**
         * Waiting, since the endpoint asked for it.
         */
        throttled: number;
        /**
         * With an open circuit.
         */
        open: number;
    };
};

export type FigureStep = {
    /**
     * When the step begins. Unix time in milliseconds.
     */
    at_ms: number;
    /**
     * Requests to sources and workflows that were taken in.
     */
    requests: number;
    /**
     * Events that were emitted, but for errors and console lines.
     */
    events: number;
    /**
     * Events on $errors.
     */
    errors: number;
    /**
     * Runs of code, of workflows each step.
     */
    runs: number;
    /**
     * Runs that threw or ran over a limit.
     */
    failed_runs: number;
    /**
     * Milliseconds that runs took together.
     */
    run_ms: number;
    /**
     * Attempts at deliveries.
     */
    attempts: number;
    /**
     * Attempts that failed.
     */
    failed_attempts: number;
    /**
     * Milliseconds that attempts took together.
     */
    attempt_ms: number;
    /**
     * Deliveries that were given up.
     */
    exhausted: number;
    /**
     * Events that were passed without an attempt or run: skipped, deleted before their turn, or at the hop limit.
     */
    dropped: number;
    /**
     * Events that filters kept from listeners.
     */
    filtered: number;
    /**
     * Events in front of the cursors of subscriptions, and requests in front of sources and workflows. Measured each minute, on average over the step; null for an emitter or listener.
     */
    waiting: number | null;
    /**
     * Deliveries that wait for an attempt. Measured each minute, on average over the step; null for an emitter or listener.
     */
    pending: number | null;
    /**
     * In how many milliseconds half of the attempts ended, about; null if there were none.
     */
    p50_ms: number | null;
    /**
     * In how many milliseconds 99 of 100 of the attempts ended, about; null if there were none.
     */
    p99_ms: number | null;
};

export type Journey = {
    /**
     * The event itself first.
     */
    nodes: Array<JourneyEvent | JourneyRequest | JourneyRun | JourneyDelivery | JourneyConsumer | JourneyListener>;
    edges: Array<JourneyEdge>;
    /**
     * Whether there is more: a journey is followed for 8 emitters each way, and tells of 200 nodes.
     */
    truncated: boolean;
};

export type JourneyEdge = {
    /**
     * The id of a node.
     */
    from: string;
    /**
     * The id of a node.
     */
    to: string;
    /**
     * By which subscription; null from a request to its run, and from a run to what it emitted.
     */
    subscription_id: string | null;
    /**
     * Whether the subscription delivers the event; true if there is none.
     */
    matched: boolean;
    /**
     * Why not; null if it does.
     */
    reason: 'other_emitter' | 'other_stream' | 'own_event' | 'too_many_hops' | 'before_start' | 'filtered' | 'filter_too_costly' | null;
    /**
     * With the reason filtered: the clause of the filter that does not hold.
     */
    clause?: string;
};

/**
 * A listener that the event does not reach
 */
export type JourneyListener = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'listener';
    /**
     * The id of a source, workflow or webhook.
     */
    listener_id: string;
    /**
     * What it is called; null if it has no name.
     */
    listener_name: string | null;
};

/**
 * A client's place in the log
 */
export type JourneyConsumer = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'consumer';
    /**
     * The id of a consumer.
     */
    consumer_id: string;
    /**
     * waiting until the event is committed, and then delivered.
     */
    state: 'waiting' | 'delivered' | 'pending' | 'exhausted' | 'dropped';
};

/**
 * A delivery to a webhook
 */
export type JourneyDelivery = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'delivery';
    /**
     * The id of a webhook; null for a request that a workflow sends by $.send.http.
     */
    webhook_id: string | null;
    /**
     * What it is called; null if it has no name.
     */
    webhook_name: string | null;
    /**
     * null before the first attempt.
     */
    delivery_id: string | null;
    /**
     * As in a trace.
     */
    state: 'waiting' | 'delivered' | 'pending' | 'exhausted' | 'dropped';
    /**
     * How many attempts were made.
     */
    attempts: number;
    last_attempt: TracedAttempt | null;
    /**
     * Unix time in milliseconds.
     */
    next_attempt_at_ms: number | null;
    /**
     * With the state waiting, if it is more than its turn: for its webhook to be active, for the end of a pause that the endpoint asked for, for its circuit, for an event before it (strict order), for the rate, or for others to go with, until next_attempt_at_ms at the latest (batch).
     */
    waiting_for?: 'inactive' | 'throttled' | 'circuit' | 'order' | 'rate' | 'batch';
};

export type TracedAttempt = {
    /**
     * From 1.
     */
    attempt: number;
    /**
     * Unix time in milliseconds.
     */
    started_at_ms: number;
    /**
     * Milliseconds.
     */
    duration_ms: number;
    outcome: 'delivered' | 'failed';
    /**
     * The endpoint's HTTP status; null if it sent none.
     */
    status: number | null;
    /**
     * The address that the server connected to.
     */
    address: string | null;
    /**
     * The kind of failure; null if there was none.
     */
    error_class: string | null;
    /**
     * The failure, in words.
     */
    error_message: string | null;
};

/**
 * A run over an event or a request
 */
export type JourneyRun = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'run';
    /**
     * The id of a source, workflow or webhook.
     */
    listener_id: string;
    /**
     * What it is called; null if it has no name.
     */
    listener_name: string | null;
    /**
     * waiting: its turn has not come; ended; failed: it left an error; dropped: it was passed without a run; for workflows also running, paused (it waits for a time) and cancelled.
     */
    state: 'waiting' | 'ended' | 'failed' | 'dropped' | 'running' | 'paused' | 'cancelled';
    /**
     * Of a workflow's run; null if it is not known.
     */
    run_id: string | null;
    /**
     * Of a workflow's run. Unix time in milliseconds.
     */
    started_at_ms: number | null;
    /**
     * Of a workflow's run. Unix time in milliseconds.
     */
    ended_at_ms: number | null;
    /**
     * Of a workflow's run that failed.
     */
    error: {
        name: string;
        message: string;
    } | null;
    /**
     * Console lines that it left.
     */
    logs: number;
};

/**
 * A request to a source or workflow
 */
export type JourneyRequest = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'request';
    /**
     * The id of a source, workflow or account.
     */
    emitter_id: string;
    /**
     * What it is called; null if it has no name.
     */
    emitter_name: string | null;
    /**
     * Unix time in milliseconds.
     */
    received_at_ms: number;
    /**
     * By its endpoint or its e-mail address, or through the API; null once the server has deleted the request.
     */
    kind: 'http' | 'email' | 'invocation' | 'rerun' | null;
    /**
     * The request's own id; null once it is deleted.
     */
    emit_id: string | null;
};

/**
 * An event
 */
export type JourneyEvent = {
    /**
     * Names the node in this journey.
     */
    id: string;
    type: 'event';
    /**
     * The id of a source, workflow or account.
     */
    emitter_id: string;
    /**
     * What it is called; null if it has no name.
     */
    emitter_name: string | null;
    /**
     * The event's id in its emitter's log.
     */
    event_id: string;
    /**
     * Unix time in milliseconds.
     */
    indexed_at_ms: number;
    /**
     * The event stream; empty for the default one; null if the event was deleted.
     */
    event_name: string | null;
    /**
     * Identifies the event in every delivery.
     */
    emit_id: string | null;
    /**
     * How many emitters it has passed through.
     */
    hops: number | null;
};

export type EventSummary = {
    /**
     * <milliseconds>-<sequence>, ordered by time.
     */
    id: string;
    /**
     * Unix time in milliseconds.
     */
    indexed_at_ms: number;
    /**
     * Data over 1 KB is cut to a preview unless expand=event.
     */
    event: {
        /**
         * The emitted payload: any JSON value.
         */
        raw_event: unknown;
    } | {
        /**
         * The event that caused the error.
         */
        original_event: unknown;
        original_context: {
            id: string;
            /**
             * ISO 8601.
             */
            ts: string;
            /**
             * For a source, the source's id.
             */
            workflow_id: string;
            /**
             * For a source, its component's id.
             */
            deployment_id: string;
            /**
             * What the run was for: HTTP, EMAIL, TIMER, EVENT, INVOCATION or HOOK.
             */
            source_type: string;
            verified: boolean;
            owner_id: string;
            platform_version: string;
        };
        error: {
            /**
             * The error's name.
             */
            code: string;
            cellId: string;
            /**
             * ISO 8601.
             */
            ts: string;
            stack: string;
            /**
             * Extension: The error's message.
             */
            message?: string;
        };
    } | {
        original_event?: unknown;
        original_context?: {
            [key: string]: unknown;
        };
        error?: {
            [key: string]: unknown;
        };
    };
    metadata: {
        /**
         * Identifies the event in every delivery.
         */
        emit_id: string;
        /**
         * The event stream; empty for the default one.
         */
        name: string;
        /**
         * The id of the source or workflow.
         */
        emitter_id: string;
        /**
         * Extension: The emit's own id.
         */
        id?: string | number;
        /**
         * Extension: The emit's own summary.
         */
        summary?: string;
        /**
         * Extension: The emit's own time.
         */
        ts?: string | number;
        /**
         * Extension: true if event is a cut preview.
         */
        truncated?: boolean;
    };
};

export type EventTrace = {
    /**
     * The event's id in its emitter's log.
     */
    event_id: string;
    /**
     * Identifies the event in every delivery.
     */
    emit_id: string;
    /**
     * The id of the source or workflow.
     */
    emitter_id: string;
    /**
     * The event stream; empty for the default one.
     */
    event_name: string;
    /**
     * How many emitters it has passed through.
     */
    hops: number;
    /**
     * All subscriptions of the account, newest first.
     */
    subscriptions: Array<TracedSubscription>;
};

export type TracedSubscription = {
    /**
     * Begins with sub_.
     */
    subscription_id: string;
    /**
     * The id of a source or workflow, or a glob.
     */
    emitter_id: string;
    /**
     * The id of a source, workflow or webhook.
     */
    listener_id: string;
    /**
     * The event stream it listens to.
     */
    event_name: string;
    /**
     * Whether it delivers the event.
     */
    matched: boolean;
    /**
     * Why not; null if it does.
     */
    reason: 'other_emitter' | 'other_stream' | 'own_event' | 'too_many_hops' | 'before_start' | 'filtered' | 'filter_too_costly' | null;
    /**
     * With the reason filtered: the clause of the filter that does not hold.
     */
    clause?: string;
    /**
     * The state of its delivery, in the order of the values: not yet attempted, delivered, to be retried, given up, or skipped without an attempt; null if the subscription did not match, unless it dropped the event as filter_too_costly.
     */
    state: 'waiting' | 'delivered' | 'pending' | 'exhausted' | 'dropped' | null;
    /**
     * With the state waiting, if it is more than its turn: for its webhook to be active, for the end of a pause that the endpoint asked for, for its circuit, for an event before it (strict order), for the rate, or for others to go with, until next_attempt_at_ms at the latest (batch).
     */
    waiting_for?: 'inactive' | 'throttled' | 'circuit' | 'order' | 'rate' | 'batch';
    /**
     * When the next attempt is due. Unix time in milliseconds.
     */
    next_attempt_at_ms: number | null;
    /**
     * Oldest first.
     */
    attempts: Array<TracedAttempt>;
    batch?: DeliveredBatch;
};

export type Consumer = {
    /**
     * Begins with cns_.
     */
    id: string;
    /**
     * null if none was given.
     */
    name: string | null;
    /**
     * The id of an emitter, or a glob.
     */
    emitter_id: string;
    /**
     * The event stream; empty if none was given.
     */
    event_name: string;
    /**
     * Extension: What events have to pass. Not there if all are delivered.
     */
    filter?: Filter;
    /**
     * How long a reader may be silent before another one takes over.
     */
    lease_seconds: number;
    /**
     * null if nobody reads.
     */
    lease: {
        /**
         * When it ends if its reader is silent, at the latest. Unix time in milliseconds.
         */
        expires_at_ms: number;
    } | null;
    /**
     * Unix time in seconds.
     */
    created_at: number;
};

export type LeaseLostProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'lease_lost';
    details: {
        [key: string]: unknown;
    };
    type: 'urn:headwater:problem:lease_lost';
    status: 409;
    title: 'Lease lost';
};

export type ConsumerLease = {
    /**
     * Given with further reads and with commits.
     */
    id: string;
    /**
     * When it ends. Reads and commits renew it. Unix time in milliseconds.
     */
    expires_at_ms: number;
};

export type LeaseHeldProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'lease_held';
    details: {
        /**
         * When the lease ends unless it is renewed. Unix milliseconds.
         */
        expires_at_ms: number;
    };
    type: 'urn:headwater:problem:lease_held';
    status: 409;
    title: 'Lease held';
};

export type ConsumerPosition = {
    /**
     * The id of the emitter.
     */
    emitter_id: string;
    /**
     * All events up to this id are passed.
     */
    position: string;
    /**
     * Events behind the position.
     */
    waiting: number;
    /**
     * Events that were committed since the start, as all further counts.
     */
    delivered: number;
    /**
     * Events that the filter kept out.
     */
    filtered: number;
    /**
     * Events that were deleted before they were committed, had reached the hop limit, or took too much work to judge by the filter.
     */
    dropped: number;
    /**
     * Those of the dropped ones that took too much work to judge by the filter.
     */
    filter_too_costly: number;
};

export type Source = {
    /**
     * Begins with dc_.
     */
    id: string;
    /**
     * Begins with sc_.
     */
    component_id: string;
    /**
     * Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}.
     */
    configured_props: {
        [key: string]: unknown;
    };
    active: boolean;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
    name: string;
    /**
     * Works wherever the source's id does.
     */
    name_slug: string;
};

export type CreatedSource = {
    /**
     * Begins with dc_.
     */
    id: string;
    /**
     * Begins with sc_.
     */
    component_id: string;
    /**
     * Values by prop. A timer is {cron, interval_seconds}, an HTTP interface {endpoint_url}.
     */
    configured_props: {
        [key: string]: unknown;
    };
    active: boolean;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
    name: string;
    /**
     * Works wherever the source's id does.
     */
    name_slug: string;
    /**
     * Begins with u_.
     */
    user_id: string;
};

export type ComponentInUseProblem = {
    /**
     * What went wrong, as a sentence.
     */
    detail: string;
    /**
     * The same sentence as detail.
     */
    error: string;
    /**
     * What went wrong, as a code for programs. Never changes.
     */
    code: 'component_in_use';
    details: {
        /**
         * The ids of sources that use it, at most 100.
         */
        sources: Array<string>;
    };
    type: 'urn:headwater:problem:component_in_use';
    status: 409;
    title: 'Component in use';
};

export type Component = {
    /**
     * Begins with sc_.
     */
    id: string;
    /**
     * The full component code.
     */
    code: string;
    /**
     * SHA-256 of the code, hexadecimal.
     */
    code_hash: string;
    /**
     * Extension: The `key` in the component's code; null if it has none.
     */
    key: string | null;
    name: string;
    version: string;
    /**
     * Extension: The `description` in the component's code; null if it has none.
     */
    description: string | null;
    /**
     * The props in the order of the code. A timer's default is {intervalSeconds}.
     */
    configurable_props: Array<{
        name: string;
        type: string;
        label?: string;
        description?: string;
        /**
         * A value of the prop's type.
         */
        default?: unknown;
        [key: string]: unknown;
    }>;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
};

export type ListedComponent = {
    /**
     * Begins with sc_.
     */
    id: string;
    /**
     * The key in its code; null if it has none.
     */
    key: string | null;
    name: string;
    version: string;
    /**
     * The first 500 characters of the description in its code; null if it has none.
     */
    description: string | null;
    /**
     * SHA-256 of the code, hexadecimal.
     */
    code_hash: string;
    /**
     * Unix time in seconds.
     */
    created_at: number;
    /**
     * Unix time in seconds.
     */
    updated_at: number;
};

export type ComponentConfiguration = {
    options?: Array<unknown>;
    /**
     * Send it as prev_context to get the next page.
     */
    context?: unknown;
    configurable_props?: Array<{
        name: string;
        type: string;
        label?: string;
        description?: string;
        /**
         * A value of the prop's type.
         */
        default?: unknown;
        [key: string]: unknown;
    }>;
};

export type ComponentsCreateData = {
    body: {
        /**
         * Full component code.
         */
        component_code?: string;
        /**
         * An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_code, it is only metadata.
         */
        component_url?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/components';
};

export type ComponentsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component.
     */
    422: ComponentInvalidProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsCreateError = ComponentsCreateErrors[keyof ComponentsCreateErrors];

export type ComponentsCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Component;
    };
};

export type ComponentsCreateResponse = ComponentsCreateResponses[keyof ComponentsCreateResponses];

export type ComponentsConfigureData = {
    body: {
        /**
         * The prop to list the values of.
         */
        prop_name?: string;
        /**
         * The values so far, in the form that a source takes. Some may be missing.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Which page of the values, counted from 0.
         */
        page?: number;
        /**
         * The `context` of the previous page.
         */
        prev_context?: unknown;
        /**
         * What the user has typed, for a prop with `useQuery`.
         */
        query?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The component's id, or the key in its code.
         */
        key: string;
    };
    query?: never;
    url: '/v1/components/{key}/configure';
};

export type ComponentsConfigureErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The deploy or activate hook threw or ran over a limit.
     */
    422: HookFailedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsConfigureError = ComponentsConfigureErrors[keyof ComponentsConfigureErrors];

export type ComponentsConfigureResponses = {
    /**
     * The current resource.
     */
    200: {
        data: ComponentConfiguration;
    };
};

export type ComponentsConfigureResponse = ComponentsConfigureResponses[keyof ComponentsConfigureResponses];

export type ComponentsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/components';
};

export type ComponentsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsListError = ComponentsListErrors[keyof ComponentsListErrors];

export type ComponentsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<ListedComponent>;
    };
};

export type ComponentsListResponse = ComponentsListResponses[keyof ComponentsListResponses];

export type ComponentsListPublishedData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/registry/components';
};

export type ComponentsListPublishedErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsListPublishedError = ComponentsListPublishedErrors[keyof ComponentsListPublishedErrors];

export type ComponentsListPublishedResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<ListedComponent>;
    };
};

export type ComponentsListPublishedResponse = ComponentsListPublishedResponses[keyof ComponentsListPublishedResponses];

export type ComponentsGetPublishedData = {
    body?: never;
    path: {
        /**
         * The key in the component's code.
         */
        key: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/components/registry/{key}';
};

export type ComponentsGetPublishedErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsGetPublishedError = ComponentsGetPublishedErrors[keyof ComponentsGetPublishedErrors];

export type ComponentsGetPublishedResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Component;
    };
};

export type ComponentsGetPublishedResponse = ComponentsGetPublishedResponses[keyof ComponentsGetPublishedResponses];

export type ComponentsDeleteData = {
    body?: never;
    path: {
        /**
         * The component's id.
         */
        key: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/components/{key}';
};

export type ComponentsDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * Sources use the component. Delete them, or give them another component, first.
     */
    409: ComponentInUseProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsDeleteError = ComponentsDeleteErrors[keyof ComponentsDeleteErrors];

export type ComponentsDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type ComponentsDeleteResponse = ComponentsDeleteResponses[keyof ComponentsDeleteResponses];

export type ComponentsGetData = {
    body?: never;
    path: {
        /**
         * The component's id, or the key in its code.
         */
        key: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/components/{key}';
};

export type ComponentsGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ComponentsGetError = ComponentsGetErrors[keyof ComponentsGetErrors];

export type ComponentsGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Component;
    };
};

export type ComponentsGetResponse = ComponentsGetResponses[keyof ComponentsGetResponses];

export type SourcesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/sources';
};

export type SourcesListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SourcesListError = SourcesListErrors[keyof SourcesListErrors];

export type SourcesListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<Source>;
    };
};

export type SourcesListResponse = SourcesListResponses[keyof SourcesListResponses];

export type SourcesCreateData = {
    body: {
        /**
         * The id of an existing component. Takes precedence over component_code and component_url.
         */
        component_id?: string;
        /**
         * Full component code.
         */
        component_code?: string;
        /**
         * An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_id or component_code, it is only metadata.
         */
        component_url?: string;
        /**
         * Extension: The key of a component in the registry, instead of the three other component parameters. Selects its newest version.
         */
        key?: string;
        /**
         * Default: the name slug of the component.
         */
        name?: string;
        /**
         * Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: Whether to keep the events that the deploy hook emits. Default: true.
         */
        emit_on_deploy?: boolean;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/sources';
};

export type SourcesCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component. | The deploy or activate hook threw or ran over a limit.
     */
    422: ComponentInvalidProblem | HookFailedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SourcesCreateError = SourcesCreateErrors[keyof SourcesCreateErrors];

export type SourcesCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: CreatedSource;
    };
};

export type SourcesCreateResponse = SourcesCreateResponses[keyof SourcesCreateResponses];

export type SourcesDeleteData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}';
};

export type SourcesDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SourcesDeleteError = SourcesDeleteErrors[keyof SourcesDeleteErrors];

export type SourcesDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type SourcesDeleteResponse = SourcesDeleteResponses[keyof SourcesDeleteResponses];

export type SourcesGetData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}';
};

export type SourcesGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SourcesGetError = SourcesGetErrors[keyof SourcesGetErrors];

export type SourcesGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Source;
    };
};

export type SourcesGetResponse = SourcesGetResponses[keyof SourcesGetResponses];

export type SourcesUpdateData = {
    body: {
        /**
         * The id of an existing component. Takes precedence over component_code and component_url.
         */
        component_id?: string;
        /**
         * Full component code.
         */
        component_code?: string;
        /**
         * An http or https URL of the code. The server fetches it, with its relative imports from the same origin. As an extension, npm:<package>[@version]/<path> names a module of an npm package. Given together with component_id or component_code, it is only metadata.
         */
        component_url?: string;
        /**
         * Extension: The key of a component in the registry, instead of the three other component parameters. Selects its newest version.
         */
        key?: string;
        /**
         * Default: the name slug of the component.
         */
        name?: string;
        /**
         * Values by the name of the prop. A timer is {intervalSeconds}, or {cron, timezone}.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * false deactivates the source, true activates it. Default: true.
         */
        active?: boolean;
    };
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: never;
    url: '/v1/sources/{id}';
};

export type SourcesUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component. | The deploy or activate hook threw or ran over a limit.
     */
    422: ComponentInvalidProblem | HookFailedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SourcesUpdateError = SourcesUpdateErrors[keyof SourcesUpdateErrors];

export type SourcesUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Source;
    };
};

export type SourcesUpdateResponse = SourcesUpdateResponses[keyof SourcesUpdateResponses];

export type EventsSourceSummariesData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: The event stream to list. Default: the default one.
         */
        event_name?: string;
    };
    url: '/v1/sources/{id}/event_summaries';
};

export type EventsSourceSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsSourceSummariesError = EventsSourceSummariesErrors[keyof EventsSourceSummariesErrors];

export type EventsSourceSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsSourceSummariesResponse = EventsSourceSummariesResponses[keyof EventsSourceSummariesResponses];

export type EventsSourceErrorSummariesData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/$errors/event_summaries';
};

export type EventsSourceErrorSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsSourceErrorSummariesError = EventsSourceErrorSummariesErrors[keyof EventsSourceErrorSummariesErrors];

export type EventsSourceErrorSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsSourceErrorSummariesResponse = EventsSourceErrorSummariesResponses[keyof EventsSourceErrorSummariesResponses];

export type EventsSourceLogSummariesData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/$logs/event_summaries';
};

export type EventsSourceLogSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsSourceLogSummariesError = EventsSourceLogSummariesErrors[keyof EventsSourceLogSummariesErrors];

export type EventsSourceLogSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsSourceLogSummariesResponse = EventsSourceLogSummariesResponses[keyof EventsSourceLogSummariesResponses];

export type EventsDeleteSourceEventsData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * The first event to delete. Default: the oldest.
         */
        start_id?: string;
        /**
         * The last event to delete. Default: the newest at this moment.
         */
        end_id?: string;
        /**
         * Extension: The event stream to delete from. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/events';
};

export type EventsDeleteSourceEventsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsDeleteSourceEventsError = EventsDeleteSourceEventsErrors[keyof EventsDeleteSourceEventsErrors];

export type EventsDeleteSourceEventsResponses = {
    /**
     * The server removes the events soon. There is no body.
     */
    202: unknown;
};

export type LogSourceEventsData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * The event stream. Default: the default one.
         */
        event_name?: string;
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/events';
};

export type LogSourceEventsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogSourceEventsError = LogSourceEventsErrors[keyof LogSourceEventsErrors];

export type LogSourceEventsResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type LogSourceEventsResponse = LogSourceEventsResponses[keyof LogSourceEventsResponses];

export type EventsWorkflowSummariesData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: The event stream to list. Default: the default one.
         */
        event_name?: string;
    };
    url: '/v1/workflows/{id}/event_summaries';
};

export type EventsWorkflowSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsWorkflowSummariesError = EventsWorkflowSummariesErrors[keyof EventsWorkflowSummariesErrors];

export type EventsWorkflowSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsWorkflowSummariesResponse = EventsWorkflowSummariesResponses[keyof EventsWorkflowSummariesResponses];

export type EventsWorkflowErrorSummariesData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/$errors/event_summaries';
};

export type EventsWorkflowErrorSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsWorkflowErrorSummariesError = EventsWorkflowErrorSummariesErrors[keyof EventsWorkflowErrorSummariesErrors];

export type EventsWorkflowErrorSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsWorkflowErrorSummariesResponse = EventsWorkflowErrorSummariesResponses[keyof EventsWorkflowErrorSummariesResponses];

export type EventsWorkflowLogSummariesData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/$logs/event_summaries';
};

export type EventsWorkflowLogSummariesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EventsWorkflowLogSummariesError = EventsWorkflowLogSummariesErrors[keyof EventsWorkflowLogSummariesErrors];

export type EventsWorkflowLogSummariesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type EventsWorkflowLogSummariesResponse = EventsWorkflowLogSummariesResponses[keyof EventsWorkflowLogSummariesResponses];

export type ConsumersListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/consumers';
};

export type ConsumersListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersListError = ConsumersListErrors[keyof ConsumersListErrors];

export type ConsumersListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<Consumer>;
    };
};

export type ConsumersListResponse = ConsumersListResponses[keyof ConsumersListResponses];

export type ConsumersCreateData = {
    body: {
        /**
         * Required. An emitter, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Extension: What events have to pass. Default: all are delivered.
         */
        filter?: Filter;
        /**
         * For people. Default: null.
         */
        name?: string;
        /**
         * Where it starts: beginning, end, an event id, or a time in Unix milliseconds. Of an id or a time, the first event from it on is the next. Default: end.
         */
        start?: string | number;
        /**
         * How long a reader may be silent before another one takes over, 1 to 3600; default 60.
         */
        lease_seconds?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/consumers';
};

export type ConsumersCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersCreateError = ConsumersCreateErrors[keyof ConsumersCreateErrors];

export type ConsumersCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Consumer;
    };
};

export type ConsumersCreateResponse = ConsumersCreateResponses[keyof ConsumersCreateResponses];

export type ConsumersDeleteData = {
    body?: never;
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/consumers/{id}';
};

export type ConsumersDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersDeleteError = ConsumersDeleteErrors[keyof ConsumersDeleteErrors];

export type ConsumersDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type ConsumersDeleteResponse = ConsumersDeleteResponses[keyof ConsumersDeleteResponses];

export type ConsumersGetData = {
    body?: never;
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/consumers/{id}';
};

export type ConsumersGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersGetError = ConsumersGetErrors[keyof ConsumersGetErrors];

export type ConsumersGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Consumer;
    };
};

export type ConsumersGetResponse = ConsumersGetResponses[keyof ConsumersGetResponses];

export type ConsumersPositionsData = {
    body?: never;
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item.
         */
        after?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/consumers/{id}/positions';
};

export type ConsumersPositionsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersPositionsError = ConsumersPositionsErrors[keyof ConsumersPositionsErrors];

export type ConsumersPositionsResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<ConsumerPosition>;
    };
};

export type ConsumersPositionsResponse = ConsumersPositionsResponses[keyof ConsumersPositionsResponses];

export type ConsumersEventsData = {
    body?: never;
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: {
        /**
         * At most so many events, 1 to 1000; default 100.
         */
        max?: number;
        /**
         * No more events once their data has come to so many bytes, 1 to 1048576; default 262144.
         */
        max_bytes?: number;
        /**
         * How many seconds to wait for the first event, 0 to 60; default 0.
         */
        wait?: number;
        /**
         * The lease that an earlier read gave. Default: get one.
         */
        lease?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/consumers/{id}/events';
};

export type ConsumersEventsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * Another reader has the lease of the consumer. It ends if that reader is silent. | The lease has ended: it was given back, another reader has taken over, or somebody has sought elsewhere. The events that were not committed are read again.
     */
    409: LeaseHeldProblem | LeaseLostProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersEventsError = ConsumersEventsErrors[keyof ConsumersEventsErrors];

export type ConsumersEventsResponses = {
    /**
     * The next events.
     */
    200: {
        /**
         * null if the request gave none and there are no events.
         */
        lease: ConsumerLease | null;
        /**
         * By emitter, the last of these events. To commit all of them, send this back.
         */
        positions: {
            [key: string]: string;
        };
        /**
         * With their whole data; of each emitter in its log's order.
         */
        data: Array<EventSummary>;
    };
};

export type ConsumersEventsResponse = ConsumersEventsResponses[keyof ConsumersEventsResponses];

export type ConsumersCommitData = {
    body: {
        /**
         * Required. The lease that the read gave.
         */
        lease?: string;
        /**
         * By emitter, the last event that is committed, with all before it: the positions of a read, or earlier ones. Default: none.
         */
        positions?: {
            [key: string]: string;
        };
        /**
         * Gives the lease back, so that another reader need not wait for its end. Default: false.
         */
        release?: boolean;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/consumers/{id}/commit';
};

export type ConsumersCommitErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The lease has ended: it was given back, another reader has taken over, or somebody has sought elsewhere. The events that were not committed are read again. | The same `Idempotency-Key` came with another request.
     */
    409: LeaseLostProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersCommitError = ConsumersCommitErrors[keyof ConsumersCommitErrors];

export type ConsumersCommitResponses = {
    /**
     * The current resource.
     */
    200: {
        data: {
            /**
             * null if it was given back.
             */
            lease: ConsumerLease | null;
        };
    };
};

export type ConsumersCommitResponse = ConsumersCommitResponses[keyof ConsumersCommitResponses];

export type ConsumersSeekData = {
    body: {
        /**
         * Required. beginning, end, an event id, or a time in Unix milliseconds. Of an id or a time, the first event from it on is the next.
         */
        to?: string | number;
        /**
         * Seek in this emitter's log alone. Default: in those of all emitters that it reads.
         */
        emitter_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The consumer's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/consumers/{id}/seek';
};

export type ConsumersSeekErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ConsumersSeekError = ConsumersSeekErrors[keyof ConsumersSeekErrors];

export type ConsumersSeekResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Consumer;
    };
};

export type ConsumersSeekResponse = ConsumersSeekResponses[keyof ConsumersSeekResponses];

export type LogAccountEventsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only events of this emitter: the id or name slug of a source or workflow, or the account's id. Can be repeated.
         */
        emitter?: Array<string>;
        /**
         * Only events of this stream; empty or default for the default one. Default: all streams.
         */
        stream?: string;
        /**
         * Only events whose payload, as JSON text, contains this text. Upper and lower case differ.
         */
        text?: string;
        /**
         * Only events with this id.
         */
        id?: string;
        /**
         * Indexed at this time or later. Unix time in milliseconds.
         */
        from?: number;
        /**
         * Indexed before this time. Unix time in milliseconds.
         */
        to?: number;
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/events';
};

export type LogAccountEventsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogAccountEventsError = LogAccountEventsErrors[keyof LogAccountEventsErrors];

export type LogAccountEventsResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
            /**
             * Whether the list ends here before the oldest event, since the account has more than 5,000 streams: name emitters to see older events.
             */
            is_cut: boolean;
            /**
             * What the list could have on it: GET /events/sse after it has everything that was committed later.
             */
            position: string;
        };
        data: Array<EventSummary>;
    };
};

export type LogAccountEventsResponse = LogAccountEventsResponses[keyof LogAccountEventsResponses];

export type LogSourceEventData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
        /**
         * The event's id in its emitter's log.
         */
        event_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/events/{event_id}';
};

export type LogSourceEventErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogSourceEventError = LogSourceEventErrors[keyof LogSourceEventErrors];

export type LogSourceEventResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EventSummary;
    };
};

export type LogSourceEventResponse = LogSourceEventResponses[keyof LogSourceEventResponses];

export type LogSourceEventTraceData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
        /**
         * The event's id in its emitter's log.
         */
        event_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/events/{event_id}/trace';
};

export type LogSourceEventTraceErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogSourceEventTraceError = LogSourceEventTraceErrors[keyof LogSourceEventTraceErrors];

export type LogSourceEventTraceResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EventTrace;
    };
};

export type LogSourceEventTraceResponse = LogSourceEventTraceResponses[keyof LogSourceEventTraceResponses];

export type LogWorkflowEventsData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
    };
    query?: {
        /**
         * Answer with the full event data.
         */
        expand?: 'event';
        /**
         * The event stream. Default: the default one.
         */
        event_name?: string;
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/events';
};

export type LogWorkflowEventsErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogWorkflowEventsError = LogWorkflowEventsErrors[keyof LogWorkflowEventsErrors];

export type LogWorkflowEventsResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<EventSummary>;
    };
};

export type LogWorkflowEventsResponse = LogWorkflowEventsResponses[keyof LogWorkflowEventsResponses];

export type LogWorkflowEventData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
        /**
         * The event's id in its emitter's log.
         */
        event_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/events/{event_id}';
};

export type LogWorkflowEventErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogWorkflowEventError = LogWorkflowEventErrors[keyof LogWorkflowEventErrors];

export type LogWorkflowEventResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EventSummary;
    };
};

export type LogWorkflowEventResponse = LogWorkflowEventResponses[keyof LogWorkflowEventResponses];

export type LogWorkflowEventTraceData = {
    body?: never;
    path: {
        /**
         * The workflow's id.
         */
        id: string;
        /**
         * The event's id in its emitter's log.
         */
        event_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/events/{event_id}/trace';
};

export type LogWorkflowEventTraceErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type LogWorkflowEventTraceError = LogWorkflowEventTraceErrors[keyof LogWorkflowEventTraceErrors];

export type LogWorkflowEventTraceResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EventTrace;
    };
};

export type LogWorkflowEventTraceResponse = LogWorkflowEventTraceResponses[keyof LogWorkflowEventTraceResponses];

export type JourneyEventData = {
    body?: never;
    path: {
        /**
         * The event's id in its emitter's log.
         */
        id: string;
    };
    query?: {
        /**
         * Whose event it is: the id or name slug of a source or workflow, or the account's id. Needed if several emitters have an event with this id.
         */
        emitter?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/events/{id}/journey';
};

export type JourneyEventErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type JourneyEventError = JourneyEventErrors[keyof JourneyEventErrors];

export type JourneyEventResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Journey;
    };
};

export type JourneyEventResponse = JourneyEventResponses[keyof JourneyEventResponses];

export type FiguresSeriesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * From this time on. Default: an hour before to. Unix time in milliseconds.
         */
        from?: number;
        /**
         * Before this time. Default: now. Unix time in milliseconds.
         */
        to?: number;
        /**
         * How long a step is, in milliseconds: whole minutes, and at most 1,500 steps. Where minutes are no longer kept, an hour at least. Default: one that gives at most 200 steps.
         */
        step?: number;
        /**
         * Requests, events and errors of this emitter only: the id or name slug of a source or workflow, or the account's id. Without listener, the other figures are its own too, as a listener.
         */
        emitter?: string;
        /**
         * Runs, attempts and what follows of this listener only: the id or name slug of a source or workflow, or the id of a webhook.
         */
        listener?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/figures';
};

export type FiguresSeriesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type FiguresSeriesError = FiguresSeriesErrors[keyof FiguresSeriesErrors];

export type FiguresSeriesResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Figures;
    };
};

export type FiguresSeriesResponse = FiguresSeriesResponses[keyof FiguresSeriesResponses];

export type GraphPageData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Nodes per page, 1 to 1000; default 1000.
         */
        limit?: number;
        /**
         * An end_cursor. Lists only nodes after its node.
         */
        after?: string;
        /**
         * The id of a source, workflow, webhook, consumer or account: only this node, and what it listens to.
         */
        node?: string;
        /**
         * The id of a subscription, whose emitters are listed: those that a glob matches.
         */
        expand?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/graph';
};

export type GraphPageErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type GraphPageError = GraphPageErrors[keyof GraphPageErrors];

export type GraphPageResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Graph;
    };
};

export type GraphPageResponse = GraphPageResponses[keyof GraphPageResponses];

export type NodesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/nodes';
};

export type NodesListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type NodesListError = NodesListErrors[keyof NodesListErrors];

export type NodesListResponses = {
    /**
     * The whole list.
     */
    200: {
        data: Array<Node>;
    };
};

export type NodesListResponse = NodesListResponses[keyof NodesListResponses];

export type DiagnosisGetData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/diagnosis';
};

export type DiagnosisGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DiagnosisGetError = DiagnosisGetErrors[keyof DiagnosisGetErrors];

export type DiagnosisGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Diagnosis;
    };
};

export type DiagnosisGetResponse = DiagnosisGetResponses[keyof DiagnosisGetResponses];

export type ClockReleaseData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/clock';
};

export type ClockReleaseErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The server was not started with a dev clock: its clock is real time.
     */
    409: ClockFixedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ClockReleaseError = ClockReleaseErrors[keyof ClockReleaseErrors];

export type ClockReleaseResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Clock;
    };
};

export type ClockReleaseResponse = ClockReleaseResponses[keyof ClockReleaseResponses];

export type ClockGetData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/clock';
};

export type ClockGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ClockGetError = ClockGetErrors[keyof ClockGetErrors];

export type ClockGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Clock;
    };
};

export type ClockGetResponse = ClockGetResponses[keyof ClockGetResponses];

export type ClockFreezeData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/clock/freeze';
};

export type ClockFreezeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The server was not started with a dev clock: its clock is real time. | The same `Idempotency-Key` came with another request.
     */
    409: ClockFixedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ClockFreezeError = ClockFreezeErrors[keyof ClockFreezeErrors];

export type ClockFreezeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Clock;
    };
};

export type ClockFreezeResponse = ClockFreezeResponses[keyof ClockFreezeResponses];

export type ClockAdvanceData = {
    /**
     * One of to, by and to_next is required.
     */
    body: {
        /**
         * To this time, in Unix milliseconds.
         */
        to?: number;
        /**
         * By so many milliseconds.
         */
        by?: number;
        /**
         * To the next time at which anything is due.
         */
        to_next?: true;
        /**
         * After so much due work it goes no further. What is due at the same time is done together.
         */
        max_fired?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/clock/advance';
};

export type ClockAdvanceErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The server was not started with a dev clock: its clock is real time. | An advance of the clock is under way: there is one at a time. | The same `Idempotency-Key` came with another request.
     */
    409: ClockFixedProblem | ClockAdvancingProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ClockAdvanceError = ClockAdvanceErrors[keyof ClockAdvanceErrors];

export type ClockAdvanceResponses = {
    /**
     * The current resource.
     */
    202: {
        data: ClockOperation;
    };
};

export type ClockAdvanceResponse = ClockAdvanceResponses[keyof ClockAdvanceResponses];

export type ClockOperationData = {
    body?: never;
    path: {
        /**
         * The operation's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/clock/operations/{id}';
};

export type ClockOperationErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type ClockOperationError = ClockOperationErrors[keyof ClockOperationErrors];

export type ClockOperationResponses = {
    /**
     * The current resource.
     */
    200: {
        data: ClockOperation;
    };
};

export type ClockOperationResponse = ClockOperationResponses[keyof ClockOperationResponses];

export type SubscriptionsDeleteData = {
    /**
     * Extension: The same parameters as a JSON object.
     */
    body?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path?: never;
    query?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/subscriptions';
};

export type SubscriptionsDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SubscriptionsDeleteError = SubscriptionsDeleteErrors[keyof SubscriptionsDeleteErrors];

export type SubscriptionsDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type SubscriptionsDeleteResponse = SubscriptionsDeleteResponses[keyof SubscriptionsDeleteResponses];

export type SubscriptionsCreateData = {
    /**
     * Extension: The same parameters as a JSON object, a filter, and whether events go together.
     */
    body?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: Where a new subscription starts: beginning, or the id of the first event to deliver. If that event is gone, delivery starts at the next one. Default: the end of the log.
         */
        from?: string;
        /**
         * Extension: What events have to pass. Default: all are delivered.
         */
        filter?: Filter;
        /**
         * Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See docs/delivery.md, "Batches". Default: each event goes alone.
         */
        batch?: {
            /**
             * So many events at most, 1 to 1000. Default: 100.
             */
            max_events?: number;
            /**
             * How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default: 1000.
             */
            max_wait_ms?: number;
            /**
             * So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone. Default: 1048576.
             */
            max_bytes?: number;
        };
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: Where a new subscription starts: beginning, or the id of the first event to deliver. If that event is gone, delivery starts at the next one. Default: the end of the log.
         */
        from?: string;
    };
    url: '/v1/subscriptions';
};

export type SubscriptionsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SubscriptionsCreateError = SubscriptionsCreateErrors[keyof SubscriptionsCreateErrors];

export type SubscriptionsCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Subscription;
    };
};

export type SubscriptionsCreateResponse = SubscriptionsCreateResponses[keyof SubscriptionsCreateResponses];

export type SubscriptionsUpdateData = {
    /**
     * The same parameters as a JSON object, and what to change.
     */
    body?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * What events have to pass; null removes it. Default: unchanged.
         */
        filter?: Filter | null;
        /**
         * Has events go together, or otherwise than before; null has each go alone. Default: unchanged.
         */
        batch?: {
            /**
             * So many events at most, 1 to 1000. Default: 100.
             */
            max_events?: number;
            /**
             * How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default: 1000.
             */
            max_wait_ms?: number;
            /**
             * So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone. Default: 1048576.
             */
            max_bytes?: number;
        } | null;
    };
    path?: never;
    query?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/subscriptions';
};

export type SubscriptionsUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SubscriptionsUpdateError = SubscriptionsUpdateErrors[keyof SubscriptionsUpdateErrors];

export type SubscriptionsUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Subscription;
    };
};

export type SubscriptionsUpdateResponse = SubscriptionsUpdateResponses[keyof SubscriptionsUpdateResponses];

export type SubscriptionsPreviewData = {
    /**
     * The same parameters as a JSON object, and a filter, which need not be one that a subscription has.
     */
    body?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: What events have to pass. Default: all are delivered.
         */
        filter?: Filter;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow, dc_* every source.
         */
        emitter_id?: string;
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitter gives. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * How many events to check, 1 to 100; default 10.
         */
        limit?: number;
    };
    url: '/v1/subscriptions/preview';
};

export type SubscriptionsPreviewErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SubscriptionsPreviewError = SubscriptionsPreviewErrors[keyof SubscriptionsPreviewErrors];

export type SubscriptionsPreviewResponses = {
    /**
     * The current resource.
     */
    200: {
        data: SubscriptionPreview;
    };
};

export type SubscriptionsPreviewResponse = SubscriptionsPreviewResponses[keyof SubscriptionsPreviewResponses];

export type SubscriptionsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/subscriptions';
};

export type SubscriptionsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type SubscriptionsListError = SubscriptionsListErrors[keyof SubscriptionsListErrors];

export type SubscriptionsListResponses = {
    /**
     * The whole list.
     */
    200: {
        data: Array<Subscription>;
    };
};

export type SubscriptionsListResponse = SubscriptionsListResponses[keyof SubscriptionsListResponses];

export type AutoSubscriptionsCreateData = {
    /**
     * Extension: The same parameters as a JSON object, and the filter and batch of the subscriptions that it makes.
     */
    body?: {
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitters give. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: What events have to pass. Default: all are delivered.
         */
        filter?: Filter;
        /**
         * Extension: The events of one emitter go to the listener together: to a webhook as one request whose body is the JSON list of the payloads, to a source or workflow whose component asks for lists as one run. See docs/delivery.md, "Batches". Default: each event goes alone.
         */
        batch?: {
            /**
             * So many events at most, 1 to 1000. Default: 100.
             */
            max_events?: number;
            /**
             * How long the oldest event waits for others, from when it was appended, in milliseconds, 0 to 3600000. Default: 1000.
             */
            max_wait_ms?: number;
            /**
             * So many bytes at most, of the JSON list of the payloads, 1024 to 4194304. An event that is larger goes alone. Default: 1048576.
             */
            max_bytes?: number;
        };
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Required. A source, workflow or webhook.
         */
        listener_id?: string;
        /**
         * The event stream: $errors, $logs, default, or a name the emitters give. Default: the default one.
         */
        event_name?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/auto_subscriptions';
};

export type AutoSubscriptionsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AutoSubscriptionsCreateError = AutoSubscriptionsCreateErrors[keyof AutoSubscriptionsCreateErrors];

export type AutoSubscriptionsCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AutoSubscription;
    };
};

export type AutoSubscriptionsCreateResponse = AutoSubscriptionsCreateResponses[keyof AutoSubscriptionsCreateResponses];

export type AutoSubscriptionsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/auto_subscriptions';
};

export type AutoSubscriptionsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AutoSubscriptionsListError = AutoSubscriptionsListErrors[keyof AutoSubscriptionsListErrors];

export type AutoSubscriptionsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<AutoSubscription>;
    };
};

export type AutoSubscriptionsListResponse = AutoSubscriptionsListResponses[keyof AutoSubscriptionsListResponses];

export type AutoSubscriptionsDeleteData = {
    body?: never;
    path: {
        /**
         * The auto-subscription's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/auto_subscriptions/{id}';
};

export type AutoSubscriptionsDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AutoSubscriptionsDeleteError = AutoSubscriptionsDeleteErrors[keyof AutoSubscriptionsDeleteErrors];

export type AutoSubscriptionsDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type AutoSubscriptionsDeleteResponse = AutoSubscriptionsDeleteResponses[keyof AutoSubscriptionsDeleteResponses];

export type WebhooksCreateData = {
    /**
     * Extension: The parameters as a JSON object, which overrides the query.
     */
    body?: {
        /**
         * Required. An http or https URL with a hostname; a port and a path are allowed.
         */
        url?: string;
        /**
         * For people. Default: null.
         */
        name?: string;
        /**
         * For people. Default: null.
         */
        description?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
        /**
         * Extension: ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those behind it go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start in order and overlap. Default: ordered.
         */
        ordering?: 'ordered' | 'strict' | 'none' | null;
        /**
         * Extension: First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if it is below 4, they take turns with first attempts. Default: 16.
         */
        concurrency?: number | null;
        /**
         * Extension: How many attempts begin within a time; null for as many as there are. Default: null.
         */
        rate_limit?: {
            limit: number;
            interval_seconds: number;
            /**
             * How many may begin together after a pause. Default: 1.
             */
            burst?: number;
        } | null;
        /**
         * Extension: Seconds to wait before each retry, 20 % more or less. Empty: no retries. Default: 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400.
         */
        retry_schedule?: Array<number> | null;
        /**
         * Extension: How long the endpoint has to answer, in milliseconds. Default: 15000.
         */
        timeout_ms?: number | null;
        /**
         * Extension: When to stop sending to an endpoint that fails; null for never. Default: null.
         */
        circuit?: WebhookCircuit | null;
        /**
         * Extension: What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both. Default: hmac.
         */
        signature?: 'hmac' | 'ed25519' | 'both' | null;
        /**
         * Extension: Larger payloads are not sent: their deliveries are exhausted, with the error class too_large. Default: no limit beside that on events.
         */
        max_bytes?: number | null;
        /**
         * Extension: Whether HTTP/2 is spoken with the endpoint if it offers it over TLS. Default: true.
         */
        http2?: boolean | null;
        /**
         * Extension: Sent with each delivery. Not host, content-length, webhook-* and others that the server sends. Together with secret_headers at most 32, and 8192 bytes.
         */
        headers?: {
            [key: string]: string;
        } | null;
        /**
         * Extension: As headers, with values that are never shown again: *** stands for each, and given back keeps it.
         */
        secret_headers?: {
            [key: string]: string;
        } | null;
        /**
         * Extension: What TLS connections to the endpoint are made with. Default: the public authorities, and no certificate.
         */
        tls?: GivenWebhookTls | null;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Required. An http or https URL with a hostname; a port and a path are allowed.
         */
        url?: string;
        /**
         * For people. Default: null.
         */
        name?: string;
        /**
         * For people. Default: null.
         */
        description?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks';
};

export type WebhooksCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksCreateError = WebhooksCreateErrors[keyof WebhooksCreateErrors];

export type WebhooksCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: CreatedWebhook;
    };
};

export type WebhooksCreateResponse = WebhooksCreateResponses[keyof WebhooksCreateResponses];

export type WebhooksListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/webhooks';
};

export type WebhooksListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksListError = WebhooksListErrors[keyof WebhooksListErrors];

export type WebhooksListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<Webhook>;
    };
};

export type WebhooksListResponse = WebhooksListResponses[keyof WebhooksListResponses];

export type WebhooksDeleteData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}';
};

export type WebhooksDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksDeleteError = WebhooksDeleteErrors[keyof WebhooksDeleteErrors];

export type WebhooksDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type WebhooksDeleteResponse = WebhooksDeleteResponses[keyof WebhooksDeleteResponses];

export type WebhooksGetData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}';
};

export type WebhooksGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksGetError = WebhooksGetErrors[keyof WebhooksGetErrors];

export type WebhooksGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookDetails;
    };
};

export type WebhooksGetResponse = WebhooksGetResponses[keyof WebhooksGetResponses];

export type WebhooksUpdateData = {
    body: {
        /**
         * An http or https URL with a hostname.
         */
        url?: string;
        /**
         * null removes it.
         */
        name?: string | null;
        /**
         * null removes it.
         */
        description?: string | null;
        /**
         * Default: true. An inactive webhook keeps its place in the log and continues from there.
         */
        active?: boolean;
        /**
         * ordered: for each emitter one first attempt at a time, in order; what fails is retried later, and those behind it go on. strict: what fails holds those behind it until it is delivered or given up. none: first attempts start in order and overlap. null: the default.
         */
        ordering?: 'ordered' | 'strict' | 'none' | null;
        /**
         * First attempts at once, over all emitters. Retries have a quarter as many slots of their own, up to 4; if it is below 4, they take turns with first attempts. null: the default.
         */
        concurrency?: number | null;
        /**
         * How many attempts begin within a time; null for as many as there are.
         */
        rate_limit?: {
            limit: number;
            interval_seconds: number;
            /**
             * How many may begin together after a pause. Default: 1.
             */
            burst?: number;
        } | null;
        /**
         * Seconds to wait before each retry, 20 % more or less. Empty: no retries. null: the default.
         */
        retry_schedule?: Array<number> | null;
        /**
         * How long the endpoint has to answer, in milliseconds. null: the default.
         */
        timeout_ms?: number | null;
        /**
         * When to stop sending to an endpoint that fails; null for never.
         */
        circuit?: WebhookCircuit | null;
        /**
         * Extension: What signs deliveries: the secret (hmac, as v1), the private key (ed25519, as v1a), or both. Default: hmac.
         */
        signature?: 'hmac' | 'ed25519' | 'both' | null;
        /**
         * Extension: Larger payloads are not sent: their deliveries are exhausted, with the error class too_large. Default: no limit beside that on events.
         */
        max_bytes?: number | null;
        /**
         * Extension: Whether HTTP/2 is spoken with the endpoint if it offers it over TLS. Default: true.
         */
        http2?: boolean | null;
        /**
         * Extension: Sent with each delivery. Not host, content-length, webhook-* and others that the server sends. Together with secret_headers at most 32, and 8192 bytes.
         */
        headers?: {
            [key: string]: string;
        } | null;
        /**
         * Extension: As headers, with values that are never shown again: *** stands for each, and given back keeps it.
         */
        secret_headers?: {
            [key: string]: string;
        } | null;
        /**
         * Extension: What TLS connections to the endpoint are made with. Default: the public authorities, and no certificate.
         */
        tls?: GivenWebhookTls | null;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/webhooks/{id}';
};

export type WebhooksUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksUpdateError = WebhooksUpdateErrors[keyof WebhooksUpdateErrors];

export type WebhooksUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookDetails;
    };
};

export type WebhooksUpdateResponse = WebhooksUpdateResponses[keyof WebhooksUpdateResponses];

export type WebhooksGetSecretData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/secret';
};

export type WebhooksGetSecretErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksGetSecretError = WebhooksGetSecretErrors[keyof WebhooksGetSecretErrors];

export type WebhooksGetSecretResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookSecret;
    };
};

export type WebhooksGetSecretResponse = WebhooksGetSecretResponses[keyof WebhooksGetSecretResponses];

export type WebhooksRotateSecretData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/secret/rotate';
};

export type WebhooksRotateSecretErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksRotateSecretError = WebhooksRotateSecretErrors[keyof WebhooksRotateSecretErrors];

export type WebhooksRotateSecretResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookSecret;
    };
};

export type WebhooksRotateSecretResponse = WebhooksRotateSecretResponses[keyof WebhooksRotateSecretResponses];

export type WebhooksGetPublicKeyData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/public_key';
};

export type WebhooksGetPublicKeyErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksGetPublicKeyError = WebhooksGetPublicKeyErrors[keyof WebhooksGetPublicKeyErrors];

export type WebhooksGetPublicKeyResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookPublicKey;
    };
};

export type WebhooksGetPublicKeyResponse = WebhooksGetPublicKeyResponses[keyof WebhooksGetPublicKeyResponses];

export type WebhooksRotatePublicKeyData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/public_key/rotate';
};

export type WebhooksRotatePublicKeyErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksRotatePublicKeyError = WebhooksRotatePublicKeyErrors[keyof WebhooksRotatePublicKeyErrors];

export type WebhooksRotatePublicKeyResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookPublicKey;
    };
};

export type WebhooksRotatePublicKeyResponse = WebhooksRotatePublicKeyResponses[keyof WebhooksRotatePublicKeyResponses];

export type WebhooksTestData = {
    body?: {
        /**
         * What to send. Default: the payload of the event, or a sample.
         */
        payload?: unknown;
        /**
         * The source or workflow (by id or name slug) whose event is sent. Default: none, and a sample event is.
         */
        emitter_id?: string;
        /**
         * The event's id in the log of emitter_id.
         */
        event_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/test';
};

export type WebhooksTestErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksTestError = WebhooksTestErrors[keyof WebhooksTestErrors];

export type WebhooksTestResponses = {
    /**
     * The current resource.
     */
    200: {
        data: TestedWebhook;
    };
};

export type WebhooksTestResponse = WebhooksTestResponses[keyof WebhooksTestResponses];

export type WebhooksPauseData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/pause';
};

export type WebhooksPauseErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksPauseError = WebhooksPauseErrors[keyof WebhooksPauseErrors];

export type WebhooksPauseResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Webhook;
    };
};

export type WebhooksPauseResponse = WebhooksPauseResponses[keyof WebhooksPauseResponses];

export type WebhooksResumeData = {
    body?: {
        /**
         * place, the default: it continues where it stood. now: what waits for a first attempt or a retry is dropped, and it continues with what is emitted from now on.
         */
        from?: 'place' | 'now';
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/resume';
};

export type WebhooksResumeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksResumeError = WebhooksResumeErrors[keyof WebhooksResumeErrors];

export type WebhooksResumeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Webhook;
    };
};

export type WebhooksResumeResponse = WebhooksResumeResponses[keyof WebhooksResumeResponses];

export type WebhooksForceNextData = {
    body?: {
        /**
         * Only the line of this source or workflow (by id or name slug) or account. Default: all.
         */
        emitter_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/force-next';
};

export type WebhooksForceNextErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WebhooksForceNextError = WebhooksForceNextErrors[keyof WebhooksForceNextErrors];

export type WebhooksForceNextResponses = {
    /**
     * The current resource.
     */
    202: {
        data: ForcedLines;
    };
};

export type WebhooksForceNextResponse = WebhooksForceNextResponses[keyof WebhooksForceNextResponses];

export type DeliveriesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * To this webhook.
         */
        webhook_id?: string;
        /**
         * Of this subscription, even if it is deleted.
         */
        subscription_id?: string;
        /**
         * Of events of this source, workflow (by id or name slug) or account.
         */
        emitter_id?: string;
        /**
         * Of events of this stream; empty or default for the default one.
         */
        event_name?: string;
        /**
         * Of the event with this id.
         */
        event_id?: string;
        /**
         * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
         */
        state?: 'pending' | 'delivered' | 'exhausted' | 'dropped';
        /**
         * Whose last attempt failed in this way.
         */
        error_class?: 'status' | 'throttled' | 'redirect' | 'gone' | 'refused' | 'dns' | 'connect' | 'tls' | 'certificate' | 'timeout' | 'reset' | 'protocol' | 'too_large';
        /**
         * Whose last attempt was answered with this status (503) or class of statuses (5xx).
         */
        status?: string;
        /**
         * Begun at this time or later. Unix time in milliseconds.
         */
        since?: number;
        /**
         * Begun before this time. Unix time in milliseconds.
         */
        until?: number;
        /**
         * Whose last attempt was made at this time or later. Unix time in milliseconds.
         */
        last_attempt_since?: number;
        /**
         * Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
         */
        text?: string;
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/deliveries';
};

export type DeliveriesListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesListError = DeliveriesListErrors[keyof DeliveriesListErrors];

export type DeliveriesListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<Delivery>;
    };
};

export type DeliveriesListResponse = DeliveriesListResponses[keyof DeliveriesListResponses];

export type DeliveriesOfWebhookData = {
    body?: never;
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: {
        /**
         * Of this subscription, even if it is deleted.
         */
        subscription_id?: string;
        /**
         * Of events of this source, workflow (by id or name slug) or account.
         */
        emitter_id?: string;
        /**
         * Of events of this stream; empty or default for the default one.
         */
        event_name?: string;
        /**
         * Of the event with this id.
         */
        event_id?: string;
        /**
         * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
         */
        state?: 'pending' | 'delivered' | 'exhausted' | 'dropped';
        /**
         * Whose last attempt failed in this way.
         */
        error_class?: 'status' | 'throttled' | 'redirect' | 'gone' | 'refused' | 'dns' | 'connect' | 'tls' | 'certificate' | 'timeout' | 'reset' | 'protocol' | 'too_large';
        /**
         * Whose last attempt was answered with this status (503) or class of statuses (5xx).
         */
        status?: string;
        /**
         * Begun at this time or later. Unix time in milliseconds.
         */
        since?: number;
        /**
         * Begun before this time. Unix time in milliseconds.
         */
        until?: number;
        /**
         * Whose last attempt was made at this time or later. Unix time in milliseconds.
         */
        last_attempt_since?: number;
        /**
         * Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
         */
        text?: string;
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/webhooks/{id}/deliveries';
};

export type DeliveriesOfWebhookErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesOfWebhookError = DeliveriesOfWebhookErrors[keyof DeliveriesOfWebhookErrors];

export type DeliveriesOfWebhookResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<Delivery>;
    };
};

export type DeliveriesOfWebhookResponse = DeliveriesOfWebhookResponses[keyof DeliveriesOfWebhookResponses];

export type DeliveriesDueData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * How long a step is, in milliseconds.
         */
        step?: number;
        /**
         * How many steps.
         */
        steps?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/deliveries/due';
};

export type DeliveriesDueErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesDueError = DeliveriesDueErrors[keyof DeliveriesDueErrors];

export type DeliveriesDueResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DueRetries;
    };
};

export type DeliveriesDueResponse = DeliveriesDueResponses[keyof DeliveriesDueResponses];

export type DeliveriesGetData = {
    body?: never;
    path: {
        /**
         * The delivery's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/deliveries/{id}';
};

export type DeliveriesGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesGetError = DeliveriesGetErrors[keyof DeliveriesGetErrors];

export type DeliveriesGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DeliveryDetails;
    };
};

export type DeliveriesGetResponse = DeliveriesGetResponses[keyof DeliveriesGetResponses];

export type DeliveriesRetryData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The delivery's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/deliveries/{id}/retry';
};

export type DeliveriesRetryErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The event or the subscription of the delivery was deleted. | The same `Idempotency-Key` came with another request.
     */
    409: DeliveryNotRepeatableProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesRetryError = DeliveriesRetryErrors[keyof DeliveriesRetryErrors];

export type DeliveriesRetryResponses = {
    /**
     * The current resource.
     */
    202: {
        data: Delivery;
    };
};

export type DeliveriesRetryResponse = DeliveriesRetryResponses[keyof DeliveriesRetryResponses];

export type DeliveriesSkipData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The delivery's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/deliveries/{id}/skip';
};

export type DeliveriesSkipErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The delivery waits for no attempt. Only a pending delivery can be skipped. | The same `Idempotency-Key` came with another request.
     */
    409: DeliveryNotPendingProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DeliveriesSkipError = DeliveriesSkipErrors[keyof DeliveriesSkipErrors];

export type DeliveriesSkipResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Delivery;
    };
};

export type DeliveriesSkipResponse = DeliveriesSkipResponses[keyof DeliveriesSkipResponses];

export type BulkActionsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/bulk_actions';
};

export type BulkActionsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsListError = BulkActionsListErrors[keyof BulkActionsListErrors];

export type BulkActionsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<BulkAction>;
    };
};

export type BulkActionsListResponse = BulkActionsListResponses[keyof BulkActionsListResponses];

export type BulkActionsCreateData = {
    body: {
        /**
         * retry: attempts deliveries once more; of all states but delivered, unless the filter names one. replay: sends events again, apart from the accounting of their subscriptions. skip: drops pending deliveries. cancel: gives pending deliveries up, so that they are exhausted.
         */
        action: 'retry' | 'replay' | 'skip' | 'cancel';
        /**
         * What is meant: all of it must hold. It is asked anew for each page, for what began before the action did. A replay without state, error_class, status, event_id, last_attempt_since and text reads the log, and since and until are times of events there.
         */
        filter: {
            /**
             * To this webhook.
             */
            webhook_id?: string;
            /**
             * Of this subscription, even if it is deleted.
             */
            subscription_id?: string;
            /**
             * Of events of this source, workflow (by id or name slug) or account.
             */
            emitter_id?: string;
            /**
             * Of events of this stream; empty or default for the default one.
             */
            event_name?: string;
            /**
             * Of the event with this id.
             */
            event_id?: string;
            /**
             * pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up after the last attempt. dropped: its event or its subscription was deleted before it arrived, or somebody skipped it.
             */
            state?: 'pending' | 'delivered' | 'exhausted' | 'dropped';
            /**
             * Whose last attempt failed in this way.
             */
            error_class?: 'status' | 'throttled' | 'redirect' | 'gone' | 'refused' | 'dns' | 'connect' | 'tls' | 'certificate' | 'timeout' | 'reset' | 'protocol' | 'too_large';
            /**
             * Whose last attempt was answered with this status (503) or class of statuses (5xx).
             */
            status?: string;
            /**
             * Begun at this time or later. Unix time in milliseconds.
             */
            since?: number;
            /**
             * Begun before this time. Unix time in milliseconds.
             */
            until?: number;
            /**
             * Whose last attempt was made at this time or later. Unix time in milliseconds.
             */
            last_attempt_since?: number;
            /**
             * Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
             */
            text?: string;
            /**
             * From this event of emitter_id on, or the next one if it is gone.
             */
            from?: string;
            /**
             * Up to this event of emitter_id.
             */
            to?: string;
        };
        /**
         * Only counts what matches. Default: false.
         */
        dry_run?: boolean;
        /**
         * Attempts a second at each webhook, at most. Default: 100.
         */
        rate_limit?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/bulk_actions';
};

export type BulkActionsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * As many bulk actions of the account have not ended as are allowed. | The same `Idempotency-Key` came with another request.
     */
    409: BulkActionsFullProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsCreateError = BulkActionsCreateErrors[keyof BulkActionsCreateErrors];

export type BulkActionsCreateResponses = {
    /**
     * The current resource.
     */
    202: {
        data: BulkAction;
    };
};

export type BulkActionsCreateResponse = BulkActionsCreateResponses[keyof BulkActionsCreateResponses];

export type BulkActionsReplayData = {
    body: {
        /**
         * A source or workflow (by id or name slug) or account: only its events.
         */
        emitter_id?: string;
        /**
         * From this event of emitter_id on, or the next one if it is gone.
         */
        from?: string;
        /**
         * Up to this event of emitter_id.
         */
        to?: string;
        /**
         * Begun at this time or later. Unix time in milliseconds.
         */
        since?: number;
        /**
         * Begun before this time. Unix time in milliseconds.
         */
        until?: number;
        /**
         * Attempts a second at each webhook, at most.
         */
        rate_limit?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The webhook's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/webhooks/{id}/replay';
};

export type BulkActionsReplayErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * As many bulk actions of the account have not ended as are allowed. | The same `Idempotency-Key` came with another request.
     */
    409: BulkActionsFullProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsReplayError = BulkActionsReplayErrors[keyof BulkActionsReplayErrors];

export type BulkActionsReplayResponses = {
    /**
     * The current resource.
     */
    202: {
        data: BulkAction;
    };
};

export type BulkActionsReplayResponse = BulkActionsReplayResponses[keyof BulkActionsReplayResponses];

export type BulkActionsGetData = {
    body?: never;
    path: {
        /**
         * The bulk action's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/bulk_actions/{id}';
};

export type BulkActionsGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsGetError = BulkActionsGetErrors[keyof BulkActionsGetErrors];

export type BulkActionsGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: BulkAction;
    };
};

export type BulkActionsGetResponse = BulkActionsGetResponses[keyof BulkActionsGetResponses];

export type BulkActionsUpdateData = {
    body: {
        /**
         * Attempts a second at each webhook, at most.
         */
        rate_limit?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The bulk action's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/bulk_actions/{id}';
};

export type BulkActionsUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The bulk action is done, or was cancelled.
     */
    409: BulkActionEndedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsUpdateError = BulkActionsUpdateErrors[keyof BulkActionsUpdateErrors];

export type BulkActionsUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: BulkAction;
    };
};

export type BulkActionsUpdateResponse = BulkActionsUpdateResponses[keyof BulkActionsUpdateResponses];

export type BulkActionsPauseData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The bulk action's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/bulk_actions/{id}/pause';
};

export type BulkActionsPauseErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The bulk action is done, or was cancelled. | The same `Idempotency-Key` came with another request.
     */
    409: BulkActionEndedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsPauseError = BulkActionsPauseErrors[keyof BulkActionsPauseErrors];

export type BulkActionsPauseResponses = {
    /**
     * The current resource.
     */
    200: {
        data: BulkAction;
    };
};

export type BulkActionsPauseResponse = BulkActionsPauseResponses[keyof BulkActionsPauseResponses];

export type BulkActionsResumeData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The bulk action's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/bulk_actions/{id}/resume';
};

export type BulkActionsResumeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The bulk action is done, or was cancelled. | The same `Idempotency-Key` came with another request.
     */
    409: BulkActionEndedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsResumeError = BulkActionsResumeErrors[keyof BulkActionsResumeErrors];

export type BulkActionsResumeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: BulkAction;
    };
};

export type BulkActionsResumeResponse = BulkActionsResumeResponses[keyof BulkActionsResumeResponses];

export type BulkActionsCancelData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The bulk action's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/bulk_actions/{id}/cancel';
};

export type BulkActionsCancelErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The bulk action is done, or was cancelled. | The same `Idempotency-Key` came with another request.
     */
    409: BulkActionEndedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type BulkActionsCancelError = BulkActionsCancelErrors[keyof BulkActionsCancelErrors];

export type BulkActionsCancelResponses = {
    /**
     * The current resource.
     */
    200: {
        data: BulkAction;
    };
};

export type BulkActionsCancelResponse = BulkActionsCancelResponses[keyof BulkActionsCancelResponses];

export type UsersMeData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me';
};

export type UsersMeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type UsersMeError = UsersMeErrors[keyof UsersMeErrors];

export type UsersMeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: FreeUser | PaidUser;
    };
};

export type UsersMeResponse = UsersMeResponses[keyof UsersMeResponses];

export type KeysListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/keys';
};

export type KeysListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type KeysListError = KeysListErrors[keyof KeysListErrors];

export type KeysListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<Key>;
    };
};

export type KeysListResponse = KeysListResponses[keyof KeysListResponses];

export type KeysCreateData = {
    body?: {
        /**
         * What the key is for. Default: empty.
         */
        name?: string;
        /**
         * What the key may do: read, run or write. Default: write.
         */
        scope?: 'read' | 'run' | 'write';
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/keys';
};

export type KeysCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type KeysCreateError = KeysCreateErrors[keyof KeysCreateErrors];

export type KeysCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: NewKey;
    };
};

export type KeysCreateResponse = KeysCreateResponses[keyof KeysCreateResponses];

export type KeysRotateData = {
    body?: {
        /**
         * Seconds for which the old key stays valid, 0 to 2592000 (30 days). Default: 86400 (a day).
         */
        overlap_seconds?: number;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The key's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/keys/{id}/rotate';
};

export type KeysRotateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type KeysRotateError = KeysRotateErrors[keyof KeysRotateErrors];

export type KeysRotateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: NewKey;
    };
};

export type KeysRotateResponse = KeysRotateResponses[keyof KeysRotateResponses];

export type KeysRevokeData = {
    body?: never;
    path: {
        /**
         * The key's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/keys/{id}';
};

export type KeysRevokeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type KeysRevokeError = KeysRevokeErrors[keyof KeysRevokeErrors];

export type KeysRevokeResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type KeysRevokeResponse = KeysRevokeResponses[keyof KeysRevokeResponses];

export type AuditListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Of the key with this id, also in sessions.
         */
        key?: string;
        /**
         * Of the session with this id.
         */
        session?: string;
        /**
         * Of this operation, by its id in this document.
         */
        operation?: string;
        /**
         * At this time or later. Unix time in seconds.
         */
        from?: number;
        /**
         * Before this time. Unix time in seconds.
         */
        to?: number;
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/audit';
};

export type AuditListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AuditListError = AuditListErrors[keyof AuditListErrors];

export type AuditListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<AuditEntry>;
    };
};

export type AuditListResponse = AuditListResponses[keyof AuditListResponses];

export type AppAccountsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/accounts';
};

export type AppAccountsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsListError = AppAccountsListErrors[keyof AppAccountsListErrors];

export type AppAccountsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<AppAccount>;
    };
};

export type AppAccountsListResponse = AppAccountsListResponses[keyof AppAccountsListResponses];

export type AppAccountsCreateData = {
    body: {
        /**
         * The app's name in component code, such as shop in {type: "app", app: "shop"}.
         */
        app: string;
        /**
         * A name for the account. Default: empty.
         */
        name?: string;
        /**
         * The object that the code gets as $auth. Encrypted at rest and never shown. Required without oauth; with it, what $auth has beside oauth_access_token, and parts of the provider's URLs.
         */
        credentials?: {
            [key: string]: unknown;
        };
        /**
         * The account is over OAuth 2: the server renews its token, which the code gets as $auth.oauth_access_token.
         */
        oauth?: {
            client_id: string;
            provider?: OAuthProvider | null;
            /**
             * Encrypted at rest and never shown.
             */
            client_secret?: string;
            /**
             * What the user is asked for. Default: none.
             */
            scopes?: Array<string>;
            authorization_url?: string | null;
            token_url?: string | null;
            device_url?: string | null;
            client_authentication?: 'basic' | 'post' | 'none' | null;
            /**
             * Parameters of the authorization URL beside the usual ones.
             */
            parameters?: {
                [key: string]: string;
            };
            /**
             * A token that there is already.
             */
            access_token?: string;
            /**
             * A refresh token that there is already. Without an access token and its expires_at it is used at once.
             */
            refresh_token?: string;
            /**
             * When the access token that is given ends. Unix time in seconds.
             */
            expires_at?: number;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/accounts';
};

export type AppAccountsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsCreateError = AppAccountsCreateErrors[keyof AppAccountsCreateErrors];

export type AppAccountsCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AppAccount;
    };
};

export type AppAccountsCreateResponse = AppAccountsCreateResponses[keyof AppAccountsCreateResponses];

export type AppAccountsDeleteData = {
    body?: never;
    path: {
        /**
         * The account's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/accounts/{id}';
};

export type AppAccountsDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsDeleteError = AppAccountsDeleteErrors[keyof AppAccountsDeleteErrors];

export type AppAccountsDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type AppAccountsDeleteResponse = AppAccountsDeleteResponses[keyof AppAccountsDeleteResponses];

export type AppAccountsGetData = {
    body?: never;
    path: {
        /**
         * The account's id.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/accounts/{id}';
};

export type AppAccountsGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsGetError = AppAccountsGetErrors[keyof AppAccountsGetErrors];

export type AppAccountsGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AppAccount;
    };
};

export type AppAccountsGetResponse = AppAccountsGetResponses[keyof AppAccountsGetResponses];

export type AppAccountsUpdateData = {
    body: {
        /**
         * A name for the account.
         */
        name?: string;
        /**
         * Replaces all earlier credentials, for example with a renewed token. Encrypted at rest and never shown.
         */
        credentials?: {
            [key: string]: unknown;
        };
        /**
         * Changes the client of an account over OAuth 2, or gives it a token. Null has the provider's again.
         */
        oauth?: {
            client_id?: string;
            provider?: OAuthProvider | null;
            /**
             * Encrypted at rest and never shown.
             */
            client_secret?: string;
            /**
             * What the user is asked for. Default: none.
             */
            scopes?: Array<string>;
            authorization_url?: string | null;
            token_url?: string | null;
            device_url?: string | null;
            client_authentication?: 'basic' | 'post' | 'none' | null;
            /**
             * Parameters of the authorization URL beside the usual ones.
             */
            parameters?: {
                [key: string]: string;
            };
            /**
             * A token that there is already.
             */
            access_token?: string;
            /**
             * A refresh token that there is already. Without an access token and its expires_at it is used at once.
             */
            refresh_token?: string;
            /**
             * When the access token that is given ends. Unix time in seconds.
             */
            expires_at?: number;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The account's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/accounts/{id}';
};

export type AppAccountsUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsUpdateError = AppAccountsUpdateErrors[keyof AppAccountsUpdateErrors];

export type AppAccountsUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AppAccount;
    };
};

export type AppAccountsUpdateResponse = AppAccountsUpdateResponses[keyof AppAccountsUpdateResponses];

export type AppAccountsConnectData = {
    body: {
        /**
         * The user enters a code on a page of the provider's. Default: the provider sends the user back.
         */
        device?: boolean;
        /**
         * Where the user's browser goes in the end, with the confirmation in the query: console, or a URL on 127.0.0.1. Default: a page that shows it.
         */
        return_to?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The account's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/accounts/{id}/connect';
};

export type AppAccountsConnectErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The provider gives no token, or can't be reached: the message says why. | The same `Idempotency-Key` came with another request.
     */
    409: ConnectionRefusedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsConnectError = AppAccountsConnectErrors[keyof AppAccountsConnectErrors];

export type AppAccountsConnectResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AccountConnection;
    };
};

export type AppAccountsConnectResponse = AppAccountsConnectResponses[keyof AppAccountsConnectResponses];

export type AppAccountsCompleteConnectionData = {
    body: {
        /**
         * What the user's browser got in the end, or the answer for a device.
         */
        confirmation: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The account's id.
         */
        id: string;
    };
    query?: never;
    url: '/v1/accounts/{id}/complete_connection';
};

export type AppAccountsCompleteConnectionErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The user has not entered the device's code yet. | The provider gives no token, or can't be reached: the message says why. | The same `Idempotency-Key` came with another request.
     */
    409: ConnectionPendingProblem | ConnectionRefusedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type AppAccountsCompleteConnectionError = AppAccountsCompleteConnectionErrors[keyof AppAccountsCompleteConnectionErrors];

export type AppAccountsCompleteConnectionResponses = {
    /**
     * The current resource.
     */
    200: {
        data: AppAccount;
    };
};

export type AppAccountsCompleteConnectionResponse = AppAccountsCompleteConnectionResponses[keyof AppAccountsCompleteConnectionResponses];

export type EnvironmentListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Id or slug of the source or workflow that it is for. Default: all of the account.
         */
        program_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/environment_variables';
};

export type EnvironmentListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EnvironmentListError = EnvironmentListErrors[keyof EnvironmentListErrors];

export type EnvironmentListResponses = {
    /**
     * The whole list.
     */
    200: {
        data: Array<EnvironmentVariable>;
    };
};

export type EnvironmentListResponse = EnvironmentListResponses[keyof EnvironmentListResponses];

export type EnvironmentDeleteData = {
    body?: never;
    path: {
        /**
         * The variable's name: letters, digits and _, no digit first.
         */
        name: string;
    };
    query?: {
        /**
         * Id or slug of the source or workflow that it is for. Default: all of the account.
         */
        program_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/environment_variables/{name}';
};

export type EnvironmentDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EnvironmentDeleteError = EnvironmentDeleteErrors[keyof EnvironmentDeleteErrors];

export type EnvironmentDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type EnvironmentDeleteResponse = EnvironmentDeleteResponses[keyof EnvironmentDeleteResponses];

export type EnvironmentGetData = {
    body?: never;
    path: {
        /**
         * The variable's name: letters, digits and _, no digit first.
         */
        name: string;
    };
    query?: {
        /**
         * Id or slug of the source or workflow that it is for. Default: all of the account.
         */
        program_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/environment_variables/{name}';
};

export type EnvironmentGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EnvironmentGetError = EnvironmentGetErrors[keyof EnvironmentGetErrors];

export type EnvironmentGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EnvironmentVariable;
    };
};

export type EnvironmentGetResponse = EnvironmentGetResponses[keyof EnvironmentGetResponses];

export type EnvironmentSetData = {
    body: {
        /**
         * Text of at most 64 KiB.
         */
        value: string;
        /**
         * Whether its value is never shown again. Default: as it was, false for a new one.
         */
        secret?: boolean;
        /**
         * Id or slug of the source or workflow that it is for. Default: all of the account.
         */
        program_id?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The variable's name: letters, digits and _, no digit first.
         */
        name: string;
    };
    query?: never;
    url: '/v1/environment_variables/{name}';
};

export type EnvironmentSetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type EnvironmentSetError = EnvironmentSetErrors[keyof EnvironmentSetErrors];

export type EnvironmentSetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: EnvironmentVariable;
    };
};

export type EnvironmentSetResponse = EnvironmentSetResponses[keyof EnvironmentSetResponses];

export type DataStoresListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores';
};

export type DataStoresListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresListError = DataStoresListErrors[keyof DataStoresListErrors];

export type DataStoresListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<DataStore>;
    };
};

export type DataStoresListResponse = DataStoresListResponses[keyof DataStoresListResponses];

export type DataStoresCreateData = {
    body: {
        /**
         * Its name, unique in the account, of 1 to 255 characters.
         */
        name: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/data_stores';
};

export type DataStoresCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * Another of the account has the name. | The same `Idempotency-Key` came with another request.
     */
    409: NameTakenProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresCreateError = DataStoresCreateErrors[keyof DataStoresCreateErrors];

export type DataStoresCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStore;
    };
};

export type DataStoresCreateResponse = DataStoresCreateResponses[keyof DataStoresCreateResponses];

export type DataStoresDeleteData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}';
};

export type DataStoresDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresDeleteError = DataStoresDeleteErrors[keyof DataStoresDeleteErrors];

export type DataStoresDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DataStoresDeleteResponse = DataStoresDeleteResponses[keyof DataStoresDeleteResponses];

export type DataStoresGetData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}';
};

export type DataStoresGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresGetError = DataStoresGetErrors[keyof DataStoresGetErrors];

export type DataStoresGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStoreWithSize;
    };
};

export type DataStoresGetResponse = DataStoresGetResponses[keyof DataStoresGetResponses];

export type DataStoresUpdateData = {
    body: {
        /**
         * Its name, unique in the account, of 1 to 255 characters.
         */
        name: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: never;
    url: '/v1/data_stores/{id}';
};

export type DataStoresUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * Another of the account has the name.
     */
    409: NameTakenProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresUpdateError = DataStoresUpdateErrors[keyof DataStoresUpdateErrors];

export type DataStoresUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStore;
    };
};

export type DataStoresUpdateResponse = DataStoresUpdateResponses[keyof DataStoresUpdateResponses];

export type DataStoresClearData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}/entries';
};

export type DataStoresClearErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresClearError = DataStoresClearErrors[keyof DataStoresClearErrors];

export type DataStoresClearResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DataStoresClearResponse = DataStoresClearResponses[keyof DataStoresClearResponses];

export type DataStoresEntriesData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * An end_cursor. Lists only entries after its entry.
         */
        after?: string;
        /**
         * Lists only keys that begin so.
         */
        prefix?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}/entries';
};

export type DataStoresEntriesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresEntriesError = DataStoresEntriesErrors[keyof DataStoresEntriesErrors];

export type DataStoresEntriesResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items on this page.
             */
            count: number;
            /**
             * Where the page begins; empty if nothing is there.
             */
            start_cursor: string;
            /**
             * Where the page ends; empty if nothing is there.
             */
            end_cursor: string;
            /**
             * Whether the list goes on in the direction of the request: with after=end_cursor, or, on a page asked for with before alone, with before=start_cursor.
             */
            has_more: boolean;
        };
        data: Array<DataStoreEntry>;
    };
};

export type DataStoresEntriesResponse = DataStoresEntriesResponses[keyof DataStoresEntriesResponses];

export type DataStoresSetEntriesData = {
    body: {
        /**
         * At most 1000 entries. The last of those with one key counts.
         */
        entries: Array<{
            /**
             * The key.
             */
            key: string;
            /**
             * The value: any JSON.
             */
            value: unknown;
            /**
             * Seconds after which it is removed. Default: null, it stays.
             */
            ttl?: number | null;
        }>;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: never;
    url: '/v1/data_stores/{id}/entries';
};

export type DataStoresSetEntriesErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresSetEntriesError = DataStoresSetEntriesErrors[keyof DataStoresSetEntriesErrors];

export type DataStoresSetEntriesResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStoreEntriesSet;
    };
};

export type DataStoresSetEntriesResponse = DataStoresSetEntriesResponses[keyof DataStoresSetEntriesResponses];

export type DataStoresRemoveEntryData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query: {
        /**
         * The key.
         */
        key: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}/entry';
};

export type DataStoresRemoveEntryErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresRemoveEntryError = DataStoresRemoveEntryErrors[keyof DataStoresRemoveEntryErrors];

export type DataStoresRemoveEntryResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type DataStoresRemoveEntryResponse = DataStoresRemoveEntryResponses[keyof DataStoresRemoveEntryResponses];

export type DataStoresEntryData = {
    body?: never;
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query: {
        /**
         * The key.
         */
        key: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/data_stores/{id}/entry';
};

export type DataStoresEntryErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresEntryError = DataStoresEntryErrors[keyof DataStoresEntryErrors];

export type DataStoresEntryResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStoreEntry;
    };
};

export type DataStoresEntryResponse = DataStoresEntryResponses[keyof DataStoresEntryResponses];

export type DataStoresSetEntryData = {
    body: {
        /**
         * The key.
         */
        key: string;
        /**
         * The value: any JSON.
         */
        value: unknown;
        /**
         * Seconds after which it is removed. Default: null, it stays.
         */
        ttl?: number | null;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The data store's id or name.
         */
        id: string;
    };
    query?: never;
    url: '/v1/data_stores/{id}/entry';
};

export type DataStoresSetEntryErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type DataStoresSetEntryError = DataStoresSetEntryErrors[keyof DataStoresSetEntryErrors];

export type DataStoresSetEntryResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DataStoreEntry;
    };
};

export type DataStoresSetEntryResponse = DataStoresSetEntryResponses[keyof DataStoresSetEntryResponses];

export type WorkflowsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/users/me/workflows';
};

export type WorkflowsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsListError = WorkflowsListErrors[keyof WorkflowsListErrors];

export type WorkflowsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<Workflow>;
    };
};

export type WorkflowsListResponse = WorkflowsListResponses[keyof WorkflowsListResponses];

export type WorkflowsCreateData = {
    body: {
        /**
         * An ES module whose default export has a function run({ steps, $ }), or an object of named steps.
         */
        workflow_code?: string;
        /**
         * An http or https URL of the code, or npm:<package>[@version]/<path>. Given together with workflow_code, it is only metadata.
         */
        workflow_url?: string;
        /**
         * Default: the name in the code, else workflow.
         */
        name?: string;
        /**
         * Values by the name of the prop, those of a step as <step>.<prop>.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Default: true. A paused workflow starts no runs and keeps its place in the logs that it listens to.
         */
        active?: boolean;
        /**
         * How many runs may be under way together, not counting waiting runs. With 1, events run in order.
         */
        concurrency?: number;
        rate_limit?: WorkflowRateLimit | null;
        /**
         * Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries.
         */
        retry_delays?: Array<number>;
        /**
         * Which failures of a step go to $errors: each one, or only the last, after which there is no retry.
         */
        errors?: 'each' | 'last';
        /**
         * What becomes of a suspended run that nobody resumes in time.
         */
        suspension_timeout?: 'cancel' | 'resume';
        /**
         * The longest that a step may take, at most what the server allows. null: what the server allows.
         */
        timeout_seconds?: number | null;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/workflows';
};

export type WorkflowsCreateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component.
     */
    422: ComponentInvalidProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsCreateError = WorkflowsCreateErrors[keyof WorkflowsCreateErrors];

export type WorkflowsCreateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Workflow;
    };
};

export type WorkflowsCreateResponse = WorkflowsCreateResponses[keyof WorkflowsCreateResponses];

export type WorkflowsDeleteData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}';
};

export type WorkflowsDeleteErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsDeleteError = WorkflowsDeleteErrors[keyof WorkflowsDeleteErrors];

export type WorkflowsDeleteResponses = {
    /**
     * Done. There is no body.
     */
    204: void;
};

export type WorkflowsDeleteResponse = WorkflowsDeleteResponses[keyof WorkflowsDeleteResponses];

export type WorkflowsGetData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}';
};

export type WorkflowsGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsGetError = WorkflowsGetErrors[keyof WorkflowsGetErrors];

export type WorkflowsGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Workflow;
    };
};

export type WorkflowsGetResponse = WorkflowsGetResponses[keyof WorkflowsGetResponses];

export type WorkflowsUpdateData = {
    body: {
        /**
         * An ES module whose default export has a function run({ steps, $ }), or an object of named steps.
         */
        workflow_code?: string;
        /**
         * An http or https URL of the code, or npm:<package>[@version]/<path>. Given together with workflow_code, it is only metadata.
         */
        workflow_url?: string;
        /**
         * Default: the name in the code, else workflow.
         */
        name?: string;
        /**
         * Values by the name of the prop, those of a step as <step>.<prop>.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Default: true. A paused workflow starts no runs and keeps its place in the logs that it listens to.
         */
        active?: boolean;
        /**
         * How many runs may be under way together, not counting waiting runs. With 1, events run in order.
         */
        concurrency?: number;
        rate_limit?: WorkflowRateLimit | null;
        /**
         * Seconds to wait before each retry of a failed step, one number for each retry. Empty: no retries.
         */
        retry_delays?: Array<number>;
        /**
         * Which failures of a step go to $errors: each one, or only the last, after which there is no retry.
         */
        errors?: 'each' | 'last';
        /**
         * What becomes of a suspended run that nobody resumes in time.
         */
        suspension_timeout?: 'cancel' | 'resume';
        /**
         * The longest that a step may take, at most what the server allows. null: what the server allows.
         */
        timeout_seconds?: number | null;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: never;
    url: '/v1/workflows/{id}';
};

export type WorkflowsUpdateErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component.
     */
    422: ComponentInvalidProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsUpdateError = WorkflowsUpdateErrors[keyof WorkflowsUpdateErrors];

export type WorkflowsUpdateResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Workflow;
    };
};

export type WorkflowsUpdateResponse = WorkflowsUpdateResponses[keyof WorkflowsUpdateResponses];

export type WorkflowsGetSecretData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/secret';
};

export type WorkflowsGetSecretErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsGetSecretError = WorkflowsGetSecretErrors[keyof WorkflowsGetSecretErrors];

export type WorkflowsGetSecretResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WebhookSecret;
    };
};

export type WorkflowsGetSecretResponse = WorkflowsGetSecretResponses[keyof WorkflowsGetSecretResponses];

export type WorkflowsInvokeData = {
    body?: {
        /**
         * What the run gets as steps.trigger.event: any JSON value. Default: null.
         */
        event?: unknown;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/invocations';
};

export type WorkflowsInvokeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The workflow is paused and starts no runs. | The same `Idempotency-Key` came with another request.
     */
    409: WorkflowPausedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * As many requests wait for a run as are allowed. | The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: BacklogFullProblem | QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowsInvokeError = WorkflowsInvokeErrors[keyof WorkflowsInvokeErrors];

export type WorkflowsInvokeResponses = {
    /**
     * The current resource.
     */
    202: {
        data: RunStarted;
    };
};

export type WorkflowsInvokeResponse = WorkflowsInvokeResponses[keyof WorkflowsInvokeResponses];

export type WorkflowRunsListData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * waiting: until somebody resumes it, or a delay, a rerun or a retry is due.
         */
        status?: 'running' | 'waiting' | 'success' | 'error' | 'cancelled';
        /**
         * The reason for which a run waits.
         */
        waits_for?: 'suspend' | 'delay' | 'rerun' | 'retry';
        /**
         * Items per page, 1 to 100; default 10.
         */
        limit?: number;
        /**
         * A cursor from page_info. Lists only items after its item, towards older ones.
         */
        after?: string;
        /**
         * A cursor from page_info. Lists only items before its item, towards newer ones.
         */
        before?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/runs';
};

export type WorkflowRunsListErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowRunsListError = WorkflowRunsListErrors[keyof WorkflowRunsListErrors];

export type WorkflowRunsListResponses = {
    /**
     * A page of the list.
     */
    200: {
        page_info: {
            /**
             * Items in the whole list.
             */
            total_count: number;
            /**
             * Items on this page.
             */
            count: number;
            /**
             * The cursor of this page's first item; empty if there is none.
             */
            start_cursor: string;
            /**
             * The cursor of this page's last item; empty if there is none.
             */
            end_cursor: string;
        };
        data: Array<WorkflowRun>;
    };
};

export type WorkflowRunsListResponse = WorkflowRunsListResponses[keyof WorkflowRunsListResponses];

export type WorkflowRunsGetData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
        /**
         * The run's id.
         */
        run_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/runs/{run_id}';
};

export type WorkflowRunsGetErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowRunsGetError = WorkflowRunsGetErrors[keyof WorkflowRunsGetErrors];

export type WorkflowRunsGetResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WorkflowRunDetails;
    };
};

export type WorkflowRunsGetResponse = WorkflowRunsGetResponses[keyof WorkflowRunsGetResponses];

export type WorkflowRunsRerunData = {
    body?: {
        /**
         * The first step to run. Earlier steps keep their results from the given run. Default: the workflow's first step.
         */
        from_step?: string;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
        /**
         * The run's id.
         */
        run_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/runs/{run_id}/rerun';
};

export type WorkflowRunsRerunErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The workflow is paused and starts no runs. | The same `Idempotency-Key` came with another request.
     */
    409: WorkflowPausedProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * As many requests wait for a run as are allowed. | The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: BacklogFullProblem | QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowRunsRerunError = WorkflowRunsRerunErrors[keyof WorkflowRunsRerunErrors];

export type WorkflowRunsRerunResponses = {
    /**
     * The current resource.
     */
    202: {
        data: RunStarted;
    };
};

export type WorkflowRunsRerunResponse = WorkflowRunsRerunResponses[keyof WorkflowRunsRerunResponses];

export type WorkflowRunsResumeData = {
    body?: {
        /**
         * The body of the request that the steps see as $resume_data: any JSON value. Default: there is no body.
         */
        body?: unknown;
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
        /**
         * The run's id.
         */
        run_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/runs/{run_id}/resume';
};

export type WorkflowRunsResumeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The run is at a step, about to be, or has ended. Only a waiting run can be cancelled or resumed. | The same `Idempotency-Key` came with another request.
     */
    409: RunNotWaitingProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowRunsResumeError = WorkflowRunsResumeErrors[keyof WorkflowRunsResumeErrors];

export type WorkflowRunsResumeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WorkflowRun;
    };
};

export type WorkflowRunsResumeResponse = WorkflowRunsResumeResponses[keyof WorkflowRunsResumeResponses];

export type WorkflowRunsCancelData = {
    body?: never;
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
        /**
         * The run's id.
         */
        run_id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/runs/{run_id}/cancel';
};

export type WorkflowRunsCancelErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The run is at a step, about to be, or has ended. Only a waiting run can be cancelled or resumed. | The same `Idempotency-Key` came with another request.
     */
    409: RunNotWaitingProblem | IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type WorkflowRunsCancelError = WorkflowRunsCancelErrors[keyof WorkflowRunsCancelErrors];

export type WorkflowRunsCancelResponses = {
    /**
     * The current resource.
     */
    200: {
        data: WorkflowRun;
    };
};

export type WorkflowRunsCancelResponse = WorkflowRunsCancelResponses[keyof WorkflowRunsCancelResponses];

export type CodeSourceCodeData = {
    body?: never;
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/code';
};

export type CodeSourceCodeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeSourceCodeError = CodeSourceCodeErrors[keyof CodeSourceCodeErrors];

export type CodeSourceCodeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DeployedCode;
    };
};

export type CodeSourceCodeResponse = CodeSourceCodeResponses[keyof CodeSourceCodeResponses];

export type CodeWorkflowCodeData = {
    body?: never;
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/code';
};

export type CodeWorkflowCodeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeWorkflowCodeError = CodeWorkflowCodeErrors[keyof CodeWorkflowCodeErrors];

export type CodeWorkflowCodeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: DeployedCode;
    };
};

export type CodeWorkflowCodeResponse = CodeWorkflowCodeResponses[keyof CodeWorkflowCodeResponses];

export type CodeCheckData = {
    body: {
        /**
         * Code of a source.
         */
        component_code?: string;
        /**
         * Its URL, as in POST /components.
         */
        component_url?: string;
        /**
         * Code of a workflow.
         */
        workflow_code?: string;
        /**
         * Its URL, as in POST /workflows.
         */
        workflow_url?: string;
        /**
         * Values for which the code is asked which props it adds. It gets no credentials of app accounts.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/code/check';
};

export type CodeCheckErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeCheckError = CodeCheckErrors[keyof CodeCheckErrors];

export type CodeCheckResponses = {
    /**
     * The current resource.
     */
    200: {
        data: CheckedCode;
    };
};

export type CodeCheckResponse = CodeCheckResponses[keyof CodeCheckResponses];

export type CodeTryCodeData = {
    body: {
        /**
         * Code of a source.
         */
        component_code?: string;
        /**
         * Its URL, as in POST /components.
         */
        component_url?: string;
        /**
         * Code of a workflow.
         */
        workflow_code?: string;
        /**
         * Its URL, as in POST /workflows.
         */
        workflow_url?: string;
        /**
         * A saved component by its id or key, or one of the registry.
         */
        component_id?: string;
        /**
         * The source (by id or name slug) in whose place the code is run: with its props, a copy of its store, and what it has emitted. Without any code, its own is run.
         */
        source_id?: string;
        /**
         * The workflow in whose place the code is run.
         */
        workflow_id?: string;
        /**
         * Values of props, in place of those of source_id or workflow_id.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an apphook, timer if it has a timer, or event.
         */
        trigger?: 'http' | 'timer' | 'event' | 'deploy' | 'activate' | 'deactivate';
        /**
         * What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in; a value with none of these is the body. With timer, the default is a tick.
         */
        event?: unknown;
        /**
         * The emitter (by id or name slug) whose event is taken in place of a sample.
         */
        emitter_id?: string;
        /**
         * The event's id in the log of emitter_id.
         */
        event_id?: string;
        /**
         * When the event came about, or the tick fell due. Default: now.
         */
        at_ms?: number;
        /**
         * refuse: the code can open no connection. Default: send, and its requests are made.
         */
        requests?: 'send' | 'refuse';
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/code/trial';
};

export type CodeTryCodeErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component. | The deploy or activate hook threw or ran over a limit.
     */
    422: ComponentInvalidProblem | HookFailedProblem;
    /**
     * The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeTryCodeError = CodeTryCodeErrors[keyof CodeTryCodeErrors];

export type CodeTryCodeResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Trial;
    };
};

export type CodeTryCodeResponse = CodeTryCodeResponses[keyof CodeTryCodeResponses];

export type CodeRunActionData = {
    body: {
        /**
         * The action's code.
         */
        component_code?: string;
        /**
         * Its URL, as in POST /components.
         */
        component_url?: string;
        /**
         * A saved component by its id or key, or one of the registry.
         */
        component_id?: string;
        /**
         * Values of its props. Text is taken for other types where it reads as one.
         */
        configured_props?: {
            [key: string]: unknown;
        };
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path?: never;
    query?: never;
    url: '/v1/actions/run';
};

export type CodeRunActionErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The code does not parse, load in time, or export a component. | The deploy or activate hook threw or ran over a limit.
     */
    422: ComponentInvalidProblem | HookFailedProblem;
    /**
     * The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeRunActionError = CodeRunActionErrors[keyof CodeRunActionErrors];

export type CodeRunActionResponses = {
    /**
     * The current resource.
     */
    200: {
        data: ActionRun;
    };
};

export type CodeRunActionResponse = CodeRunActionResponses[keyof CodeRunActionResponses];

export type CodeTrySourceData = {
    body?: {
        /**
         * What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an apphook, timer if it has a timer, or event.
         */
        trigger?: 'http' | 'timer' | 'event' | 'deploy' | 'activate' | 'deactivate';
        /**
         * What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in; a value with none of these is the body. With timer, the default is a tick.
         */
        event?: unknown;
        /**
         * The emitter (by id or name slug) whose event is taken in place of a sample.
         */
        emitter_id?: string;
        /**
         * The event's id in the log of emitter_id.
         */
        event_id?: string;
        /**
         * When the event came about, or the tick fell due. Default: now.
         */
        at_ms?: number;
        /**
         * refuse: the code can open no connection. Default: send, and its requests are made.
         */
        requests?: 'send' | 'refuse';
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The source's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/sources/{id}/trial';
};

export type CodeTrySourceErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeTrySourceError = CodeTrySourceErrors[keyof CodeTrySourceErrors];

export type CodeTrySourceResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Trial;
    };
};

export type CodeTrySourceResponse = CodeTrySourceResponses[keyof CodeTrySourceResponses];

export type CodeTryWorkflowData = {
    body?: {
        /**
         * What the code is run for. Default: event with event_id; else http if the code has an HTTP interface or an apphook, timer if it has a timer, or event.
         */
        trigger?: 'http' | 'timer' | 'event' | 'deploy' | 'activate' | 'deactivate';
        /**
         * What the code gets. With http, a request {method, path, query, headers, body}, whose missing parts are filled in; a value with none of these is the body. With timer, the default is a tick.
         */
        event?: unknown;
        /**
         * The emitter (by id or name slug) whose event is taken in place of a sample.
         */
        emitter_id?: string;
        /**
         * The event's id in the log of emitter_id.
         */
        event_id?: string;
        /**
         * When the event came about, or the tick fell due. Default: now.
         */
        at_ms?: number;
        /**
         * refuse: the code can open no connection. Default: send, and its requests are made.
         */
        requests?: 'send' | 'refuse';
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    headers?: {
        /**
         * Extension: Identifies this request. If you send it again within 24 hours with the same key, the server repeats the first response and does nothing else. 1 to 255 printable ASCII characters, chosen by the client.
         */
        'Idempotency-Key'?: string;
    };
    path: {
        /**
         * The workflow's id or its name slug.
         */
        id: string;
    };
    query?: {
        /**
         * Comma-separated list of response fields to include; dotted paths reach into objects. Default: all.
         */
        include?: string;
        /**
         * Comma-separated list of response fields to leave out; overrides include. Default: none.
         */
        exclude?: string;
    };
    url: '/v1/workflows/{id}/trial';
};

export type CodeTryWorkflowErrors = {
    /**
     * The request is malformed. details names each field at fault.
     */
    400: InvalidRequestProblem;
    /**
     * The key is missing, malformed, unknown or revoked.
     */
    401: UnauthorizedProblem;
    /**
     * The server's operator has suspended the account. | A request in a session comes from another site, or lacks the header that shows that it does not. | The scope of the key does not include the operation.
     */
    403: AccountSuspendedProblem | CrossSiteRequestProblem | InsufficientScopeProblem;
    /**
     * The account has nothing with this id.
     */
    404: NotFoundProblem;
    /**
     * The path does not accept the method.
     */
    405: MethodNotAllowedProblem;
    /**
     * The same `Idempotency-Key` came with another request.
     */
    409: IdempotencyConflictProblem;
    /**
     * The body, the code or a configured prop is too large.
     */
    413: PayloadTooLargeProblem;
    /**
     * The body is not `application/json` in UTF-8, or has a `Content-Encoding`.
     */
    415: UnsupportedMediaTypeProblem;
    /**
     * The account has used up its quota. | The account sends too many requests a second, or has too many bytes of responses under way.
     */
    429: QuotaExceededProblem | RateLimitedProblem;
    /**
     * An error in the server.
     */
    500: InternalErrorProblem;
    /**
     * The database is unavailable, or the server is shutting down or overloaded.
     */
    503: UnavailableProblem;
};

export type CodeTryWorkflowError = CodeTryWorkflowErrors[keyof CodeTryWorkflowErrors];

export type CodeTryWorkflowResponses = {
    /**
     * The current resource.
     */
    200: {
        data: Trial;
    };
};

export type CodeTryWorkflowResponse = CodeTryWorkflowResponses[keyof CodeTryWorkflowResponses];

export type EventWebhookFailingWebhookPayload = WebhookFailingEvent;

export type EventWebhookFailingWebhookRequest = {
    body: EventWebhookFailingWebhookPayload;
    key: 'webhook.failing';
    path?: never;
    query?: never;
};

export type EventWebhookDisabledWebhookPayload = WebhookDisabledEvent;

export type EventWebhookDisabledWebhookRequest = {
    body: EventWebhookDisabledWebhookPayload;
    key: 'webhook.disabled';
    path?: never;
    query?: never;
};

export type EventWebhookRecoveredWebhookPayload = WebhookRecoveredEvent;

export type EventWebhookRecoveredWebhookRequest = {
    body: EventWebhookRecoveredWebhookPayload;
    key: 'webhook.recovered';
    path?: never;
    query?: never;
};

export type EventDeliveryExhaustedWebhookPayload = DeliveryExhaustedEvent;

export type EventDeliveryExhaustedWebhookRequest = {
    body: EventDeliveryExhaustedWebhookPayload;
    key: 'delivery.exhausted';
    path?: never;
    query?: never;
};

export type EventCircuitOpenedWebhookPayload = CircuitOpenedEvent;

export type EventCircuitOpenedWebhookRequest = {
    body: EventCircuitOpenedWebhookPayload;
    key: 'circuit.opened';
    path?: never;
    query?: never;
};

export type EventCircuitClosedWebhookPayload = CircuitClosedEvent;

export type EventCircuitClosedWebhookRequest = {
    body: EventCircuitClosedWebhookPayload;
    key: 'circuit.closed';
    path?: never;
    query?: never;
};

export type EventAccountFailingWebhookPayload = AccountFailingEvent;

export type EventAccountFailingWebhookRequest = {
    body: EventAccountFailingWebhookPayload;
    key: 'account.failing';
    path?: never;
    query?: never;
};

export type EventAccountRecoveredWebhookPayload = AccountRecoveredEvent;

export type EventAccountRecoveredWebhookRequest = {
    body: EventAccountRecoveredWebhookPayload;
    key: 'account.recovered';
    path?: never;
    query?: never;
};

export type EventClockReadyWebhookPayload = ClockReadyEvent;

export type EventClockReadyWebhookRequest = {
    body: EventClockReadyWebhookPayload;
    key: 'clock.ready';
    path?: never;
    query?: never;
};
