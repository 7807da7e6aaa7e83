# Generated from the OpenAPI document by clients/python/generator/generate.ts. Do not edit.

"""The operations of the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from . import types
from .operation import Group, Send, segment


class ComponentsOperations(Group):
    def create(
        self,
        *,
        body: types.ComponentsCreateBody,
        idempotency_key: str | None = None,
    ) -> types.ComponentsCreateResponse:
        """Create a component.

        Saves component code after loading it once to read its props. One of component_code and component_url is
        required. Needs a key with the scope `write`.
        """
        return self._send("POST", "/v1/components", headers={"Idempotency-Key": idempotency_key}, body=body)

    def configure(
        self,
        key: str,
        *,
        body: types.ComponentsConfigureBody,
        idempotency_key: str | None = None,
    ) -> types.ComponentsConfigureResponse:
        """Configure a component's props.

        Extension: Asks the component's code: with prop_name for the possible values of that prop, otherwise for all
        props, including those that the code adds for the given values. Saves nothing. Needs a key with the scope
        `run`.

        Args:
            key: The component's id, or the key in its code.
        """
        return self._send(
            "POST",
            f"/v1/components/{segment(key)}/configure",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ComponentsListResponse:
        """List components.

        Extension: Every version that the account has saved, newest first, without code and props. Needs a key with
        the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/components",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def list_published(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ComponentsListPublishedResponse:
        """List the components of the registry.

        Extension: The newest version of each key, newest first, without code and props. Needs a key with the scope
        `read`.
        """
        return self._send(
            "GET",
            "/v1/registry/components",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def get_published(
        self,
        key: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ComponentsGetPublishedResponse:
        """Get a component of the registry.

        The newest version of a globally published component. Every account can create sources from it. Needs a key
        with the scope `read`.

        Args:
            key: The key in the component's code.
        """
        return self._send(
            "GET",
            f"/v1/components/registry/{segment(key)}",
            query={"include": include, "exclude": exclude},
        )

    def get(self, key: str, *, include: str | None = None, exclude: str | None = None) -> types.ComponentsGetResponse:
        """Get a component.

        By id, or the newest version by key. Needs a key with the scope `read`.

        Args:
            key: The component's id, or the key in its code.
        """
        return self._send("GET", f"/v1/components/{segment(key)}", query={"include": include, "exclude": exclude})

    def delete(self, key: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a component.

        Extension: Deletes one version, by its id. Fails if sources use the component: the problem names them. Needs
        a key with the scope `write`.

        Args:
            key: The component's id.
        """
        self._send("DELETE", f"/v1/components/{segment(key)}", query={"include": include, "exclude": exclude})


class SourcesOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.SourcesListResponse:
        """List sources.

        Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/sources",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.SourcesCreateBody,
        idempotency_key: str | None = None,
    ) -> types.SourcesCreateResponse:
        """Create a source.

        Runs the component's deploy and activate hooks. If one fails, the source is not created. Needs a key with the
        scope `write`.
        """
        return self._send("POST", "/v1/sources", headers={"Idempotency-Key": idempotency_key}, body=body)

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.SourcesGetResponse:
        """Get a source.

        Extension: By its id or its name slug. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
        """
        return self._send("GET", f"/v1/sources/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.SourcesUpdateBody) -> types.SourcesUpdateResponse:
        """Update a source.

        Given props replace those of the same name; the others stay. Runs the deactivate hook, applies the change,
        then runs the activate hook. Needs a key with the scope `write`.

        Args:
            id: The source's id or its name slug.
        """
        return self._send("PUT", f"/v1/sources/{segment(id)}", body=body)

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a source.

        Runs its deactivate hook. Needs a key with the scope `write`.

        Args:
            id: The source's id or its name slug.
        """
        self._send("DELETE", f"/v1/sources/{segment(id)}", query={"include": include, "exclude": exclude})


class EventsOperations(Group):
    def source_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        event_name: str | None = None,
    ) -> types.EventsSourceSummariesResponse:
        """List a source's events.

        The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            expand: Answer with the full event data.
            event_name: Extension: The event stream to list. Default: the default one.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
                "event_name": event_name,
            },
        )

    def source_error_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EventsSourceErrorSummariesResponse:
        """List a source's errors.

        Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            expand: Answer with the full event data.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/$errors/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def source_log_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EventsSourceLogSummariesResponse:
        """List what a source logged.

        Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            expand: Answer with the full event data.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/$logs/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def delete_source_events(
        self,
        id: str,
        *,
        start_id: str | None = None,
        end_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> None:
        """Delete a source's events.

        Deletes the events from start_id to end_id, both included. The server removes them soon after the response,
        and no attempt to deliver one of them starts more than 5 seconds after it. Needs a key with the scope
        `write`.

        Args:
            id: The source's id or its name slug.
            start_id: The first event to delete. Default: the oldest.
            end_id: The last event to delete. Default: the newest at this moment.
            event_name: Extension: The event stream to delete from. Default: the default one.
        """
        self._send(
            "DELETE",
            f"/v1/sources/{segment(id)}/events",
            query={
                "start_id": start_id,
                "end_id": end_id,
                "event_name": event_name,
                "include": include,
                "exclude": exclude,
            },
        )

    def workflow_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        event_name: str | None = None,
    ) -> types.EventsWorkflowSummariesResponse:
        """List a workflow's events.

        The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            expand: Answer with the full event data.
            event_name: Extension: The event stream to list. Default: the default one.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
                "event_name": event_name,
            },
        )

    def workflow_error_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EventsWorkflowErrorSummariesResponse:
        """List a workflow's errors.

        The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            expand: Answer with the full event data.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/$errors/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def workflow_log_summaries(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EventsWorkflowLogSummariesResponse:
        """List what a workflow logged.

        Extension: The last 100 events at most, newest first. Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            expand: Answer with the full event data.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/$logs/event_summaries",
            query={
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )


class LogOperations(Group):
    def source_events(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        event_name: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogSourceEventsResponse:
        """Page over a source's whole log.

        Extension: Every retained event of a stream, newest first. A page of large events has fewer items than limit.
        Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            expand: Answer with the full event data.
            event_name: The event stream. Default: the default one.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/events",
            query={
                "expand": expand,
                "event_name": event_name,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def account_events(
        self,
        *,
        emitter: Sequence[str] | None = None,
        stream: str | None = None,
        text: str | None = None,
        id: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        expand: Literal["event"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogAccountEventsResponse:
        """Page over the events of the account.

        Extension: Every retained event of all emitters, or of those named, newest first, without a count. All
        filters given must hold. The server looks into a limited number of payloads for each page, so a page can be
        short or empty before the end of the list: go on with end_cursor while has_more is true. Needs a key with the
        scope `read`.

        Args:
            emitter: Only events of this emitter: the id or name slug of a source or workflow, or the account's
                id. Can be repeated.
            stream: Only events of this stream; empty or default for the default one. Default: all streams.
            text: Only events whose payload, as JSON text, contains this text. Upper and lower case differ.
            id: Only events with this id.
            from_: Indexed at this time or later. Unix time in milliseconds.
            to: Indexed before this time. Unix time in milliseconds.
            expand: Answer with the full event data.
        """
        return self._send(
            "GET",
            "/v1/events",
            query={
                "emitter": emitter,
                "stream": stream,
                "text": text,
                "id": id,
                "from": from_,
                "to": to,
                "expand": expand,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def source_event(
        self,
        id: str,
        event_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogSourceEventResponse:
        """Get an event.

        Extension: With its full data, from any stream. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            event_id: The event's id in its emitter's log.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/events/{segment(event_id)}",
            query={"include": include, "exclude": exclude},
        )

    def source_event_trace(
        self,
        id: str,
        event_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogSourceEventTraceResponse:
        """Trace an event.

        Extension: What happened to the event at every subscription of the account: whether it delivers the event and
        if not why, each attempt, and when the next one is due. Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
            event_id: The event's id in its emitter's log.
        """
        return self._send(
            "GET",
            f"/v1/sources/{segment(id)}/events/{segment(event_id)}/trace",
            query={"include": include, "exclude": exclude},
        )

    def workflow_events(
        self,
        id: str,
        *,
        expand: Literal["event"] | None = None,
        event_name: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogWorkflowEventsResponse:
        """Page over a workflow's whole log.

        Extension: Every retained event of a stream, newest first. A page of large events has fewer items than limit.
        Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            expand: Answer with the full event data.
            event_name: The event stream. Default: the default one.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/events",
            query={
                "expand": expand,
                "event_name": event_name,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def workflow_event(
        self,
        id: str,
        event_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogWorkflowEventResponse:
        """Get an event.

        Extension: With its full data, from any stream. Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            event_id: The event's id in its emitter's log.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/events/{segment(event_id)}",
            query={"include": include, "exclude": exclude},
        )

    def workflow_event_trace(
        self,
        id: str,
        event_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.LogWorkflowEventTraceResponse:
        """Trace an event.

        Extension: What happened to the event at every subscription of the account: whether it delivers the event and
        if not why, each attempt, and when the next one is due. Needs a key with the scope `read`.

        Args:
            id: The workflow's id.
            event_id: The event's id in its emitter's log.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/events/{segment(event_id)}/trace",
            query={"include": include, "exclude": exclude},
        )


class ConsumersOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ConsumersListResponse:
        """List consumers.

        Extension: Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/consumers",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.ConsumersCreateBody,
        idempotency_key: str | None = None,
    ) -> types.ConsumersCreateResponse:
        """Create a consumer.

        Extension: A place in the log of one emitter or of several, from which a client reads and commits. Needs a
        key with the scope `write`.
        """
        return self._send("POST", "/v1/consumers", headers={"Idempotency-Key": idempotency_key}, body=body)

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.ConsumersGetResponse:
        """Get a consumer.

        Extension: By its id. Needs a key with the scope `read`.

        Args:
            id: The consumer's id.
        """
        return self._send("GET", f"/v1/consumers/{segment(id)}", query={"include": include, "exclude": exclude})

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a consumer.

        Extension: Reads that wait end. Needs a key with the scope `write`.

        Args:
            id: The consumer's id.
        """
        self._send("DELETE", f"/v1/consumers/{segment(id)}", query={"include": include, "exclude": exclude})

    def positions(
        self,
        id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ConsumersPositionsResponse:
        """List where a consumer stands.

        Extension: Each emitter that it reads, in the order of their ids, with what waits there and what became of
        the rest. Needs a key with the scope `read`.

        Args:
            id: The consumer's id.
        """
        return self._send(
            "GET",
            f"/v1/consumers/{segment(id)}/positions",
            query={"limit": limit, "after": after, "include": include, "exclude": exclude},
        )

    def events(
        self,
        id: str,
        *,
        max: int | None = None,
        max_bytes: int | None = None,
        wait: int | None = None,
        lease: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ConsumersEventsResponse:
        """Read a consumer's events.

        Extension: What comes behind the last commit, oldest first: until it is committed, the same events again. A
        page can be empty though more waits, where the filter kept out all that was looked at. Needs a key with the
        scope `run`.

        Args:
            id: The consumer's id.
            max: At most so many events, 1 to 1000; default 100.
            max_bytes: No more events once their data has come to so many bytes, 1 to 1048576; default 262144.
            wait: How many seconds to wait for the first event, 0 to 60; default 0.
            lease: The lease that an earlier read gave. Default: get one.
        """
        return self._send(
            "GET",
            f"/v1/consumers/{segment(id)}/events",
            query={
                "max": max,
                "max_bytes": max_bytes,
                "wait": wait,
                "lease": lease,
                "include": include,
                "exclude": exclude,
            },
        )

    def commit(
        self,
        id: str,
        *,
        body: types.ConsumersCommitBody,
        idempotency_key: str | None = None,
    ) -> types.ConsumersCommitResponse:
        """Commit events.

        Extension: They are not read again. To repeat a commit changes nothing. With a lease that has ended it is
        taken only as long as no other reader has one. Needs a key with the scope `run`.

        Args:
            id: The consumer's id.
        """
        return self._send(
            "POST",
            f"/v1/consumers/{segment(id)}/commit",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def seek(
        self,
        id: str,
        *,
        body: types.ConsumersSeekBody,
        idempotency_key: str | None = None,
    ) -> types.ConsumersSeekResponse:
        """Move a consumer.

        Extension: Reads go on from there. Ends the lease, so that a commit of what was read before answers 409, and
        counts anew. Needs a key with the scope `run`.

        Args:
            id: The consumer's id.
        """
        return self._send(
            "POST",
            f"/v1/consumers/{segment(id)}/seek",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )


class JourneyOperations(Group):
    def event(
        self,
        id: str,
        *,
        emitter: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.JourneyEventResponse:
        """Follow an event.

        Extension: The way of an event over all emitters, as a graph: the request or event that its emitter ran over,
        and so on back; every subscription that hears its emitter, and if it does not deliver the event why; and the
        runs, deliveries and events that came of it, and so on. Needs a key with the scope `read`.

        Args:
            id: The event's id in its emitter's log.
            emitter: Whose event it is: the id or name slug of a source or workflow, or the account's id. Needed
                if several emitters have an event with this id.
        """
        return self._send(
            "GET",
            f"/v1/events/{segment(id)}/journey",
            query={"emitter": emitter, "include": include, "exclude": exclude},
        )


class FiguresOperations(Group):
    def series(
        self,
        *,
        from_: int | None = None,
        to: int | None = None,
        step: int | None = None,
        emitter: str | None = None,
        listener: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.FiguresSeriesResponse:
        """Get figures.

        Extension: What happened over time, and how the account stands now. Minutes are kept for 48 hours, hours for
        40 days. A server adds what it has counted every 10 seconds; one that is killed loses the figures of its last
        seconds, and nothing else. Needs a key with the scope `read`.

        Args:
            from_: From this time on. Default: an hour before to. Unix time in milliseconds.
            to: Before this time. Default: now. Unix time in milliseconds.
            step: How long a step is, in milliseconds: whole minutes, and at most 1,500 steps. Where minutes are
                no longer kept, an hour at least. Default: one that gives at most 200 steps.
            emitter: Requests, events and errors of this emitter only: the id or name slug of a source or
                workflow, or the account's id. Without listener, the other figures are its own too, as a listener.
            listener: Runs, attempts and what follows of this listener only: the id or name slug of a source or
                workflow, or the id of a webhook.
        """
        return self._send(
            "GET",
            "/v1/figures",
            query={
                "from": from_,
                "to": to,
                "step": step,
                "emitter": emitter,
                "listener": listener,
                "include": include,
                "exclude": exclude,
            },
        )


class GraphOperations(Group):
    def page(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        node: str | None = None,
        expand: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.GraphPageResponse:
        """Get the graph.

        Extension: The emitters and listeners of the account, with their rates and whether something fails or waits,
        and the subscriptions between them. What waits is at most 5 seconds old, rates are as the figures. Needs a
        key with the scope `read`.

        Args:
            node: The id of a source, workflow, webhook, consumer or account: only this node, and what it listens
                to.
            expand: The id of a subscription, whose emitters are listed: those that a glob matches.
        """
        return self._send(
            "GET",
            "/v1/graph",
            query={
                "limit": limit,
                "after": after,
                "node": node,
                "expand": expand,
                "include": include,
                "exclude": exclude,
            },
        )


class NodesOperations(Group):
    def list(self, *, include: str | None = None, exclude: str | None = None) -> types.NodesListResponse:
        """List nodes.

        Extension: The processes that share the database, oldest first: those that said within 30 seconds that they
        are there. Each says so every 10 seconds. Needs a key with the scope `read`.
        """
        return self._send("GET", "/v1/nodes", query={"include": include, "exclude": exclude})


class DiagnosisOperations(Group):
    def get(self, *, include: str | None = None, exclude: str | None = None) -> types.DiagnosisGetResponse:
        """Examine the server.

        Extension: Whether the process that answers reaches its database and the internet, has space, runs code, and
        agrees with the database about the time; and what to do if not. It looks at most every 10 seconds. Needs a
        key with the scope `read`.
        """
        return self._send("GET", "/v1/diagnosis", query={"include": include, "exclude": exclude})


class ClockOperations(Group):
    def get(self, *, include: str | None = None, exclude: str | None = None) -> types.ClockGetResponse:
        """Get the clock.

        Extension: What time it is for the server. A server that was not started with a dev clock has a fixed one,
        which is real time. Needs a key with the scope `read`.
        """
        return self._send("GET", "/v1/clock", query={"include": include, "exclude": exclude})

    def release(self, *, include: str | None = None, exclude: str | None = None) -> types.ClockReleaseResponse:
        """Let the clock run.

        Extension: Time goes on at its own speed from where it is; it never goes back. An advance under way ends
        first. Needs a key with the scope `run`.
        """
        return self._send("DELETE", "/v1/clock", query={"include": include, "exclude": exclude})

    def freeze(
        self,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.ClockFreezeResponse:
        """Stop the clock.

        Extension: Time stands still. An advance under way ends where it is. Needs a key with the scope `run`.
        """
        return self._send(
            "POST",
            "/v1/clock/freeze",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def advance(
        self,
        *,
        body: types.ClockAdvanceBody,
        idempotency_key: str | None = None,
    ) -> types.ClockAdvanceResponse:
        """Move the clock forward.

        Extension: Begins to do all that falls due up to a time, each at its time and in its order. Time stands still
        before and after. The end is told by clock.ready on the stream $clock of the account. Needs a key with the
        scope `run`.
        """
        return self._send("POST", "/v1/clock/advance", headers={"Idempotency-Key": idempotency_key}, body=body)

    def operation(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.ClockOperationResponse:
        """Get an advance of the clock.

        Extension: How far it has come, and what fell due. The last 200 are kept. Needs a key with the scope `read`.

        Args:
            id: The operation's id.
        """
        return self._send("GET", f"/v1/clock/operations/{segment(id)}", query={"include": include, "exclude": exclude})


class SubscriptionsOperations(Group):
    def create(
        self,
        *,
        body: types.SubscriptionsCreateBody | None = None,
        emitter_id: str | None = None,
        listener_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        from_: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.SubscriptionsCreateResponse:
        """Subscribe a listener.

        The listener receives what the emitter emits from now on and the filter lets through. Repeating the request
        returns the existing subscription, with the filter and batch that it has. Needs a key with the scope `write`.

        Args:
            emitter_id: Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow,
                dc_* every source.
            listener_id: Required. A source, workflow or webhook.
            event_name: The event stream: $errors, $logs, default, or a name the emitter gives. Default: the
                default one.
            from_: Extension: Where a new subscription starts: beginning, or the id of the first event to
                deliver. If that event is gone, delivery starts at the next one. Default: the end of the log.
        """
        return self._send(
            "POST",
            "/v1/subscriptions",
            query={
                "emitter_id": emitter_id,
                "listener_id": listener_id,
                "event_name": event_name,
                "include": include,
                "exclude": exclude,
                "from": from_,
            },
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def update(
        self,
        *,
        body: types.SubscriptionsUpdateBody | None = None,
        emitter_id: str | None = None,
        listener_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.SubscriptionsUpdateResponse:
        """Update a subscription.

        Extension: Takes the parameters that created the subscription. The filter and batch hold for every event that
        the subscription has not passed yet. Needs a key with the scope `write`.

        Args:
            emitter_id: Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow,
                dc_* every source.
            listener_id: Required. A source, workflow or webhook.
            event_name: The event stream: $errors, $logs, default, or a name the emitter gives. Default: the
                default one.
        """
        return self._send(
            "PUT",
            "/v1/subscriptions",
            query={
                "emitter_id": emitter_id,
                "listener_id": listener_id,
                "event_name": event_name,
                "include": include,
                "exclude": exclude,
            },
            body=body,
        )

    def delete(
        self,
        *,
        body: types.SubscriptionsDeleteBody | None = None,
        emitter_id: str | None = None,
        listener_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> None:
        """Unsubscribe a listener.

        Takes the parameters that created the subscription; event_name is empty if it was created without one. Needs
        a key with the scope `write`.

        Args:
            emitter_id: Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow,
                dc_* every source.
            listener_id: Required. A source, workflow or webhook.
            event_name: The event stream: $errors, $logs, default, or a name the emitter gives. Default: the
                default one.
        """
        self._send(
            "DELETE",
            "/v1/subscriptions",
            query={
                "emitter_id": emitter_id,
                "listener_id": listener_id,
                "event_name": event_name,
                "include": include,
                "exclude": exclude,
            },
            body=body,
        )

    def preview(
        self,
        *,
        body: types.SubscriptionsPreviewBody | None = None,
        emitter_id: str | None = None,
        listener_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        limit: int | None = None,
        idempotency_key: str | None = None,
    ) -> types.SubscriptionsPreviewResponse:
        """Preview a subscription.

        Extension: Shows which of the latest events of all matching emitters such a subscription would deliver, and
        to which listener. Sends and creates nothing. Needs a key with the scope `read`.

        Args:
            emitter_id: Required. A source or workflow, or a glob over ids with * and ?: p_* is every workflow,
                dc_* every source.
            listener_id: Required. A source, workflow or webhook.
            event_name: The event stream: $errors, $logs, default, or a name the emitter gives. Default: the
                default one.
        """
        return self._send(
            "POST",
            "/v1/subscriptions/preview",
            query={
                "emitter_id": emitter_id,
                "listener_id": listener_id,
                "event_name": event_name,
                "include": include,
                "exclude": exclude,
                "limit": limit,
            },
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list(self, *, include: str | None = None, exclude: str | None = None) -> types.SubscriptionsListResponse:
        """List subscriptions.

        All of them, newest first. Needs a key with the scope `read`.
        """
        return self._send("GET", "/v1/users/me/subscriptions", query={"include": include, "exclude": exclude})


class AutoSubscriptionsOperations(Group):
    def create(
        self,
        *,
        body: types.AutoSubscriptionsCreateBody | None = None,
        listener_id: str | None = None,
        event_name: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.AutoSubscriptionsCreateResponse:
        """Subscribe a listener to what is created later.

        Subscribes the listener to every source and workflow created from now on, from its first event. Existing ones
        are not affected. Repeating the request returns the existing auto-subscription. Needs a key with the scope
        `write`.

        Args:
            listener_id: Required. A source, workflow or webhook.
            event_name: The event stream: $errors, $logs, default, or a name the emitters give. Default: the
                default one.
        """
        return self._send(
            "POST",
            "/v1/auto_subscriptions",
            query={"listener_id": listener_id, "event_name": event_name, "include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.AutoSubscriptionsListResponse:
        """List auto-subscriptions.

        Extension: Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/auto_subscriptions",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete an auto-subscription.

        Extension: The subscriptions that it created remain. Needs a key with the scope `write`.

        Args:
            id: The auto-subscription's id.
        """
        self._send("DELETE", f"/v1/auto_subscriptions/{segment(id)}", query={"include": include, "exclude": exclude})


class WebhooksOperations(Group):
    def create(
        self,
        *,
        body: types.WebhooksCreateBody | None = None,
        url: str | None = None,
        name: str | None = None,
        description: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksCreateResponse:
        """Create a webhook.

        Creates a URL that events can be delivered to. Subscriptions with the webhook as listener route events to it.
        Needs a key with the scope `write`.

        Args:
            url: Required. An http or https URL with a hostname; a port and a path are allowed.
            name: For people. Default: null.
            description: For people. Default: null.
        """
        return self._send(
            "POST",
            "/v1/webhooks",
            query={"url": url, "name": name, "description": description, "include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WebhooksListResponse:
        """List webhooks.

        Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/webhooks",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.WebhooksGetResponse:
        """Get a webhook.

        Extension: By its id, with its settings. Needs a key with the scope `read`.

        Args:
            id: The webhook's id.
        """
        return self._send("GET", f"/v1/webhooks/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.WebhooksUpdateBody) -> types.WebhooksUpdateResponse:
        """Update a webhook.

        Extension: Fields that are not given stay unchanged, but a missing active means true. Needs a key with the
        scope `write`.

        Args:
            id: The webhook's id.
        """
        return self._send("PUT", f"/v1/webhooks/{segment(id)}", body=body)

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a webhook.

        Extension: Also deletes its subscriptions. Needs a key with the scope `write`.

        Args:
            id: The webhook's id.
        """
        self._send("DELETE", f"/v1/webhooks/{segment(id)}", query={"include": include, "exclude": exclude})

    def get_secret(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WebhooksGetSecretResponse:
        """Get a webhook's signing secret.

        Extension: The newest one. Needs a key with the scope `write`.

        Args:
            id: The webhook's id.
        """
        return self._send("GET", f"/v1/webhooks/{segment(id)}/secret", query={"include": include, "exclude": exclude})

    def rotate_secret(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksRotateSecretResponse:
        """Rotate a webhook's signing secret.

        Extension: Returns the new secret. For 24 hours the previous one signs too. Needs a key with the scope
        `write`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/secret/rotate",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def get_public_key(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WebhooksGetPublicKeyResponse:
        """Get a webhook's public key.

        Extension: The newest one. It verifies the v1a signatures of a webhook with the signature ed25519 or both.
        Needs a key with the scope `read`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "GET",
            f"/v1/webhooks/{segment(id)}/public_key",
            query={"include": include, "exclude": exclude},
        )

    def rotate_public_key(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksRotatePublicKeyResponse:
        """Rotate a webhook's key pair.

        Extension: Returns the new public key. For 24 hours the previous private key signs too. Needs a key with the
        scope `write`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/public_key/rotate",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def test(
        self,
        id: str,
        *,
        body: types.WebhooksTestBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksTestResponse:
        """Send a webhook a test.

        Extension: Sends one signed request, now and without a retry, also to an inactive webhook, and answers what
        came back. It has a webhook-id of its own and the header x-headwater-test: true. It is in no list and in no
        accounting. Needs a key with the scope `run`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/test",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def pause(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksPauseResponse:
        """Pause a webhook.

        Extension: Makes it inactive. It keeps its place in the log, and its retries wait. Needs a key with the scope
        `run`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/pause",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def resume(
        self,
        id: str,
        *,
        body: types.WebhooksResumeBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksResumeResponse:
        """Resume a webhook.

        Extension: Makes it active. With from: now, also an active webhook drops what waits. Needs a key with the
        scope `run`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/resume",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def force_next(
        self,
        id: str,
        *,
        body: types.WebhooksForceNextBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WebhooksForceNextResponse:
        """Attempt now what the lines of a webhook stand on.

        Extension: The events of each emitter are a line. Of each, the oldest pending delivery is attempted as soon
        as the webhook takes an attempt. Needs a key with the scope `run`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/force-next",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )


class DeliveriesOperations(Group):
    def list(
        self,
        *,
        webhook_id: str | None = None,
        subscription_id: str | None = None,
        emitter_id: str | None = None,
        event_name: str | None = None,
        event_id: str | None = None,
        state: Literal["pending", "delivered", "exhausted", "dropped"] | None = None,
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
        ] | None = None,
        status: str | None = None,
        since: int | None = None,
        until: int | None = None,
        last_attempt_since: int | None = None,
        text: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DeliveriesListResponse:
        """List deliveries.

        Extension: Those of the account. Newest first, without a count. All filters given must hold. The server looks
        at a limited number of deliveries for each page, so a page can be short or empty before the end of the list:
        go on with end_cursor while has_more is true. Needs a key with the scope `read`.

        Args:
            webhook_id: To this webhook.
            subscription_id: Of this subscription, even if it is deleted.
            emitter_id: Of events of this source, workflow (by id or name slug) or account.
            event_name: Of events of this stream; empty or default for the default one.
            event_id: Of the event with this id.
            state: pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up
                after the last attempt. dropped: its event or its subscription was deleted before it arrived, or
                somebody skipped it.
            error_class: Whose last attempt failed in this way.
            status: Whose last attempt was answered with this status (503) or class of statuses (5xx).
            since: Begun at this time or later. Unix time in milliseconds.
            until: Begun before this time. Unix time in milliseconds.
            last_attempt_since: Whose last attempt was made at this time or later. Unix time in milliseconds.
            text: Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
        """
        return self._send(
            "GET",
            "/v1/deliveries",
            query={
                "webhook_id": webhook_id,
                "subscription_id": subscription_id,
                "emitter_id": emitter_id,
                "event_name": event_name,
                "event_id": event_id,
                "state": state,
                "error_class": error_class,
                "status": status,
                "since": since,
                "until": until,
                "last_attempt_since": last_attempt_since,
                "text": text,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def of_webhook(
        self,
        id: str,
        *,
        subscription_id: str | None = None,
        emitter_id: str | None = None,
        event_name: str | None = None,
        event_id: str | None = None,
        state: Literal["pending", "delivered", "exhausted", "dropped"] | None = None,
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
        ] | None = None,
        status: str | None = None,
        since: int | None = None,
        until: int | None = None,
        last_attempt_since: int | None = None,
        text: str | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DeliveriesOfWebhookResponse:
        """List a webhook's deliveries.

        Extension: Newest first, without a count. All filters given must hold. The server looks at a limited number
        of deliveries for each page, so a page can be short or empty before the end of the list: go on with
        end_cursor while has_more is true. Needs a key with the scope `read`.

        Args:
            id: The webhook's id.
            subscription_id: Of this subscription, even if it is deleted.
            emitter_id: Of events of this source, workflow (by id or name slug) or account.
            event_name: Of events of this stream; empty or default for the default one.
            event_id: Of the event with this id.
            state: pending: an attempt is still due. delivered: the endpoint answered 2xx. exhausted: given up
                after the last attempt. dropped: its event or its subscription was deleted before it arrived, or
                somebody skipped it.
            error_class: Whose last attempt failed in this way.
            status: Whose last attempt was answered with this status (503) or class of statuses (5xx).
            since: Begun at this time or later. Unix time in milliseconds.
            until: Begun before this time. Unix time in milliseconds.
            last_attempt_since: Whose last attempt was made at this time or later. Unix time in milliseconds.
            text: Of events whose payload, as JSON text, contains this text. Upper and lower case differ.
        """
        return self._send(
            "GET",
            f"/v1/webhooks/{segment(id)}/deliveries",
            query={
                "subscription_id": subscription_id,
                "emitter_id": emitter_id,
                "event_name": event_name,
                "event_id": event_id,
                "state": state,
                "error_class": error_class,
                "status": status,
                "since": since,
                "until": until,
                "last_attempt_since": last_attempt_since,
                "text": text,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def due(
        self,
        *,
        step: int | None = None,
        steps: int | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DeliveriesDueResponse:
        """Count due retries.

        Extension: How many retries are due in each step of time from now on, by webhook. What a webhook out of
        service owes counts too. Needs a key with the scope `read`.

        Args:
            step: How long a step is, in milliseconds.
            steps: How many steps.
        """
        return self._send(
            "GET",
            "/v1/deliveries/due",
            query={"step": step, "steps": steps, "include": include, "exclude": exclude},
        )

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.DeliveriesGetResponse:
        """Get a delivery.

        Extension: With every attempt: what was sent, what came back, and how long each phase took. Needs a key with
        the scope `read`.

        Args:
            id: The delivery's id.
        """
        return self._send("GET", f"/v1/deliveries/{segment(id)}", query={"include": include, "exclude": exclude})

    def retry(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.DeliveriesRetryResponse:
        """Retry a delivery.

        Extension: Attempts it once more, as soon as the webhook takes an attempt, with the same webhook-id. One that
        has ended, also one that arrived, is pending until then. If the attempt fails, the retry schedule continues
        after it. Needs a key with the scope `run`.

        Args:
            id: The delivery's id.
        """
        return self._send(
            "POST",
            f"/v1/deliveries/{segment(id)}/retry",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def skip(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.DeliveriesSkipResponse:
        """Skip a delivery.

        Extension: Drops a pending delivery. An attempt that is under way is broken off; the endpoint may have
        received it. Needs a key with the scope `run`.

        Args:
            id: The delivery's id.
        """
        return self._send(
            "POST",
            f"/v1/deliveries/{segment(id)}/skip",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )


class BulkActionsOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.BulkActionsListResponse:
        """List bulk actions.

        Extension: Newest first, without a count. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/bulk_actions",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.BulkActionsCreateBody,
        idempotency_key: str | None = None,
    ) -> types.BulkActionsCreateResponse:
        """Begin a bulk action.

        Extension: Deals with many deliveries or events, a few at a time and the oldest first, beside what is new.
        Needs a key with the scope `run`.
        """
        return self._send("POST", "/v1/bulk_actions", headers={"Idempotency-Key": idempotency_key}, body=body)

    def replay(
        self,
        id: str,
        *,
        body: types.BulkActionsReplayBody,
        idempotency_key: str | None = None,
    ) -> types.BulkActionsReplayResponse:
        """Replay events to a webhook.

        Extension: Begins a bulk action that sends them again: those of an emitter from an event on, or those of a
        span of time. Needs a key with the scope `run`.

        Args:
            id: The webhook's id.
        """
        return self._send(
            "POST",
            f"/v1/webhooks/{segment(id)}/replay",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.BulkActionsGetResponse:
        """Get a bulk action.

        Extension: With its progress. Needs a key with the scope `read`.

        Args:
            id: The bulk action's id.
        """
        return self._send("GET", f"/v1/bulk_actions/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.BulkActionsUpdateBody) -> types.BulkActionsUpdateResponse:
        """Change the rate of a bulk action.

        Extension: It holds within a second. Needs a key with the scope `run`.

        Args:
            id: The bulk action's id.
        """
        return self._send("PUT", f"/v1/bulk_actions/{segment(id)}", body=body)

    def pause(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.BulkActionsPauseResponse:
        """Pause a bulk action.

        Extension: Within a second it begins nothing more, until it is resumed. Needs a key with the scope `run`.

        Args:
            id: The bulk action's id.
        """
        return self._send(
            "POST",
            f"/v1/bulk_actions/{segment(id)}/pause",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def resume(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.BulkActionsResumeResponse:
        """Resume a bulk action.

        Extension: It goes on where it stood. Needs a key with the scope `run`.

        Args:
            id: The bulk action's id.
        """
        return self._send(
            "POST",
            f"/v1/bulk_actions/{segment(id)}/resume",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )

    def cancel(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.BulkActionsCancelResponse:
        """Cancel a bulk action.

        Extension: Within a second it begins nothing more. What it has done remains. Needs a key with the scope
        `run`.

        Args:
            id: The bulk action's id.
        """
        return self._send(
            "POST",
            f"/v1/bulk_actions/{segment(id)}/cancel",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )


class UsersOperations(Group):
    def me(self, *, include: str | None = None, exclude: str | None = None) -> types.UsersMeResponse:
        """Get the authenticated user.

        The fields depend on the account's plan. Needs a key with the scope `read`.
        """
        return self._send("GET", "/v1/users/me", query={"include": include, "exclude": exclude})


class KeysOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.KeysListResponse:
        """List API keys.

        Extension: The account's live keys, newest first, without the keys themselves. Needs a key with the scope
        `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/keys",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.KeysCreateBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.KeysCreateResponse:
        """Create an API key.

        Extension: Creates a key, which does not expire. Needs a key with the scope `write`.
        """
        return self._send(
            "POST",
            "/v1/users/me/keys",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def rotate(
        self,
        id: str,
        *,
        body: types.KeysRotateBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.KeysRotateResponse:
        """Rotate an API key.

        Extension: Returns a new key of the same name and scope. The old key expires after the overlap. Needs a key
        with the scope `write`.

        Args:
            id: The key's id.
        """
        return self._send(
            "POST",
            f"/v1/users/me/keys/{segment(id)}/rotate",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def revoke(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Revoke an API key.

        Extension: The server refuses the key from now on, even if it is the key of this request or the account's
        last one. Needs a key with the scope `write`.

        Args:
            id: The key's id.
        """
        self._send("DELETE", f"/v1/users/me/keys/{segment(id)}", query={"include": include, "exclude": exclude})


class AuditOperations(Group):
    def list(
        self,
        *,
        key: str | None = None,
        session: str | None = None,
        operation: str | None = None,
        from_: int | None = None,
        to: int | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.AuditListResponse:
        """List what was changed.

        Extension: Requests that were to change something, also those that were refused or failed, newest first,
        without a count. All filters given must hold. The server looks at a limited number of requests for each page,
        so a page can be short or empty before the end of the list: go on with end_cursor while has_more is true.
        Needs a key with the scope `read`.

        Args:
            key: Of the key with this id, also in sessions.
            session: Of the session with this id.
            operation: Of this operation, by its id in this document.
            from_: At this time or later. Unix time in seconds.
            to: Before this time. Unix time in seconds.
        """
        return self._send(
            "GET",
            "/v1/audit",
            query={
                "key": key,
                "session": session,
                "operation": operation,
                "from": from_,
                "to": to,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )


class AppAccountsOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.AppAccountsListResponse:
        """List accounts with apps.

        Extension: Newest first, without their credentials. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/accounts",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.AppAccountsCreateBody,
        idempotency_key: str | None = None,
    ) -> types.AppAccountsCreateResponse:
        """Add an account with an app.

        Extension: Give its id to an app prop of a source as {authProvisionId: id}. Needs a key with the scope
        `write`.
        """
        return self._send("POST", "/v1/accounts", headers={"Idempotency-Key": idempotency_key}, body=body)

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.AppAccountsGetResponse:
        """Get an account with an app.

        Extension: Without its credentials. Needs a key with the scope `read`.

        Args:
            id: The account's id.
        """
        return self._send("GET", f"/v1/accounts/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.AppAccountsUpdateBody) -> types.AppAccountsUpdateResponse:
        """Update an account with an app.

        Extension: Fields that are not given stay unchanged. Runs that begin afterwards use the new credentials.
        Needs a key with the scope `write`.

        Args:
            id: The account's id.
        """
        return self._send("PUT", f"/v1/accounts/{segment(id)}", body=body)

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Remove an account with an app.

        Extension: Sources that use it get an empty $auth from their next run on. Needs a key with the scope `write`.

        Args:
            id: The account's id.
        """
        self._send("DELETE", f"/v1/accounts/{segment(id)}", query={"include": include, "exclude": exclude})

    def connect(
        self,
        id: str,
        *,
        body: types.AppAccountsConnectBody,
        idempotency_key: str | None = None,
    ) -> types.AppAccountsConnectResponse:
        """Begin to connect an account over OAuth 2.

        Extension: By an authorization code with PKCE, or a device code. Have the user open the page. Needs a key
        with the scope `write`.

        Args:
            id: The account's id.
        """
        return self._send(
            "POST",
            f"/v1/accounts/{segment(id)}/connect",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def complete_connection(
        self,
        id: str,
        *,
        body: types.AppAccountsCompleteConnectionBody,
        idempotency_key: str | None = None,
    ) -> types.AppAccountsCompleteConnectionResponse:
        """Complete the connection of an account.

        Extension: With the key or session that began it. The account has the token from then on. Needs a key with
        the scope `write`.

        Args:
            id: The account's id.
        """
        return self._send(
            "POST",
            f"/v1/accounts/{segment(id)}/complete_connection",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )


class EnvironmentOperations(Group):
    def list(
        self,
        *,
        program_id: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EnvironmentListResponse:
        """List environment variables.

        Extension: By their names: those of the account, or those of one source or workflow alone. Needs a key with
        the scope `read`.

        Args:
            program_id: Id or slug of the source or workflow that it is for. Default: all of the account.
        """
        return self._send(
            "GET",
            "/v1/environment_variables",
            query={"program_id": program_id, "include": include, "exclude": exclude},
        )

    def get(
        self,
        name: str,
        *,
        program_id: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.EnvironmentGetResponse:
        """Get an environment variable.

        Extension: Without the value of a secret. Needs a key with the scope `read`.

        Args:
            name: The variable's name: letters, digits and _, no digit first.
            program_id: Id or slug of the source or workflow that it is for. Default: all of the account.
        """
        return self._send(
            "GET",
            f"/v1/environment_variables/{segment(name)}",
            query={"program_id": program_id, "include": include, "exclude": exclude},
        )

    def set(self, name: str, *, body: types.EnvironmentSetBody) -> types.EnvironmentSetResponse:
        """Set an environment variable.

        Extension: Code finds it in process.env, in runs that begin 2 seconds later at the latest. The names and
        values of an account, and those of a source or workflow, take at most 256 KiB together. Encrypted at rest.
        Needs a key with the scope `write`.

        Args:
            name: The variable's name: letters, digits and _, no digit first.
        """
        return self._send("PUT", f"/v1/environment_variables/{segment(name)}", body=body)

    def delete(
        self,
        name: str,
        *,
        program_id: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> None:
        """Remove an environment variable.

        Extension: Runs that begin 2 seconds later at the latest don't have it. Needs a key with the scope `write`.

        Args:
            name: The variable's name: letters, digits and _, no digit first.
            program_id: Id or slug of the source or workflow that it is for. Default: all of the account.
        """
        self._send(
            "DELETE",
            f"/v1/environment_variables/{segment(name)}",
            query={"program_id": program_id, "include": include, "exclude": exclude},
        )


class DataStoresOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DataStoresListResponse:
        """List data stores.

        Extension: Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/data_stores",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.DataStoresCreateBody,
        idempotency_key: str | None = None,
    ) -> types.DataStoresCreateResponse:
        """Create a data store.

        Extension: Keys with values that sources and workflows share: give its id or name to a prop of the type
        data_store. Needs a key with the scope `write`.
        """
        return self._send("POST", "/v1/data_stores", headers={"Idempotency-Key": idempotency_key}, body=body)

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.DataStoresGetResponse:
        """Get a data store.

        Extension: With the number of entries. Needs a key with the scope `read`.

        Args:
            id: The data store's id or name.
        """
        return self._send("GET", f"/v1/data_stores/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.DataStoresUpdateBody) -> types.DataStoresUpdateResponse:
        """Rename a data store.

        Extension: Sources and workflows that use it go on. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
        """
        return self._send("PUT", f"/v1/data_stores/{segment(id)}", body=body)

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a data store.

        Extension: With its entries. Code that uses it fails then. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
        """
        self._send("DELETE", f"/v1/data_stores/{segment(id)}", query={"include": include, "exclude": exclude})

    def entries(
        self,
        id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        prefix: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DataStoresEntriesResponse:
        """List the entries of a data store.

        Extension: In the order of their keys. A page of large values holds fewer entries than its limit. Needs a key
        with the scope `read`.

        Args:
            id: The data store's id or name.
            prefix: Lists only keys that begin so.
        """
        return self._send(
            "GET",
            f"/v1/data_stores/{segment(id)}/entries",
            query={"limit": limit, "after": after, "prefix": prefix, "include": include, "exclude": exclude},
        )

    def set_entries(
        self,
        id: str,
        *,
        body: types.DataStoresSetEntriesBody,
        idempotency_key: str | None = None,
    ) -> types.DataStoresSetEntriesResponse:
        """Set entries of a data store.

        Extension: All of them at once, or none. Other entries stay. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
        """
        return self._send(
            "POST",
            f"/v1/data_stores/{segment(id)}/entries",
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def clear(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Clear a data store.

        Extension: Removes all of its entries. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
        """
        self._send("DELETE", f"/v1/data_stores/{segment(id)}/entries", query={"include": include, "exclude": exclude})

    def entry(
        self,
        id: str,
        *,
        key: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.DataStoresEntryResponse:
        """Get an entry of a data store.

        Extension: By its key. Needs a key with the scope `read`.

        Args:
            id: The data store's id or name.
            key: The key.
        """
        return self._send(
            "GET",
            f"/v1/data_stores/{segment(id)}/entry",
            query={"key": key, "include": include, "exclude": exclude},
        )

    def set_entry(self, id: str, *, body: types.DataStoresSetEntryBody) -> types.DataStoresSetEntryResponse:
        """Set an entry of a data store.

        Extension: Replaces the value, and when it is removed. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
        """
        return self._send("PUT", f"/v1/data_stores/{segment(id)}/entry", body=body)

    def remove_entry(
        self,
        id: str,
        *,
        key: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> None:
        """Remove an entry of a data store.

        Extension: By its key. Needs a key with the scope `write`.

        Args:
            id: The data store's id or name.
            key: The key.
        """
        self._send(
            "DELETE",
            f"/v1/data_stores/{segment(id)}/entry",
            query={"key": key, "include": include, "exclude": exclude},
        )


class WorkflowsOperations(Group):
    def list(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WorkflowsListResponse:
        """List workflows.

        Extension: Newest first. Needs a key with the scope `read`.
        """
        return self._send(
            "GET",
            "/v1/users/me/workflows",
            query={"limit": limit, "after": after, "before": before, "include": include, "exclude": exclude},
        )

    def create(
        self,
        *,
        body: types.WorkflowsCreateBody,
        idempotency_key: str | None = None,
    ) -> types.WorkflowsCreateResponse:
        """Create a workflow.

        Extension: One of workflow_code and workflow_url is required. The workflow listens to its subscriptions, and
        to the HTTP and timer props in its code. Needs a key with the scope `write`.
        """
        return self._send("POST", "/v1/workflows", headers={"Idempotency-Key": idempotency_key}, body=body)

    def get(self, id: str, *, include: str | None = None, exclude: str | None = None) -> types.WorkflowsGetResponse:
        """Get a workflow.

        Extension: By its id or its name slug. Needs a key with the scope `read`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send("GET", f"/v1/workflows/{segment(id)}", query={"include": include, "exclude": exclude})

    def update(self, id: str, *, body: types.WorkflowsUpdateBody) -> types.WorkflowsUpdateResponse:
        """Update a workflow.

        Extension: Fields that are not given stay unchanged, but a missing active means true. Runs that have begun
        continue with the code and props that they began with. Needs a key with the scope `write`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send("PUT", f"/v1/workflows/{segment(id)}", body=body)

    def delete(self, id: str, *, include: str | None = None, exclude: str | None = None) -> None:
        """Delete a workflow.

        Extension: Also deletes its runs, events and subscriptions. Needs a key with the scope `write`.

        Args:
            id: The workflow's id or its name slug.
        """
        self._send("DELETE", f"/v1/workflows/{segment(id)}", query={"include": include, "exclude": exclude})

    def get_secret(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WorkflowsGetSecretResponse:
        """Get a workflow's signing secret.

        Extension: Signs the requests that the workflow sends with $.send.http, as for deliveries to webhooks. Needs
        a key with the scope `write`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send("GET", f"/v1/workflows/{segment(id)}/secret", query={"include": include, "exclude": exclude})

    def invoke(
        self,
        id: str,
        *,
        body: types.WorkflowsInvokeBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WorkflowsInvokeResponse:
        """Run a workflow.

        Extension: The server answers once the event is durable. The run begins when its turn comes. Needs a key with
        the scope `run`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send(
            "POST",
            f"/v1/workflows/{segment(id)}/invocations",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )


class WorkflowRunsOperations(Group):
    def list(
        self,
        id: str,
        *,
        status: Literal["running", "waiting", "success", "error", "cancelled"] | None = None,
        waits_for: Literal["suspend", "delay", "rerun", "retry"] | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WorkflowRunsListResponse:
        """List a workflow's runs.

        Extension: Newest first. The server keeps runs as long as the account's events. Needs a key with the scope
        `read`.

        Args:
            id: The workflow's id or its name slug.
            status: waiting: until somebody resumes it, or a delay, a rerun or a retry is due.
            waits_for: The reason for which a run waits.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/runs",
            query={
                "status": status,
                "waits_for": waits_for,
                "limit": limit,
                "after": after,
                "before": before,
                "include": include,
                "exclude": exclude,
            },
        )

    def get(
        self,
        id: str,
        run_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.WorkflowRunsGetResponse:
        """Get a run of a workflow.

        Extension: With its event, its steps, and their results and logs. Needs a key with the scope `read`.

        Args:
            id: The workflow's id or its name slug.
            run_id: The run's id.
        """
        return self._send(
            "GET",
            f"/v1/workflows/{segment(id)}/runs/{segment(run_id)}",
            query={"include": include, "exclude": exclude},
        )

    def rerun(
        self,
        id: str,
        run_id: str,
        *,
        body: types.WorkflowRunsRerunBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WorkflowRunsRerunResponse:
        """Run a run's event again.

        Extension: Starts a new run for the same event, with the workflow's current code and props. Needs a key with
        the scope `run`.

        Args:
            id: The workflow's id or its name slug.
            run_id: The run's id.
        """
        return self._send(
            "POST",
            f"/v1/workflows/{segment(id)}/runs/{segment(run_id)}/rerun",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def resume(
        self,
        id: str,
        run_id: str,
        *,
        body: types.WorkflowRunsResumeBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WorkflowRunsResumeResponse:
        """Resume a waiting run.

        Extension: Continues the run before its time, as a request to its resume_url does. The server answers once
        that is durable. The run continues when its turn comes. Needs a key with the scope `run`.

        Args:
            id: The workflow's id or its name slug.
            run_id: The run's id.
        """
        return self._send(
            "POST",
            f"/v1/workflows/{segment(id)}/runs/{segment(run_id)}/resume",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def cancel(
        self,
        id: str,
        run_id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.WorkflowRunsCancelResponse:
        """Cancel a waiting run.

        Extension: Ends the run. What its steps have done remains. A run that is at a step cannot be cancelled. Needs
        a key with the scope `run`.

        Args:
            id: The workflow's id or its name slug.
            run_id: The run's id.
        """
        return self._send(
            "POST",
            f"/v1/workflows/{segment(id)}/runs/{segment(run_id)}/cancel",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
        )


class CodeOperations(Group):
    def source_code(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.CodeSourceCodeResponse:
        """Get a source's code.

        Extension: The code that it runs, also if its component was withdrawn from the registry, with its props.
        Needs a key with the scope `read`.

        Args:
            id: The source's id or its name slug.
        """
        return self._send("GET", f"/v1/sources/{segment(id)}/code", query={"include": include, "exclude": exclude})

    def workflow_code(
        self,
        id: str,
        *,
        include: str | None = None,
        exclude: str | None = None,
    ) -> types.CodeWorkflowCodeResponse:
        """Get a workflow's code.

        Extension: The code of its current deployment, with the props of its steps. Needs a key with the scope
        `read`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send("GET", f"/v1/workflows/{segment(id)}/code", query={"include": include, "exclude": exclude})

    def check(self, *, body: types.CodeCheckBody, idempotency_key: str | None = None) -> types.CodeCheckResponse:
        """Check code.

        Extension: Loads code in the sandbox and answers what it is, or what is wrong with it and where. Nothing is
        kept. One of component_code, component_url, workflow_code and workflow_url is required. Needs a key with the
        scope `run`.
        """
        return self._send("POST", "/v1/code/check", headers={"Idempotency-Key": idempotency_key}, body=body)

    def try_code(self, *, body: types.CodeTryCodeBody, idempotency_key: str | None = None) -> types.CodeTryCodeResponse:
        """Try code.

        Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have
        done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not
        count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is
        refuse. Needs write, since code of one's own reads the secrets and accounts that its props name. Needs a key
        with the scope `write`.
        """
        return self._send("POST", "/v1/code/trial", headers={"Idempotency-Key": idempotency_key}, body=body)

    def run_action(
        self,
        *,
        body: types.CodeRunActionBody,
        idempotency_key: str | None = None,
    ) -> types.CodeRunActionResponse:
        """Run an action.

        Extension: Runs an action once, by itself, and answers its result. Its requests are made, and what it changes
        in data stores is kept; it has no log, so $.emit and $.send send nothing. One of component_code,
        component_url and component_id is required. Needs a key with the scope `write`.
        """
        return self._send("POST", "/v1/actions/run", headers={"Idempotency-Key": idempotency_key}, body=body)

    def try_source(
        self,
        id: str,
        *,
        body: types.CodeTrySourceBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.CodeTrySourceResponse:
        """Try a source.

        Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have
        done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not
        count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is
        refuse. The code and the props are those of the source. Needs a key with the scope `run`.

        Args:
            id: The source's id or its name slug.
        """
        return self._send(
            "POST",
            f"/v1/sources/{segment(id)}/trial",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )

    def try_workflow(
        self,
        id: str,
        *,
        body: types.CodeTryWorkflowBody | None = None,
        include: str | None = None,
        exclude: str | None = None,
        idempotency_key: str | None = None,
    ) -> types.CodeTryWorkflowResponse:
        """Try a workflow.

        Extension: Runs the code once, in the sandbox and within the limits of a run, and answers what it would have
        done. Nothing is kept: no event, no change of $.service.db, no dedupe mark, no delivery, and it does not
        count as an invocation. $.service.db is a copy. The requests that the code makes are made, unless requests is
        refuse. Its steps run one after the other at once: waits and delays are told and not waited for. Needs a key
        with the scope `run`.

        Args:
            id: The workflow's id or its name slug.
        """
        return self._send(
            "POST",
            f"/v1/workflows/{segment(id)}/trial",
            query={"include": include, "exclude": exclude},
            headers={"Idempotency-Key": idempotency_key},
            body=body,
        )


class Operations:
    """All operations, by their groups."""

    def __init__(self, send: Send) -> None:
        self.components = ComponentsOperations(send)
        self.sources = SourcesOperations(send)
        self.events = EventsOperations(send)
        self.log = LogOperations(send)
        self.consumers = ConsumersOperations(send)
        self.journey = JourneyOperations(send)
        self.figures = FiguresOperations(send)
        self.graph = GraphOperations(send)
        self.nodes = NodesOperations(send)
        self.diagnosis = DiagnosisOperations(send)
        self.clock = ClockOperations(send)
        self.subscriptions = SubscriptionsOperations(send)
        self.auto_subscriptions = AutoSubscriptionsOperations(send)
        self.webhooks = WebhooksOperations(send)
        self.deliveries = DeliveriesOperations(send)
        self.bulk_actions = BulkActionsOperations(send)
        self.users = UsersOperations(send)
        self.keys = KeysOperations(send)
        self.audit = AuditOperations(send)
        self.app_accounts = AppAccountsOperations(send)
        self.environment = EnvironmentOperations(send)
        self.data_stores = DataStoresOperations(send)
        self.workflows = WorkflowsOperations(send)
        self.workflow_runs = WorkflowRunsOperations(send)
        self.code = CodeOperations(send)
