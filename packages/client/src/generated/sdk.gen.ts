// Generated from the OpenAPI document by packages/client/build/generate.ts. Do not edit.

import { client } from './client.gen.ts';
import type { Client, ClientMeta, Options as Options2, RequestResult, TDataShape } from './client/index.ts';
import type { AppAccountsCompleteConnectionData, AppAccountsCompleteConnectionErrors, AppAccountsCompleteConnectionResponses, AppAccountsConnectData, AppAccountsConnectErrors, AppAccountsConnectResponses, AppAccountsCreateData, AppAccountsCreateErrors, AppAccountsCreateResponses, AppAccountsDeleteData, AppAccountsDeleteErrors, AppAccountsDeleteResponses, AppAccountsGetData, AppAccountsGetErrors, AppAccountsGetResponses, AppAccountsListData, AppAccountsListErrors, AppAccountsListResponses, AppAccountsUpdateData, AppAccountsUpdateErrors, AppAccountsUpdateResponses, AuditListData, AuditListErrors, AuditListResponses, AutoSubscriptionsCreateData, AutoSubscriptionsCreateErrors, AutoSubscriptionsCreateResponses, AutoSubscriptionsDeleteData, AutoSubscriptionsDeleteErrors, AutoSubscriptionsDeleteResponses, AutoSubscriptionsListData, AutoSubscriptionsListErrors, AutoSubscriptionsListResponses, BulkActionsCancelData, BulkActionsCancelErrors, BulkActionsCancelResponses, BulkActionsCreateData, BulkActionsCreateErrors, BulkActionsCreateResponses, BulkActionsGetData, BulkActionsGetErrors, BulkActionsGetResponses, BulkActionsListData, BulkActionsListErrors, BulkActionsListResponses, BulkActionsPauseData, BulkActionsPauseErrors, BulkActionsPauseResponses, BulkActionsReplayData, BulkActionsReplayErrors, BulkActionsReplayResponses, BulkActionsResumeData, BulkActionsResumeErrors, BulkActionsResumeResponses, BulkActionsUpdateData, BulkActionsUpdateErrors, BulkActionsUpdateResponses, ClockAdvanceData, ClockAdvanceErrors, ClockAdvanceResponses, ClockFreezeData, ClockFreezeErrors, ClockFreezeResponses, ClockGetData, ClockGetErrors, ClockGetResponses, ClockOperationData, ClockOperationErrors, ClockOperationResponses, ClockReleaseData, ClockReleaseErrors, ClockReleaseResponses, CodeCheckData, CodeCheckErrors, CodeCheckResponses, CodeRunActionData, CodeRunActionErrors, CodeRunActionResponses, CodeSourceCodeData, CodeSourceCodeErrors, CodeSourceCodeResponses, CodeTryCodeData, CodeTryCodeErrors, CodeTryCodeResponses, CodeTrySourceData, CodeTrySourceErrors, CodeTrySourceResponses, CodeTryWorkflowData, CodeTryWorkflowErrors, CodeTryWorkflowResponses, CodeWorkflowCodeData, CodeWorkflowCodeErrors, CodeWorkflowCodeResponses, ComponentsConfigureData, ComponentsConfigureErrors, ComponentsConfigureResponses, ComponentsCreateData, ComponentsCreateErrors, ComponentsCreateResponses, ComponentsDeleteData, ComponentsDeleteErrors, ComponentsDeleteResponses, ComponentsGetData, ComponentsGetErrors, ComponentsGetPublishedData, ComponentsGetPublishedErrors, ComponentsGetPublishedResponses, ComponentsGetResponses, ComponentsListData, ComponentsListErrors, ComponentsListPublishedData, ComponentsListPublishedErrors, ComponentsListPublishedResponses, ComponentsListResponses, ConsumersCommitData, ConsumersCommitErrors, ConsumersCommitResponses, ConsumersCreateData, ConsumersCreateErrors, ConsumersCreateResponses, ConsumersDeleteData, ConsumersDeleteErrors, ConsumersDeleteResponses, ConsumersEventsData, ConsumersEventsErrors, ConsumersEventsResponses, ConsumersGetData, ConsumersGetErrors, ConsumersGetResponses, ConsumersListData, ConsumersListErrors, ConsumersListResponses, ConsumersPositionsData, ConsumersPositionsErrors, ConsumersPositionsResponses, ConsumersSeekData, ConsumersSeekErrors, ConsumersSeekResponses, DataStoresClearData, DataStoresClearErrors, DataStoresClearResponses, DataStoresCreateData, DataStoresCreateErrors, DataStoresCreateResponses, DataStoresDeleteData, DataStoresDeleteErrors, DataStoresDeleteResponses, DataStoresEntriesData, DataStoresEntriesErrors, DataStoresEntriesResponses, DataStoresEntryData, DataStoresEntryErrors, DataStoresEntryResponses, DataStoresGetData, DataStoresGetErrors, DataStoresGetResponses, DataStoresListData, DataStoresListErrors, DataStoresListResponses, DataStoresRemoveEntryData, DataStoresRemoveEntryErrors, DataStoresRemoveEntryResponses, DataStoresSetEntriesData, DataStoresSetEntriesErrors, DataStoresSetEntriesResponses, DataStoresSetEntryData, DataStoresSetEntryErrors, DataStoresSetEntryResponses, DataStoresUpdateData, DataStoresUpdateErrors, DataStoresUpdateResponses, DeliveriesDueData, DeliveriesDueErrors, DeliveriesDueResponses, DeliveriesGetData, DeliveriesGetErrors, DeliveriesGetResponses, DeliveriesListData, DeliveriesListErrors, DeliveriesListResponses, DeliveriesOfWebhookData, DeliveriesOfWebhookErrors, DeliveriesOfWebhookResponses, DeliveriesRetryData, DeliveriesRetryErrors, DeliveriesRetryResponses, DeliveriesSkipData, DeliveriesSkipErrors, DeliveriesSkipResponses, DiagnosisGetData, DiagnosisGetErrors, DiagnosisGetResponses, EnvironmentDeleteData, EnvironmentDeleteErrors, EnvironmentDeleteResponses, EnvironmentGetData, EnvironmentGetErrors, EnvironmentGetResponses, EnvironmentListData, EnvironmentListErrors, EnvironmentListResponses, EnvironmentSetData, EnvironmentSetErrors, EnvironmentSetResponses, EventsDeleteSourceEventsData, EventsDeleteSourceEventsErrors, EventsDeleteSourceEventsResponses, EventsSourceErrorSummariesData, EventsSourceErrorSummariesErrors, EventsSourceErrorSummariesResponses, EventsSourceLogSummariesData, EventsSourceLogSummariesErrors, EventsSourceLogSummariesResponses, EventsSourceSummariesData, EventsSourceSummariesErrors, EventsSourceSummariesResponses, EventsWorkflowErrorSummariesData, EventsWorkflowErrorSummariesErrors, EventsWorkflowErrorSummariesResponses, EventsWorkflowLogSummariesData, EventsWorkflowLogSummariesErrors, EventsWorkflowLogSummariesResponses, EventsWorkflowSummariesData, EventsWorkflowSummariesErrors, EventsWorkflowSummariesResponses, FiguresSeriesData, FiguresSeriesErrors, FiguresSeriesResponses, GraphPageData, GraphPageErrors, GraphPageResponses, JourneyEventData, JourneyEventErrors, JourneyEventResponses, KeysCreateData, KeysCreateErrors, KeysCreateResponses, KeysListData, KeysListErrors, KeysListResponses, KeysRevokeData, KeysRevokeErrors, KeysRevokeResponses, KeysRotateData, KeysRotateErrors, KeysRotateResponses, LogAccountEventsData, LogAccountEventsErrors, LogAccountEventsResponses, LogSourceEventData, LogSourceEventErrors, LogSourceEventResponses, LogSourceEventsData, LogSourceEventsErrors, LogSourceEventsResponses, LogSourceEventTraceData, LogSourceEventTraceErrors, LogSourceEventTraceResponses, LogWorkflowEventData, LogWorkflowEventErrors, LogWorkflowEventResponses, LogWorkflowEventsData, LogWorkflowEventsErrors, LogWorkflowEventsResponses, LogWorkflowEventTraceData, LogWorkflowEventTraceErrors, LogWorkflowEventTraceResponses, NodesListData, NodesListErrors, NodesListResponses, SourcesCreateData, SourcesCreateErrors, SourcesCreateResponses, SourcesDeleteData, SourcesDeleteErrors, SourcesDeleteResponses, SourcesGetData, SourcesGetErrors, SourcesGetResponses, SourcesListData, SourcesListErrors, SourcesListResponses, SourcesUpdateData, SourcesUpdateErrors, SourcesUpdateResponses, SubscriptionsCreateData, SubscriptionsCreateErrors, SubscriptionsCreateResponses, SubscriptionsDeleteData, SubscriptionsDeleteErrors, SubscriptionsDeleteResponses, SubscriptionsListData, SubscriptionsListErrors, SubscriptionsListResponses, SubscriptionsPreviewData, SubscriptionsPreviewErrors, SubscriptionsPreviewResponses, SubscriptionsUpdateData, SubscriptionsUpdateErrors, SubscriptionsUpdateResponses, UsersMeData, UsersMeErrors, UsersMeResponses, WebhooksCreateData, WebhooksCreateErrors, WebhooksCreateResponses, WebhooksDeleteData, WebhooksDeleteErrors, WebhooksDeleteResponses, WebhooksForceNextData, WebhooksForceNextErrors, WebhooksForceNextResponses, WebhooksGetData, WebhooksGetErrors, WebhooksGetPublicKeyData, WebhooksGetPublicKeyErrors, WebhooksGetPublicKeyResponses, WebhooksGetResponses, WebhooksGetSecretData, WebhooksGetSecretErrors, WebhooksGetSecretResponses, WebhooksListData, WebhooksListErrors, WebhooksListResponses, WebhooksPauseData, WebhooksPauseErrors, WebhooksPauseResponses, WebhooksResumeData, WebhooksResumeErrors, WebhooksResumeResponses, WebhooksRotatePublicKeyData, WebhooksRotatePublicKeyErrors, WebhooksRotatePublicKeyResponses, WebhooksRotateSecretData, WebhooksRotateSecretErrors, WebhooksRotateSecretResponses, WebhooksTestData, WebhooksTestErrors, WebhooksTestResponses, WebhooksUpdateData, WebhooksUpdateErrors, WebhooksUpdateResponses, WorkflowRunsCancelData, WorkflowRunsCancelErrors, WorkflowRunsCancelResponses, WorkflowRunsGetData, WorkflowRunsGetErrors, WorkflowRunsGetResponses, WorkflowRunsListData, WorkflowRunsListErrors, WorkflowRunsListResponses, WorkflowRunsRerunData, WorkflowRunsRerunErrors, WorkflowRunsRerunResponses, WorkflowRunsResumeData, WorkflowRunsResumeErrors, WorkflowRunsResumeResponses, WorkflowsCreateData, WorkflowsCreateErrors, WorkflowsCreateResponses, WorkflowsDeleteData, WorkflowsDeleteErrors, WorkflowsDeleteResponses, WorkflowsGetData, WorkflowsGetErrors, WorkflowsGetResponses, WorkflowsGetSecretData, WorkflowsGetSecretErrors, WorkflowsGetSecretResponses, WorkflowsInvokeData, WorkflowsInvokeErrors, WorkflowsInvokeResponses, WorkflowsListData, WorkflowsListErrors, WorkflowsListResponses, WorkflowsUpdateData, WorkflowsUpdateErrors, WorkflowsUpdateResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

class HeyApiClient {
    protected client: Client;
    
    constructor(args?: {
        client?: Client;
    }) {
        this.client = args?.client ?? client;
    }
}

class HeyApiRegistry<T> {
    private readonly defaultKey = 'default';
    
    private readonly instances: Map<string, T> = new Map();
    
    get(key?: string): T {
        const instance = this.instances.get(key ?? this.defaultKey);
        if (!instance) {
            throw new Error(`No SDK client found. Create one with "new Api()" to fix this error.`);
        }
        return instance;
    }
    
    set(value: T, key?: string): void {
        this.instances.set(key ?? this.defaultKey, value);
    }
}

export class Components extends HeyApiClient {
    /**
     * Create a component
     *
     * Saves component code after loading it once to read its props. One of component_code and component_url is required. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<ComponentsCreateData, ThrowOnError>): RequestResult<ComponentsCreateResponses, ComponentsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ComponentsCreateResponses, ComponentsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/components',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Configure a component's props
     *
     * Extension: Asks the component's code: with prop_name for the possible values of that prop, otherwise for all props, including those that the code adds for the given values. Saves nothing. Needs a key with the scope `run`.
     */
    public configure<ThrowOnError extends boolean = true>(options: Options<ComponentsConfigureData, ThrowOnError>): RequestResult<ComponentsConfigureResponses, ComponentsConfigureErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ComponentsConfigureResponses, ComponentsConfigureErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/components/{key}/configure',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * List components
     *
     * Extension: Every version that the account has saved, newest first, without code and props. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<ComponentsListData, ThrowOnError>): RequestResult<ComponentsListResponses, ComponentsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ComponentsListResponses, ComponentsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/components',
            ...options
        });
    }
    
    /**
     * List the components of the registry
     *
     * Extension: The newest version of each key, newest first, without code and props. Needs a key with the scope `read`.
     */
    public listPublished<ThrowOnError extends boolean = true>(options?: Options<ComponentsListPublishedData, ThrowOnError>): RequestResult<ComponentsListPublishedResponses, ComponentsListPublishedErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ComponentsListPublishedResponses, ComponentsListPublishedErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/registry/components',
            ...options
        });
    }
    
    /**
     * Get a component of the registry
     *
     * The newest version of a globally published component. Every account can create sources from it. Needs a key with the scope `read`.
     */
    public getPublished<ThrowOnError extends boolean = true>(options: Options<ComponentsGetPublishedData, ThrowOnError>): RequestResult<ComponentsGetPublishedResponses, ComponentsGetPublishedErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ComponentsGetPublishedResponses, ComponentsGetPublishedErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/components/registry/{key}',
            ...options
        });
    }
    
    /**
     * Delete a component
     *
     * Extension: Deletes one version, by its id. Fails if sources use the component: the problem names them. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<ComponentsDeleteData, ThrowOnError>): RequestResult<ComponentsDeleteResponses, ComponentsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ComponentsDeleteResponses, ComponentsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/components/{key}',
            ...options
        });
    }
    
    /**
     * Get a component
     *
     * By id, or the newest version by key. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<ComponentsGetData, ThrowOnError>): RequestResult<ComponentsGetResponses, ComponentsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ComponentsGetResponses, ComponentsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/components/{key}',
            ...options
        });
    }
}

export class Sources extends HeyApiClient {
    /**
     * List sources
     *
     * Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<SourcesListData, ThrowOnError>): RequestResult<SourcesListResponses, SourcesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SourcesListResponses, SourcesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/sources',
            ...options
        });
    }
    
    /**
     * Create a source
     *
     * Runs the component's deploy and activate hooks. If one fails, the source is not created. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<SourcesCreateData, ThrowOnError>): RequestResult<SourcesCreateResponses, SourcesCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<SourcesCreateResponses, SourcesCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a source
     *
     * Runs its deactivate hook. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<SourcesDeleteData, ThrowOnError>): RequestResult<SourcesDeleteResponses, SourcesDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<SourcesDeleteResponses, SourcesDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}',
            ...options
        });
    }
    
    /**
     * Get a source
     *
     * Extension: By its id or its name slug. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<SourcesGetData, ThrowOnError>): RequestResult<SourcesGetResponses, SourcesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<SourcesGetResponses, SourcesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}',
            ...options
        });
    }
    
    /**
     * Update a source
     *
     * Given props replace those of the same name; the others stay. Runs the deactivate hook, applies the change, then runs the activate hook. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<SourcesUpdateData, ThrowOnError>): RequestResult<SourcesUpdateResponses, SourcesUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<SourcesUpdateResponses, SourcesUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Events extends HeyApiClient {
    /**
     * List a source's events
     *
     * The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public sourceSummaries<ThrowOnError extends boolean = true>(options: Options<EventsSourceSummariesData, ThrowOnError>): RequestResult<EventsSourceSummariesResponses, EventsSourceSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsSourceSummariesResponses, EventsSourceSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/event_summaries',
            ...options
        });
    }
    
    /**
     * List a source's errors
     *
     * Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public sourceErrorSummaries<ThrowOnError extends boolean = true>(options: Options<EventsSourceErrorSummariesData, ThrowOnError>): RequestResult<EventsSourceErrorSummariesResponses, EventsSourceErrorSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsSourceErrorSummariesResponses, EventsSourceErrorSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/$errors/event_summaries',
            ...options
        });
    }
    
    /**
     * List what a source logged
     *
     * Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public sourceLogSummaries<ThrowOnError extends boolean = true>(options: Options<EventsSourceLogSummariesData, ThrowOnError>): RequestResult<EventsSourceLogSummariesResponses, EventsSourceLogSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsSourceLogSummariesResponses, EventsSourceLogSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/$logs/event_summaries',
            ...options
        });
    }
    
    /**
     * Delete a source's events
     *
     * Deletes the events from start_id to end_id, both included. The server removes them soon after the response, and no attempt to deliver one of them starts more than 5 seconds after it. Needs a key with the scope `write`.
     */
    public deleteSourceEvents<ThrowOnError extends boolean = true>(options: Options<EventsDeleteSourceEventsData, ThrowOnError>): RequestResult<EventsDeleteSourceEventsResponses, EventsDeleteSourceEventsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<EventsDeleteSourceEventsResponses, EventsDeleteSourceEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/events',
            ...options
        });
    }
    
    /**
     * List a workflow's events
     *
     * The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public workflowSummaries<ThrowOnError extends boolean = true>(options: Options<EventsWorkflowSummariesData, ThrowOnError>): RequestResult<EventsWorkflowSummariesResponses, EventsWorkflowSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsWorkflowSummariesResponses, EventsWorkflowSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/event_summaries',
            ...options
        });
    }
    
    /**
     * List a workflow's errors
     *
     * The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public workflowErrorSummaries<ThrowOnError extends boolean = true>(options: Options<EventsWorkflowErrorSummariesData, ThrowOnError>): RequestResult<EventsWorkflowErrorSummariesResponses, EventsWorkflowErrorSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsWorkflowErrorSummariesResponses, EventsWorkflowErrorSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/$errors/event_summaries',
            ...options
        });
    }
    
    /**
     * List what a workflow logged
     *
     * Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.
     */
    public workflowLogSummaries<ThrowOnError extends boolean = true>(options: Options<EventsWorkflowLogSummariesData, ThrowOnError>): RequestResult<EventsWorkflowLogSummariesResponses, EventsWorkflowLogSummariesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EventsWorkflowLogSummariesResponses, EventsWorkflowLogSummariesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/$logs/event_summaries',
            ...options
        });
    }
}

export class Log extends HeyApiClient {
    /**
     * Page over a source's whole log
     *
     * Extension: Every retained event of a stream, newest first. A page of large events has fewer items than limit. Needs a key with the scope `read`.
     */
    public sourceEvents<ThrowOnError extends boolean = true>(options: Options<LogSourceEventsData, ThrowOnError>): RequestResult<LogSourceEventsResponses, LogSourceEventsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogSourceEventsResponses, LogSourceEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/events',
            ...options
        });
    }
    
    /**
     * Page over the events of the account
     *
     * Extension: Every retained event of all emitters, or of those named, newest first, without a count. All filters given must hold. The server looks into a limited number of payloads for each page, so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true. Needs a key with the scope `read`.
     */
    public accountEvents<ThrowOnError extends boolean = true>(options?: Options<LogAccountEventsData, ThrowOnError>): RequestResult<LogAccountEventsResponses, LogAccountEventsErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<LogAccountEventsResponses, LogAccountEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/events',
            ...options
        });
    }
    
    /**
     * Get an event
     *
     * Extension: With its full data, from any stream. Needs a key with the scope `read`.
     */
    public sourceEvent<ThrowOnError extends boolean = true>(options: Options<LogSourceEventData, ThrowOnError>): RequestResult<LogSourceEventResponses, LogSourceEventErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogSourceEventResponses, LogSourceEventErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/events/{event_id}',
            ...options
        });
    }
    
    /**
     * Trace an event
     *
     * Extension: What happened to the event at every subscription of the account: whether it delivers the event and if not why, each attempt, and when the next one is due. Needs a key with the scope `read`.
     */
    public sourceEventTrace<ThrowOnError extends boolean = true>(options: Options<LogSourceEventTraceData, ThrowOnError>): RequestResult<LogSourceEventTraceResponses, LogSourceEventTraceErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogSourceEventTraceResponses, LogSourceEventTraceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/events/{event_id}/trace',
            ...options
        });
    }
    
    /**
     * Page over a workflow's whole log
     *
     * Extension: Every retained event of a stream, newest first. A page of large events has fewer items than limit. Needs a key with the scope `read`.
     */
    public workflowEvents<ThrowOnError extends boolean = true>(options: Options<LogWorkflowEventsData, ThrowOnError>): RequestResult<LogWorkflowEventsResponses, LogWorkflowEventsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogWorkflowEventsResponses, LogWorkflowEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/events',
            ...options
        });
    }
    
    /**
     * Get an event
     *
     * Extension: With its full data, from any stream. Needs a key with the scope `read`.
     */
    public workflowEvent<ThrowOnError extends boolean = true>(options: Options<LogWorkflowEventData, ThrowOnError>): RequestResult<LogWorkflowEventResponses, LogWorkflowEventErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogWorkflowEventResponses, LogWorkflowEventErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/events/{event_id}',
            ...options
        });
    }
    
    /**
     * Trace an event
     *
     * Extension: What happened to the event at every subscription of the account: whether it delivers the event and if not why, each attempt, and when the next one is due. Needs a key with the scope `read`.
     */
    public workflowEventTrace<ThrowOnError extends boolean = true>(options: Options<LogWorkflowEventTraceData, ThrowOnError>): RequestResult<LogWorkflowEventTraceResponses, LogWorkflowEventTraceErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<LogWorkflowEventTraceResponses, LogWorkflowEventTraceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/events/{event_id}/trace',
            ...options
        });
    }
}

export class Consumers extends HeyApiClient {
    /**
     * List consumers
     *
     * Extension: Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<ConsumersListData, ThrowOnError>): RequestResult<ConsumersListResponses, ConsumersListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ConsumersListResponses, ConsumersListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers',
            ...options
        });
    }
    
    /**
     * Create a consumer
     *
     * Extension: A place in the log of one emitter or of several, from which a client reads and commits. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<ConsumersCreateData, ThrowOnError>): RequestResult<ConsumersCreateResponses, ConsumersCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ConsumersCreateResponses, ConsumersCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a consumer
     *
     * Extension: Reads that wait end. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<ConsumersDeleteData, ThrowOnError>): RequestResult<ConsumersDeleteResponses, ConsumersDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<ConsumersDeleteResponses, ConsumersDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}',
            ...options
        });
    }
    
    /**
     * Get a consumer
     *
     * Extension: By its id. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<ConsumersGetData, ThrowOnError>): RequestResult<ConsumersGetResponses, ConsumersGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ConsumersGetResponses, ConsumersGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}',
            ...options
        });
    }
    
    /**
     * List where a consumer stands
     *
     * Extension: Each emitter that it reads, in the order of their ids, with what waits there and what became of the rest. Needs a key with the scope `read`.
     */
    public positions<ThrowOnError extends boolean = true>(options: Options<ConsumersPositionsData, ThrowOnError>): RequestResult<ConsumersPositionsResponses, ConsumersPositionsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ConsumersPositionsResponses, ConsumersPositionsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}/positions',
            ...options
        });
    }
    
    /**
     * Read a consumer's events
     *
     * Extension: What comes behind the last commit, oldest first: until it is committed, the same events again. A page can be empty though more waits, where the filter kept out all that was looked at. Needs a key with the scope `run`.
     */
    public events<ThrowOnError extends boolean = true>(options: Options<ConsumersEventsData, ThrowOnError>): RequestResult<ConsumersEventsResponses, ConsumersEventsErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ConsumersEventsResponses, ConsumersEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}/events',
            ...options
        });
    }
    
    /**
     * Commit events
     *
     * Extension: They are not read again. To repeat a commit changes nothing. With a lease that has ended it is taken only as long as no other reader has one. Needs a key with the scope `run`.
     */
    public commit<ThrowOnError extends boolean = true>(options: Options<ConsumersCommitData, ThrowOnError>): RequestResult<ConsumersCommitResponses, ConsumersCommitErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ConsumersCommitResponses, ConsumersCommitErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}/commit',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Move a consumer
     *
     * Extension: Reads go on from there. Ends the lease, so that a commit of what was read before answers 409, and counts anew. Needs a key with the scope `run`.
     */
    public seek<ThrowOnError extends boolean = true>(options: Options<ConsumersSeekData, ThrowOnError>): RequestResult<ConsumersSeekResponses, ConsumersSeekErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ConsumersSeekResponses, ConsumersSeekErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/consumers/{id}/seek',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Journey extends HeyApiClient {
    /**
     * Follow an event
     *
     * Extension: The way of an event over all emitters, as a graph: the request or event that its emitter ran over, and so on back; every subscription that hears its emitter, and if it does not deliver the event why; and the runs, deliveries and events that came of it, and so on. Needs a key with the scope `read`.
     */
    public event<ThrowOnError extends boolean = true>(options: Options<JourneyEventData, ThrowOnError>): RequestResult<JourneyEventResponses, JourneyEventErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<JourneyEventResponses, JourneyEventErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/events/{id}/journey',
            ...options
        });
    }
}

export class Figures extends HeyApiClient {
    /**
     * Get figures
     *
     * Extension: What happened over time, and how the account stands now. Minutes are kept for 48 hours, hours for 40 days. A server adds what it has counted every 10 seconds; one that is killed loses the figures of its last seconds, and nothing else. Needs a key with the scope `read`.
     */
    public series<ThrowOnError extends boolean = true>(options?: Options<FiguresSeriesData, ThrowOnError>): RequestResult<FiguresSeriesResponses, FiguresSeriesErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<FiguresSeriesResponses, FiguresSeriesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/figures',
            ...options
        });
    }
}

export class Graph extends HeyApiClient {
    /**
     * Get the graph
     *
     * Extension: The emitters and listeners of the account, with their rates and whether something fails or waits, and the subscriptions between them. What waits is at most 5 seconds old, rates are as the figures. Needs a key with the scope `read`.
     */
    public page<ThrowOnError extends boolean = true>(options?: Options<GraphPageData, ThrowOnError>): RequestResult<GraphPageResponses, GraphPageErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<GraphPageResponses, GraphPageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/graph',
            ...options
        });
    }
}

export class Nodes extends HeyApiClient {
    /**
     * List nodes
     *
     * Extension: The processes that share the database, oldest first: those that said within 30 seconds that they are there. Each says so every 10 seconds. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<NodesListData, ThrowOnError>): RequestResult<NodesListResponses, NodesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<NodesListResponses, NodesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/nodes',
            ...options
        });
    }
}

export class Diagnosis extends HeyApiClient {
    /**
     * Examine the server
     *
     * Extension: Whether the process that answers reaches its database and the internet, has space, runs code, and agrees with the database about the time; and what to do if not. It looks at most every 10 seconds. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options?: Options<DiagnosisGetData, ThrowOnError>): RequestResult<DiagnosisGetResponses, DiagnosisGetErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DiagnosisGetResponses, DiagnosisGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/diagnosis',
            ...options
        });
    }
}

export class Clock extends HeyApiClient {
    /**
     * Let the clock run
     *
     * Extension: Time goes on at its own speed from where it is; it never goes back. An advance under way ends first. Needs a key with the scope `run`.
     */
    public release<ThrowOnError extends boolean = true>(options?: Options<ClockReleaseData, ThrowOnError>): RequestResult<ClockReleaseResponses, ClockReleaseErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).delete<ClockReleaseResponses, ClockReleaseErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/clock',
            ...options
        });
    }
    
    /**
     * Get the clock
     *
     * Extension: What time it is for the server. A server that was not started with a dev clock has a fixed one, which is real time. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options?: Options<ClockGetData, ThrowOnError>): RequestResult<ClockGetResponses, ClockGetErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ClockGetResponses, ClockGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/clock',
            ...options
        });
    }
    
    /**
     * Stop the clock
     *
     * Extension: Time stands still. An advance under way ends where it is. Needs a key with the scope `run`.
     */
    public freeze<ThrowOnError extends boolean = true>(options?: Options<ClockFreezeData, ThrowOnError>): RequestResult<ClockFreezeResponses, ClockFreezeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<ClockFreezeResponses, ClockFreezeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/clock/freeze',
            ...options
        });
    }
    
    /**
     * Move the clock forward
     *
     * Extension: Begins to do all that falls due up to a time, each at its time and in its order. Time stands still before and after. The end is told by clock.ready on the stream $clock of the account. Needs a key with the scope `run`.
     */
    public advance<ThrowOnError extends boolean = true>(options: Options<ClockAdvanceData, ThrowOnError>): RequestResult<ClockAdvanceResponses, ClockAdvanceErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<ClockAdvanceResponses, ClockAdvanceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/clock/advance',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get an advance of the clock
     *
     * Extension: How far it has come, and what fell due. The last 200 are kept. Needs a key with the scope `read`.
     */
    public operation<ThrowOnError extends boolean = true>(options: Options<ClockOperationData, ThrowOnError>): RequestResult<ClockOperationResponses, ClockOperationErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<ClockOperationResponses, ClockOperationErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/clock/operations/{id}',
            ...options
        });
    }
}

export class Subscriptions extends HeyApiClient {
    /**
     * Unsubscribe a listener
     *
     * Takes the parameters that created the subscription; event_name is empty if it was created without one. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options?: Options<SubscriptionsDeleteData, ThrowOnError>): RequestResult<SubscriptionsDeleteResponses, SubscriptionsDeleteErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).delete<SubscriptionsDeleteResponses, SubscriptionsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/subscriptions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * Subscribe a listener
     *
     * The listener receives what the emitter emits from now on and the filter lets through. Repeating the request returns the existing subscription, with the filter and batch that it has. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options?: Options<SubscriptionsCreateData, ThrowOnError>): RequestResult<SubscriptionsCreateResponses, SubscriptionsCreateErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<SubscriptionsCreateResponses, SubscriptionsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/subscriptions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * Update a subscription
     *
     * Extension: Takes the parameters that created the subscription. The filter and batch hold for every event that the subscription has not passed yet. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options?: Options<SubscriptionsUpdateData, ThrowOnError>): RequestResult<SubscriptionsUpdateResponses, SubscriptionsUpdateErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).put<SubscriptionsUpdateResponses, SubscriptionsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/subscriptions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * Preview a subscription
     *
     * Extension: Shows which of the latest events of all matching emitters such a subscription would deliver, and to which listener. Sends and creates nothing. Needs a key with the scope `read`.
     */
    public preview<ThrowOnError extends boolean = true>(options?: Options<SubscriptionsPreviewData, ThrowOnError>): RequestResult<SubscriptionsPreviewResponses, SubscriptionsPreviewErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<SubscriptionsPreviewResponses, SubscriptionsPreviewErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/subscriptions/preview',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * List subscriptions
     *
     * All of them, newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<SubscriptionsListData, ThrowOnError>): RequestResult<SubscriptionsListResponses, SubscriptionsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SubscriptionsListResponses, SubscriptionsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/subscriptions',
            ...options
        });
    }
}

export class AutoSubscriptions extends HeyApiClient {
    /**
     * Subscribe a listener to what is created later
     *
     * Subscribes the listener to every source and workflow created from now on, from its first event. Existing ones are not affected. Repeating the request returns the existing auto-subscription. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options?: Options<AutoSubscriptionsCreateData, ThrowOnError>): RequestResult<AutoSubscriptionsCreateResponses, AutoSubscriptionsCreateErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<AutoSubscriptionsCreateResponses, AutoSubscriptionsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/auto_subscriptions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * List auto-subscriptions
     *
     * Extension: Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<AutoSubscriptionsListData, ThrowOnError>): RequestResult<AutoSubscriptionsListResponses, AutoSubscriptionsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<AutoSubscriptionsListResponses, AutoSubscriptionsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/auto_subscriptions',
            ...options
        });
    }
    
    /**
     * Delete an auto-subscription
     *
     * Extension: The subscriptions that it created remain. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<AutoSubscriptionsDeleteData, ThrowOnError>): RequestResult<AutoSubscriptionsDeleteResponses, AutoSubscriptionsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<AutoSubscriptionsDeleteResponses, AutoSubscriptionsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/auto_subscriptions/{id}',
            ...options
        });
    }
}

export class Webhooks extends HeyApiClient {
    /**
     * Create a webhook
     *
     * Creates a URL that events can be delivered to. Subscriptions with the webhook as listener route events to it. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options?: Options<WebhooksCreateData, ThrowOnError>): RequestResult<WebhooksCreateResponses, WebhooksCreateErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<WebhooksCreateResponses, WebhooksCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * List webhooks
     *
     * Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<WebhooksListData, ThrowOnError>): RequestResult<WebhooksListResponses, WebhooksListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WebhooksListResponses, WebhooksListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/webhooks',
            ...options
        });
    }
    
    /**
     * Delete a webhook
     *
     * Extension: Also deletes its subscriptions. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<WebhooksDeleteData, ThrowOnError>): RequestResult<WebhooksDeleteResponses, WebhooksDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<WebhooksDeleteResponses, WebhooksDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}',
            ...options
        });
    }
    
    /**
     * Get a webhook
     *
     * Extension: By its id, with its settings. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<WebhooksGetData, ThrowOnError>): RequestResult<WebhooksGetResponses, WebhooksGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WebhooksGetResponses, WebhooksGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}',
            ...options
        });
    }
    
    /**
     * Update a webhook
     *
     * Extension: Fields that are not given stay unchanged, but a missing active means true. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<WebhooksUpdateData, ThrowOnError>): RequestResult<WebhooksUpdateResponses, WebhooksUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<WebhooksUpdateResponses, WebhooksUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get a webhook's signing secret
     *
     * Extension: The newest one. Needs a key with the scope `write`.
     */
    public getSecret<ThrowOnError extends boolean = true>(options: Options<WebhooksGetSecretData, ThrowOnError>): RequestResult<WebhooksGetSecretResponses, WebhooksGetSecretErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WebhooksGetSecretResponses, WebhooksGetSecretErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/secret',
            ...options
        });
    }
    
    /**
     * Rotate a webhook's signing secret
     *
     * Extension: Returns the new secret. For 24 hours the previous one signs too. Needs a key with the scope `write`.
     */
    public rotateSecret<ThrowOnError extends boolean = true>(options: Options<WebhooksRotateSecretData, ThrowOnError>): RequestResult<WebhooksRotateSecretResponses, WebhooksRotateSecretErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksRotateSecretResponses, WebhooksRotateSecretErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/secret/rotate',
            ...options
        });
    }
    
    /**
     * Get a webhook's public key
     *
     * Extension: The newest one. It verifies the v1a signatures of a webhook with the signature ed25519 or both. Needs a key with the scope `read`.
     */
    public getPublicKey<ThrowOnError extends boolean = true>(options: Options<WebhooksGetPublicKeyData, ThrowOnError>): RequestResult<WebhooksGetPublicKeyResponses, WebhooksGetPublicKeyErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WebhooksGetPublicKeyResponses, WebhooksGetPublicKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/public_key',
            ...options
        });
    }
    
    /**
     * Rotate a webhook's key pair
     *
     * Extension: Returns the new public key. For 24 hours the previous private key signs too. Needs a key with the scope `write`.
     */
    public rotatePublicKey<ThrowOnError extends boolean = true>(options: Options<WebhooksRotatePublicKeyData, ThrowOnError>): RequestResult<WebhooksRotatePublicKeyResponses, WebhooksRotatePublicKeyErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksRotatePublicKeyResponses, WebhooksRotatePublicKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/public_key/rotate',
            ...options
        });
    }
    
    /**
     * Send a webhook a test
     *
     * Extension: Sends one signed request, now and without a retry, also to an inactive webhook, and answers what came back. It has a webhook-id of its own and the header x-headwater-test: true. It is in no list and in no accounting. Needs a key with the scope `run`.
     */
    public test<ThrowOnError extends boolean = true>(options: Options<WebhooksTestData, ThrowOnError>): RequestResult<WebhooksTestResponses, WebhooksTestErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksTestResponses, WebhooksTestErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/test',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Pause a webhook
     *
     * Extension: Makes it inactive. It keeps its place in the log, and its retries wait. Needs a key with the scope `run`.
     */
    public pause<ThrowOnError extends boolean = true>(options: Options<WebhooksPauseData, ThrowOnError>): RequestResult<WebhooksPauseResponses, WebhooksPauseErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksPauseResponses, WebhooksPauseErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/pause',
            ...options
        });
    }
    
    /**
     * Resume a webhook
     *
     * Extension: Makes it active. With from: now, also an active webhook drops what waits. Needs a key with the scope `run`.
     */
    public resume<ThrowOnError extends boolean = true>(options: Options<WebhooksResumeData, ThrowOnError>): RequestResult<WebhooksResumeResponses, WebhooksResumeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksResumeResponses, WebhooksResumeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/resume',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Attempt now what the lines of a webhook stand on
     *
     * Extension: The events of each emitter are a line. Of each, the oldest pending delivery is attempted as soon as the webhook takes an attempt. Needs a key with the scope `run`.
     */
    public forceNext<ThrowOnError extends boolean = true>(options: Options<WebhooksForceNextData, ThrowOnError>): RequestResult<WebhooksForceNextResponses, WebhooksForceNextErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WebhooksForceNextResponses, WebhooksForceNextErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/force-next',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Deliveries extends HeyApiClient {
    /**
     * List deliveries
     *
     * Extension: Those of the account. Newest first, without a count. All filters given must hold. The server looks at a limited number of deliveries for each page, so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<DeliveriesListData, ThrowOnError>): RequestResult<DeliveriesListResponses, DeliveriesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DeliveriesListResponses, DeliveriesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/deliveries',
            ...options
        });
    }
    
    /**
     * List a webhook's deliveries
     *
     * Extension: Newest first, without a count. All filters given must hold. The server looks at a limited number of deliveries for each page, so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true. Needs a key with the scope `read`.
     */
    public ofWebhook<ThrowOnError extends boolean = true>(options: Options<DeliveriesOfWebhookData, ThrowOnError>): RequestResult<DeliveriesOfWebhookResponses, DeliveriesOfWebhookErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DeliveriesOfWebhookResponses, DeliveriesOfWebhookErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/deliveries',
            ...options
        });
    }
    
    /**
     * Count due retries
     *
     * Extension: How many retries are due in each step of time from now on, by webhook. What a webhook out of service owes counts too. Needs a key with the scope `read`.
     */
    public due<ThrowOnError extends boolean = true>(options?: Options<DeliveriesDueData, ThrowOnError>): RequestResult<DeliveriesDueResponses, DeliveriesDueErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DeliveriesDueResponses, DeliveriesDueErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/deliveries/due',
            ...options
        });
    }
    
    /**
     * Get a delivery
     *
     * Extension: With every attempt: what was sent, what came back, and how long each phase took. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<DeliveriesGetData, ThrowOnError>): RequestResult<DeliveriesGetResponses, DeliveriesGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DeliveriesGetResponses, DeliveriesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/deliveries/{id}',
            ...options
        });
    }
    
    /**
     * Retry a delivery
     *
     * Extension: Attempts it once more, as soon as the webhook takes an attempt, with the same webhook-id. One that has ended, also one that arrived, is pending until then. If the attempt fails, the retry schedule continues after it. Needs a key with the scope `run`.
     */
    public retry<ThrowOnError extends boolean = true>(options: Options<DeliveriesRetryData, ThrowOnError>): RequestResult<DeliveriesRetryResponses, DeliveriesRetryErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DeliveriesRetryResponses, DeliveriesRetryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/deliveries/{id}/retry',
            ...options
        });
    }
    
    /**
     * Skip a delivery
     *
     * Extension: Drops a pending delivery. An attempt that is under way is broken off; the endpoint may have received it. Needs a key with the scope `run`.
     */
    public skip<ThrowOnError extends boolean = true>(options: Options<DeliveriesSkipData, ThrowOnError>): RequestResult<DeliveriesSkipResponses, DeliveriesSkipErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DeliveriesSkipResponses, DeliveriesSkipErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/deliveries/{id}/skip',
            ...options
        });
    }
}

export class BulkActions extends HeyApiClient {
    /**
     * List bulk actions
     *
     * Extension: Newest first, without a count. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<BulkActionsListData, ThrowOnError>): RequestResult<BulkActionsListResponses, BulkActionsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<BulkActionsListResponses, BulkActionsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions',
            ...options
        });
    }
    
    /**
     * Begin a bulk action
     *
     * Extension: Deals with many deliveries or events, a few at a time and the oldest first, beside what is new. Needs a key with the scope `run`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<BulkActionsCreateData, ThrowOnError>): RequestResult<BulkActionsCreateResponses, BulkActionsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<BulkActionsCreateResponses, BulkActionsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Replay events to a webhook
     *
     * Extension: Begins a bulk action that sends them again: those of an emitter from an event on, or those of a span of time. Needs a key with the scope `run`.
     */
    public replay<ThrowOnError extends boolean = true>(options: Options<BulkActionsReplayData, ThrowOnError>): RequestResult<BulkActionsReplayResponses, BulkActionsReplayErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<BulkActionsReplayResponses, BulkActionsReplayErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/webhooks/{id}/replay',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get a bulk action
     *
     * Extension: With its progress. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<BulkActionsGetData, ThrowOnError>): RequestResult<BulkActionsGetResponses, BulkActionsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<BulkActionsGetResponses, BulkActionsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions/{id}',
            ...options
        });
    }
    
    /**
     * Change the rate of a bulk action
     *
     * Extension: It holds within a second. Needs a key with the scope `run`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<BulkActionsUpdateData, ThrowOnError>): RequestResult<BulkActionsUpdateResponses, BulkActionsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<BulkActionsUpdateResponses, BulkActionsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Pause a bulk action
     *
     * Extension: Within a second it begins nothing more, until it is resumed. Needs a key with the scope `run`.
     */
    public pause<ThrowOnError extends boolean = true>(options: Options<BulkActionsPauseData, ThrowOnError>): RequestResult<BulkActionsPauseResponses, BulkActionsPauseErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<BulkActionsPauseResponses, BulkActionsPauseErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions/{id}/pause',
            ...options
        });
    }
    
    /**
     * Resume a bulk action
     *
     * Extension: It goes on where it stood. Needs a key with the scope `run`.
     */
    public resume<ThrowOnError extends boolean = true>(options: Options<BulkActionsResumeData, ThrowOnError>): RequestResult<BulkActionsResumeResponses, BulkActionsResumeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<BulkActionsResumeResponses, BulkActionsResumeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions/{id}/resume',
            ...options
        });
    }
    
    /**
     * Cancel a bulk action
     *
     * Extension: Within a second it begins nothing more. What it has done remains. Needs a key with the scope `run`.
     */
    public cancel<ThrowOnError extends boolean = true>(options: Options<BulkActionsCancelData, ThrowOnError>): RequestResult<BulkActionsCancelResponses, BulkActionsCancelErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<BulkActionsCancelResponses, BulkActionsCancelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/bulk_actions/{id}/cancel',
            ...options
        });
    }
}

export class Users extends HeyApiClient {
    /**
     * Get the authenticated user
     *
     * The fields depend on the account's plan. Needs a key with the scope `read`.
     */
    public me<ThrowOnError extends boolean = true>(options?: Options<UsersMeData, ThrowOnError>): RequestResult<UsersMeResponses, UsersMeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<UsersMeResponses, UsersMeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me',
            ...options
        });
    }
}

export class Keys extends HeyApiClient {
    /**
     * List API keys
     *
     * Extension: The account's live keys, newest first, without the keys themselves. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<KeysListData, ThrowOnError>): RequestResult<KeysListResponses, KeysListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<KeysListResponses, KeysListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/keys',
            ...options
        });
    }
    
    /**
     * Create an API key
     *
     * Extension: Creates a key, which does not expire. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options?: Options<KeysCreateData, ThrowOnError>): RequestResult<KeysCreateResponses, KeysCreateErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<KeysCreateResponses, KeysCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/keys',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers
            }
        });
    }
    
    /**
     * Rotate an API key
     *
     * Extension: Returns a new key of the same name and scope. The old key expires after the overlap. Needs a key with the scope `write`.
     */
    public rotate<ThrowOnError extends boolean = true>(options: Options<KeysRotateData, ThrowOnError>): RequestResult<KeysRotateResponses, KeysRotateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<KeysRotateResponses, KeysRotateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/keys/{id}/rotate',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Revoke an API key
     *
     * Extension: The server refuses the key from now on, even if it is the key of this request or the account's last one. Needs a key with the scope `write`.
     */
    public revoke<ThrowOnError extends boolean = true>(options: Options<KeysRevokeData, ThrowOnError>): RequestResult<KeysRevokeResponses, KeysRevokeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<KeysRevokeResponses, KeysRevokeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/keys/{id}',
            ...options
        });
    }
}

export class Audit extends HeyApiClient {
    /**
     * List what was changed
     *
     * Extension: Requests that were to change something, also those that were refused or failed, newest first, without a count. All filters given must hold. The server looks at a limited number of requests for each page, so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<AuditListData, ThrowOnError>): RequestResult<AuditListResponses, AuditListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<AuditListResponses, AuditListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/audit',
            ...options
        });
    }
}

export class AppAccounts extends HeyApiClient {
    /**
     * List accounts with apps
     *
     * Extension: Newest first, without their credentials. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<AppAccountsListData, ThrowOnError>): RequestResult<AppAccountsListResponses, AppAccountsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<AppAccountsListResponses, AppAccountsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts',
            ...options
        });
    }
    
    /**
     * Add an account with an app
     *
     * Extension: Give its id to an app prop of a source as {authProvisionId: id}. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<AppAccountsCreateData, ThrowOnError>): RequestResult<AppAccountsCreateResponses, AppAccountsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<AppAccountsCreateResponses, AppAccountsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Remove an account with an app
     *
     * Extension: Sources that use it get an empty $auth from their next run on. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<AppAccountsDeleteData, ThrowOnError>): RequestResult<AppAccountsDeleteResponses, AppAccountsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<AppAccountsDeleteResponses, AppAccountsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts/{id}',
            ...options
        });
    }
    
    /**
     * Get an account with an app
     *
     * Extension: Without its credentials. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<AppAccountsGetData, ThrowOnError>): RequestResult<AppAccountsGetResponses, AppAccountsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<AppAccountsGetResponses, AppAccountsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts/{id}',
            ...options
        });
    }
    
    /**
     * Update an account with an app
     *
     * Extension: Fields that are not given stay unchanged. Runs that begin afterwards use the new credentials. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<AppAccountsUpdateData, ThrowOnError>): RequestResult<AppAccountsUpdateResponses, AppAccountsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<AppAccountsUpdateResponses, AppAccountsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Begin to connect an account over OAuth 2
     *
     * Extension: By an authorization code with PKCE, or a device code. Have the user open the page. Needs a key with the scope `write`.
     */
    public connect<ThrowOnError extends boolean = true>(options: Options<AppAccountsConnectData, ThrowOnError>): RequestResult<AppAccountsConnectResponses, AppAccountsConnectErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<AppAccountsConnectResponses, AppAccountsConnectErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts/{id}/connect',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Complete the connection of an account
     *
     * Extension: With the key or session that began it. The account has the token from then on. Needs a key with the scope `write`.
     */
    public completeConnection<ThrowOnError extends boolean = true>(options: Options<AppAccountsCompleteConnectionData, ThrowOnError>): RequestResult<AppAccountsCompleteConnectionResponses, AppAccountsCompleteConnectionErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<AppAccountsCompleteConnectionResponses, AppAccountsCompleteConnectionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/accounts/{id}/complete_connection',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Environment extends HeyApiClient {
    /**
     * List environment variables
     *
     * Extension: By their names: those of the account, or those of one source or workflow alone. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<EnvironmentListData, ThrowOnError>): RequestResult<EnvironmentListResponses, EnvironmentListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<EnvironmentListResponses, EnvironmentListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/environment_variables',
            ...options
        });
    }
    
    /**
     * Remove an environment variable
     *
     * Extension: Runs that begin 2 seconds later at the latest don't have it. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<EnvironmentDeleteData, ThrowOnError>): RequestResult<EnvironmentDeleteResponses, EnvironmentDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<EnvironmentDeleteResponses, EnvironmentDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/environment_variables/{name}',
            ...options
        });
    }
    
    /**
     * Get an environment variable
     *
     * Extension: Without the value of a secret. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<EnvironmentGetData, ThrowOnError>): RequestResult<EnvironmentGetResponses, EnvironmentGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<EnvironmentGetResponses, EnvironmentGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/environment_variables/{name}',
            ...options
        });
    }
    
    /**
     * Set an environment variable
     *
     * Extension: Code finds it in process.env, in runs that begin 2 seconds later at the latest. The names and values of an account, and those of a source or workflow, take at most 256 KiB together. Encrypted at rest. Needs a key with the scope `write`.
     */
    public set<ThrowOnError extends boolean = true>(options: Options<EnvironmentSetData, ThrowOnError>): RequestResult<EnvironmentSetResponses, EnvironmentSetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<EnvironmentSetResponses, EnvironmentSetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/environment_variables/{name}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class DataStores extends HeyApiClient {
    /**
     * List data stores
     *
     * Extension: Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<DataStoresListData, ThrowOnError>): RequestResult<DataStoresListResponses, DataStoresListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DataStoresListResponses, DataStoresListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores',
            ...options
        });
    }
    
    /**
     * Create a data store
     *
     * Extension: Keys with values that sources and workflows share: give its id or name to a prop of the type data_store. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<DataStoresCreateData, ThrowOnError>): RequestResult<DataStoresCreateResponses, DataStoresCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DataStoresCreateResponses, DataStoresCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a data store
     *
     * Extension: With its entries. Code that uses it fails then. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<DataStoresDeleteData, ThrowOnError>): RequestResult<DataStoresDeleteResponses, DataStoresDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<DataStoresDeleteResponses, DataStoresDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}',
            ...options
        });
    }
    
    /**
     * Get a data store
     *
     * Extension: With the number of entries. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<DataStoresGetData, ThrowOnError>): RequestResult<DataStoresGetResponses, DataStoresGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DataStoresGetResponses, DataStoresGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}',
            ...options
        });
    }
    
    /**
     * Rename a data store
     *
     * Extension: Sources and workflows that use it go on. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<DataStoresUpdateData, ThrowOnError>): RequestResult<DataStoresUpdateResponses, DataStoresUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<DataStoresUpdateResponses, DataStoresUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Clear a data store
     *
     * Extension: Removes all of its entries. Needs a key with the scope `write`.
     */
    public clear<ThrowOnError extends boolean = true>(options: Options<DataStoresClearData, ThrowOnError>): RequestResult<DataStoresClearResponses, DataStoresClearErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<DataStoresClearResponses, DataStoresClearErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entries',
            ...options
        });
    }
    
    /**
     * List the entries of a data store
     *
     * Extension: In the order of their keys. A page of large values holds fewer entries than its limit. Needs a key with the scope `read`.
     */
    public entries<ThrowOnError extends boolean = true>(options: Options<DataStoresEntriesData, ThrowOnError>): RequestResult<DataStoresEntriesResponses, DataStoresEntriesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DataStoresEntriesResponses, DataStoresEntriesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entries',
            ...options
        });
    }
    
    /**
     * Set entries of a data store
     *
     * Extension: All of them at once, or none. Other entries stay. Needs a key with the scope `write`.
     */
    public setEntries<ThrowOnError extends boolean = true>(options: Options<DataStoresSetEntriesData, ThrowOnError>): RequestResult<DataStoresSetEntriesResponses, DataStoresSetEntriesErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<DataStoresSetEntriesResponses, DataStoresSetEntriesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entries',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Remove an entry of a data store
     *
     * Extension: By its key. Needs a key with the scope `write`.
     */
    public removeEntry<ThrowOnError extends boolean = true>(options: Options<DataStoresRemoveEntryData, ThrowOnError>): RequestResult<DataStoresRemoveEntryResponses, DataStoresRemoveEntryErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<DataStoresRemoveEntryResponses, DataStoresRemoveEntryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entry',
            ...options
        });
    }
    
    /**
     * Get an entry of a data store
     *
     * Extension: By its key. Needs a key with the scope `read`.
     */
    public entry<ThrowOnError extends boolean = true>(options: Options<DataStoresEntryData, ThrowOnError>): RequestResult<DataStoresEntryResponses, DataStoresEntryErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<DataStoresEntryResponses, DataStoresEntryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entry',
            ...options
        });
    }
    
    /**
     * Set an entry of a data store
     *
     * Extension: Replaces the value, and when it is removed. Needs a key with the scope `write`.
     */
    public setEntry<ThrowOnError extends boolean = true>(options: Options<DataStoresSetEntryData, ThrowOnError>): RequestResult<DataStoresSetEntryResponses, DataStoresSetEntryErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<DataStoresSetEntryResponses, DataStoresSetEntryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/data_stores/{id}/entry',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Workflows extends HeyApiClient {
    /**
     * List workflows
     *
     * Extension: Newest first. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<WorkflowsListData, ThrowOnError>): RequestResult<WorkflowsListResponses, WorkflowsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WorkflowsListResponses, WorkflowsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/users/me/workflows',
            ...options
        });
    }
    
    /**
     * Create a workflow
     *
     * Extension: One of workflow_code and workflow_url is required. The workflow listens to its subscriptions, and to the HTTP and timer props in its code. Needs a key with the scope `write`.
     */
    public create<ThrowOnError extends boolean = true>(options: Options<WorkflowsCreateData, ThrowOnError>): RequestResult<WorkflowsCreateResponses, WorkflowsCreateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WorkflowsCreateResponses, WorkflowsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Delete a workflow
     *
     * Extension: Also deletes its runs, events and subscriptions. Needs a key with the scope `write`.
     */
    public delete<ThrowOnError extends boolean = true>(options: Options<WorkflowsDeleteData, ThrowOnError>): RequestResult<WorkflowsDeleteResponses, WorkflowsDeleteErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).delete<WorkflowsDeleteResponses, WorkflowsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}',
            ...options
        });
    }
    
    /**
     * Get a workflow
     *
     * Extension: By its id or its name slug. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<WorkflowsGetData, ThrowOnError>): RequestResult<WorkflowsGetResponses, WorkflowsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WorkflowsGetResponses, WorkflowsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}',
            ...options
        });
    }
    
    /**
     * Update a workflow
     *
     * Extension: Fields that are not given stay unchanged, but a missing active means true. Runs that have begun continue with the code and props that they began with. Needs a key with the scope `write`.
     */
    public update<ThrowOnError extends boolean = true>(options: Options<WorkflowsUpdateData, ThrowOnError>): RequestResult<WorkflowsUpdateResponses, WorkflowsUpdateErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).put<WorkflowsUpdateResponses, WorkflowsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Get a workflow's signing secret
     *
     * Extension: Signs the requests that the workflow sends with $.send.http, as for deliveries to webhooks. Needs a key with the scope `write`.
     */
    public getSecret<ThrowOnError extends boolean = true>(options: Options<WorkflowsGetSecretData, ThrowOnError>): RequestResult<WorkflowsGetSecretResponses, WorkflowsGetSecretErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WorkflowsGetSecretResponses, WorkflowsGetSecretErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/secret',
            ...options
        });
    }
    
    /**
     * Run a workflow
     *
     * Extension: The server answers once the event is durable. The run begins when its turn comes. Needs a key with the scope `run`.
     */
    public invoke<ThrowOnError extends boolean = true>(options: Options<WorkflowsInvokeData, ThrowOnError>): RequestResult<WorkflowsInvokeResponses, WorkflowsInvokeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WorkflowsInvokeResponses, WorkflowsInvokeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/invocations',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class WorkflowRuns extends HeyApiClient {
    /**
     * List a workflow's runs
     *
     * Extension: Newest first. The server keeps runs as long as the account's events. Needs a key with the scope `read`.
     */
    public list<ThrowOnError extends boolean = true>(options: Options<WorkflowRunsListData, ThrowOnError>): RequestResult<WorkflowRunsListResponses, WorkflowRunsListErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WorkflowRunsListResponses, WorkflowRunsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/runs',
            ...options
        });
    }
    
    /**
     * Get a run of a workflow
     *
     * Extension: With its event, its steps, and their results and logs. Needs a key with the scope `read`.
     */
    public get<ThrowOnError extends boolean = true>(options: Options<WorkflowRunsGetData, ThrowOnError>): RequestResult<WorkflowRunsGetResponses, WorkflowRunsGetErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<WorkflowRunsGetResponses, WorkflowRunsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/runs/{run_id}',
            ...options
        });
    }
    
    /**
     * Run a run's event again
     *
     * Extension: Starts a new run for the same event, with the workflow's current code and props. Needs a key with the scope `run`.
     */
    public rerun<ThrowOnError extends boolean = true>(options: Options<WorkflowRunsRerunData, ThrowOnError>): RequestResult<WorkflowRunsRerunResponses, WorkflowRunsRerunErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WorkflowRunsRerunResponses, WorkflowRunsRerunErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/runs/{run_id}/rerun',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Resume a waiting run
     *
     * Extension: Continues the run before its time, as a request to its resume_url does. The server answers once that is durable. The run continues when its turn comes. Needs a key with the scope `run`.
     */
    public resume<ThrowOnError extends boolean = true>(options: Options<WorkflowRunsResumeData, ThrowOnError>): RequestResult<WorkflowRunsResumeResponses, WorkflowRunsResumeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WorkflowRunsResumeResponses, WorkflowRunsResumeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/runs/{run_id}/resume',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Cancel a waiting run
     *
     * Extension: Ends the run. What its steps have done remains. A run that is at a step cannot be cancelled. Needs a key with the scope `run`.
     */
    public cancel<ThrowOnError extends boolean = true>(options: Options<WorkflowRunsCancelData, ThrowOnError>): RequestResult<WorkflowRunsCancelResponses, WorkflowRunsCancelErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<WorkflowRunsCancelResponses, WorkflowRunsCancelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/runs/{run_id}/cancel',
            ...options
        });
    }
}

export class Code extends HeyApiClient {
    /**
     * Get a source's code
     *
     * Extension: The code that it runs, also if its component was withdrawn from the registry, with its props. Needs a key with the scope `read`.
     */
    public sourceCode<ThrowOnError extends boolean = true>(options: Options<CodeSourceCodeData, ThrowOnError>): RequestResult<CodeSourceCodeResponses, CodeSourceCodeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CodeSourceCodeResponses, CodeSourceCodeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/code',
            ...options
        });
    }
    
    /**
     * Get a workflow's code
     *
     * Extension: The code of its current deployment, with the props of its steps. Needs a key with the scope `read`.
     */
    public workflowCode<ThrowOnError extends boolean = true>(options: Options<CodeWorkflowCodeData, ThrowOnError>): RequestResult<CodeWorkflowCodeResponses, CodeWorkflowCodeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).get<CodeWorkflowCodeResponses, CodeWorkflowCodeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/code',
            ...options
        });
    }
    
    /**
     * Check code
     *
     * Extension: Loads code in the sandbox and answers what it is, or what is wrong with it and where. Nothing is kept. One of component_code, component_url, workflow_code and workflow_url is required. Needs a key with the scope `run`.
     */
    public check<ThrowOnError extends boolean = true>(options: Options<CodeCheckData, ThrowOnError>): RequestResult<CodeCheckResponses, CodeCheckErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CodeCheckResponses, CodeCheckErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/code/check',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Try code
     *
     * Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is refuse. Needs write, since code of one's own reads the secrets and accounts that its props name. Needs a key with the scope `write`.
     */
    public tryCode<ThrowOnError extends boolean = true>(options: Options<CodeTryCodeData, ThrowOnError>): RequestResult<CodeTryCodeResponses, CodeTryCodeErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CodeTryCodeResponses, CodeTryCodeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/code/trial',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Run an action
     *
     * Extension: Runs an action once, by itself, and answers its result. Its requests are made, and what it changes in data stores is kept; it has no log, so $.emit and $.send send nothing. One of component_code, component_url and component_id is required. Needs a key with the scope `write`.
     */
    public runAction<ThrowOnError extends boolean = true>(options: Options<CodeRunActionData, ThrowOnError>): RequestResult<CodeRunActionResponses, CodeRunActionErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CodeRunActionResponses, CodeRunActionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/actions/run',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Try a source
     *
     * Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is refuse. The code and the props are those of the source. Needs a key with the scope `run`.
     */
    public trySource<ThrowOnError extends boolean = true>(options: Options<CodeTrySourceData, ThrowOnError>): RequestResult<CodeTrySourceResponses, CodeTrySourceErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CodeTrySourceResponses, CodeTrySourceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/sources/{id}/trial',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
    
    /**
     * Try a workflow
     *
     * Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is refuse. Its steps run one after the other at once: waits and delays are told and not waited for. Needs a key with the scope `run`.
     */
    public tryWorkflow<ThrowOnError extends boolean = true>(options: Options<CodeTryWorkflowData, ThrowOnError>): RequestResult<CodeTryWorkflowResponses, CodeTryWorkflowErrors, ThrowOnError, 'data'> {
        return (options.client ?? this.client).post<CodeTryWorkflowResponses, CodeTryWorkflowErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/v1/workflows/{id}/trial',
            ...options,
            headers: {
                'Content-Type': 'application/json',
                ...options.headers
            }
        });
    }
}

export class Api extends HeyApiClient {
    public static readonly __registry: HeyApiRegistry<Api> = new HeyApiRegistry<Api>();
    
    constructor(args?: {
        client?: Client;
        key?: string;
    }) {
        super(args);
        Api.__registry.set(this, args?.key);
    }
    
    private _components?: Components;
    get components(): Components {
        return this._components ??= new Components({ client: this.client });
    }
    
    private _sources?: Sources;
    get sources(): Sources {
        return this._sources ??= new Sources({ client: this.client });
    }
    
    private _events?: Events;
    get events(): Events {
        return this._events ??= new Events({ client: this.client });
    }
    
    private _log?: Log;
    get log(): Log {
        return this._log ??= new Log({ client: this.client });
    }
    
    private _consumers?: Consumers;
    get consumers(): Consumers {
        return this._consumers ??= new Consumers({ client: this.client });
    }
    
    private _journey?: Journey;
    get journey(): Journey {
        return this._journey ??= new Journey({ client: this.client });
    }
    
    private _figures?: Figures;
    get figures(): Figures {
        return this._figures ??= new Figures({ client: this.client });
    }
    
    private _graph?: Graph;
    get graph(): Graph {
        return this._graph ??= new Graph({ client: this.client });
    }
    
    private _nodes?: Nodes;
    get nodes(): Nodes {
        return this._nodes ??= new Nodes({ client: this.client });
    }
    
    private _diagnosis?: Diagnosis;
    get diagnosis(): Diagnosis {
        return this._diagnosis ??= new Diagnosis({ client: this.client });
    }
    
    private _clock?: Clock;
    get clock(): Clock {
        return this._clock ??= new Clock({ client: this.client });
    }
    
    private _subscriptions?: Subscriptions;
    get subscriptions(): Subscriptions {
        return this._subscriptions ??= new Subscriptions({ client: this.client });
    }
    
    private _autoSubscriptions?: AutoSubscriptions;
    get autoSubscriptions(): AutoSubscriptions {
        return this._autoSubscriptions ??= new AutoSubscriptions({ client: this.client });
    }
    
    private _webhooks?: Webhooks;
    get webhooks(): Webhooks {
        return this._webhooks ??= new Webhooks({ client: this.client });
    }
    
    private _deliveries?: Deliveries;
    get deliveries(): Deliveries {
        return this._deliveries ??= new Deliveries({ client: this.client });
    }
    
    private _bulkActions?: BulkActions;
    get bulkActions(): BulkActions {
        return this._bulkActions ??= new BulkActions({ client: this.client });
    }
    
    private _users?: Users;
    get users(): Users {
        return this._users ??= new Users({ client: this.client });
    }
    
    private _keys?: Keys;
    get keys(): Keys {
        return this._keys ??= new Keys({ client: this.client });
    }
    
    private _audit?: Audit;
    get audit(): Audit {
        return this._audit ??= new Audit({ client: this.client });
    }
    
    private _appAccounts?: AppAccounts;
    get appAccounts(): AppAccounts {
        return this._appAccounts ??= new AppAccounts({ client: this.client });
    }
    
    private _environment?: Environment;
    get environment(): Environment {
        return this._environment ??= new Environment({ client: this.client });
    }
    
    private _dataStores?: DataStores;
    get dataStores(): DataStores {
        return this._dataStores ??= new DataStores({ client: this.client });
    }
    
    private _workflows?: Workflows;
    get workflows(): Workflows {
        return this._workflows ??= new Workflows({ client: this.client });
    }
    
    private _workflowRuns?: WorkflowRuns;
    get workflowRuns(): WorkflowRuns {
        return this._workflowRuns ??= new WorkflowRuns({ client: this.client });
    }
    
    private _code?: Code;
    get code(): Code {
        return this._code ??= new Code({ client: this.client });
    }
}
