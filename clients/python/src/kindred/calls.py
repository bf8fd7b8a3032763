# Made by "npm run generate" from the API description; not edited by hand.
"""Every call of the service as a method, named like its path: ``/get-job`` is ``get_job``."""

from __future__ import annotations

from typing import Any, Literal

from ._unset import UNSET, Unset
from .types import (
    Account,
    Algorithm,
    ApiKey,
    AutomationInput,
    AutomationStatus,
    Boost,
    CreateAlgorithmAlgorithmParameters,
    CreateApiKeyAnswer,
    CreateEventDatasetAnswer,
    CreateExperimentVariant,
    CreateItemDatasetAnswer,
    CreateUserDatasetAnswer,
    CreateWebhookAnswer,
    DeleteDatasetEventsAnswer,
    DeleteDatasetEventsBeforeTsAnswer,
    DeleteDatasetItemsAnswer,
    DeleteDatasetUserEventsAnswer,
    DeleteDatasetUsersAnswer,
    Deployment,
    DiversityLimits,
    EndConsoleSessionsAnswer,
    EventDataset,
    EventRecord,
    EventRecordInput,
    EventStatistics,
    Experiment,
    ExperimentReport,
    Fatigue,
    GetAttributeStatisticsAnswer,
    GetDataHealthAnswer,
    Impression,
    ItemDataset,
    ItemPatch,
    ItemRecord,
    ItemRecordInput,
    Job,
    ListAlgorithmsAnswer,
    ListApiKeysAnswer,
    ListAuditEntriesAnswer,
    ListAutomationDecisionsAnswer,
    ListConsoleSessionsAnswer,
    ListDatasetRecordsAnswer,
    ListEventDatasetsAnswer,
    ListExperimentsAnswer,
    ListItemDatasetsAnswer,
    ListJobsAnswer,
    ListModelsAnswer,
    ListPlacementVersionsAnswer,
    ListPlacementsAnswer,
    ListProjectsAnswer,
    ListUserDatasetsAnswer,
    ListWebhooksAnswer,
    MergeUsersAnswer,
    Model,
    PagePlacement,
    Pin,
    Placement,
    PlacementDefaultsInput,
    PlacementList,
    PlacementPage,
    PlacementReport,
    PlacementRuleInput,
    PreviewPlacementDefinition,
    PreviewPlacementRequest,
    Project,
    ProjectStatus,
    Ranking,
    Recommendation,
    RecordImpressionsAnswer,
    RelatedItems,
    RollbackDeploymentAnswer,
    RotateApiKeyAnswer,
    SegmentMappingInput,
    SessionEvent,
    ShutdownDeploymentAnswer,
    SubmitClusteringJobParameters,
    SubmitImportJobMap,
    SubmitRecommendationJobUsers,
    SubmitRecommendationJobUsers2,
    SubmitRecommendationJobUsers3,
    SubmittedJob,
    TopItems,
    TrackAnswer,
    TrackedEvent,
    UpsertDatasetEventsAnswer,
    UpsertDatasetItemsAnswer,
    UpsertDatasetUsersAnswer,
    UserDataset,
    UserDistributionQueryInput,
    UserListQuery,
    UserPatch,
    UserRecord,
    UserRecordInput,
    Webhook,
)


class Calls:
    def call(self, method: str, operation: str, fields: dict[str, Any], *, repeatable: bool) -> Any:
        raise NotImplementedError

    def create_user_dataset(
        self,
        *,
        name: str,
        num_shards: int | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> CreateUserDatasetAnswer:
        """Create a user dataset.

        Args:
            num_shards: Capacity: 100,000 records per shard. Cannot be changed later. Default 10.
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: CreateUserDatasetAnswer = self.call(
            "POST",
            "/create-user-dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": attribute_schema,
            },
            repeatable=False,
        )
        return answer

    def get_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset:
        """Read its configuration and count."""
        answer: UserDataset = self.call(
            "GET",
            "/get-user-dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
            repeatable=True,
        )
        return answer

    def list_user_datasets(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListUserDatasetsAnswer:
        """List the account's, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListUserDatasetsAnswer = self.call(
            "GET",
            "/list-user-datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def update_user_dataset(
        self,
        *,
        user_dataset_id: str,
        name: str | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> UserDataset:
        """Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies
        to records upserted from now on.

        Args:
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: UserDataset = self.call(
            "PUT",
            "/update-user-dataset",
            {
                "user_dataset_id": user_dataset_id,
                "name": name,
                "attribute_schema": attribute_schema,
            },
            repeatable=True,
        )
        return answer

    def delete_user_dataset(
        self,
        *,
        user_dataset_id: str,
    ) -> UserDataset:
        """Delete it with all its records. Fails while a project uses it. Returns its last configuration."""
        answer: UserDataset = self.call(
            "DELETE",
            "/delete-user-dataset",
            {
                "user_dataset_id": user_dataset_id,
            },
            repeatable=False,
        )
        return answer

    def create_item_dataset(
        self,
        *,
        name: str,
        num_shards: int | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> CreateItemDatasetAnswer:
        """Create an item dataset.

        Args:
            num_shards: Capacity: 100,000 records per shard. Cannot be changed later. Default 10.
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: CreateItemDatasetAnswer = self.call(
            "POST",
            "/create-item-dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": attribute_schema,
            },
            repeatable=False,
        )
        return answer

    def get_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset:
        """Read its configuration and count."""
        answer: ItemDataset = self.call(
            "GET",
            "/get-item-dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
            repeatable=True,
        )
        return answer

    def list_item_datasets(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListItemDatasetsAnswer:
        """List the account's, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListItemDatasetsAnswer = self.call(
            "GET",
            "/list-item-datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def update_item_dataset(
        self,
        *,
        item_dataset_id: str,
        name: str | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> ItemDataset:
        """Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies
        to records upserted from now on.

        Args:
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: ItemDataset = self.call(
            "PUT",
            "/update-item-dataset",
            {
                "item_dataset_id": item_dataset_id,
                "name": name,
                "attribute_schema": attribute_schema,
            },
            repeatable=True,
        )
        return answer

    def delete_item_dataset(
        self,
        *,
        item_dataset_id: str,
    ) -> ItemDataset:
        """Delete it with all its records. Fails while a project uses it. Returns its last configuration."""
        answer: ItemDataset = self.call(
            "DELETE",
            "/delete-item-dataset",
            {
                "item_dataset_id": item_dataset_id,
            },
            repeatable=False,
        )
        return answer

    def create_event_dataset(
        self,
        *,
        name: str,
        num_shards: int | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> CreateEventDatasetAnswer:
        """Create an event dataset.

        Args:
            num_shards: Capacity: 100,000 records per shard. Cannot be changed later. Default 10.
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: CreateEventDatasetAnswer = self.call(
            "POST",
            "/create-event-dataset",
            {
                "name": name,
                "num_shards": num_shards,
                "attribute_schema": attribute_schema,
            },
            repeatable=False,
        )
        return answer

    def get_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset:
        """Read its configuration and count."""
        answer: EventDataset = self.call(
            "GET",
            "/get-event-dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
            repeatable=True,
        )
        return answer

    def list_event_datasets(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListEventDatasetsAnswer:
        """List the account's, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListEventDatasetsAnswer = self.call(
            "GET",
            "/list-event-datasets",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def update_event_dataset(
        self,
        *,
        event_dataset_id: str,
        name: str | None | Unset = UNSET,
        attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None | Unset = UNSET,
    ) -> EventDataset:
        """Change its name or attribute schema. Missing fields keep their value. A new attribute schema applies
        to records upserted from now on.

        Args:
            attribute_schema: Attribute name to `NUMERICAL` or `CATEGORICAL`; null: the service infers the
                handling.
        """
        answer: EventDataset = self.call(
            "PUT",
            "/update-event-dataset",
            {
                "event_dataset_id": event_dataset_id,
                "name": name,
                "attribute_schema": attribute_schema,
            },
            repeatable=True,
        )
        return answer

    def delete_event_dataset(
        self,
        *,
        event_dataset_id: str,
    ) -> EventDataset:
        """Delete it with all its records. Fails while a project uses it. Returns its last configuration."""
        answer: EventDataset = self.call(
            "DELETE",
            "/delete-event-dataset",
            {
                "event_dataset_id": event_dataset_id,
            },
            repeatable=False,
        )
        return answer

    def upsert_dataset_users(
        self,
        *,
        user_dataset_id: str,
        users: list[UserRecordInput],
    ) -> UpsertDatasetUsersAnswer:
        """Insert or replace users. Inserts or replaces whole records by id, up to 1,000 per call. Each record
        succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins.
        Succeeded records are on disk when the call returns.

        Args:
            users: Up to 1,000 records.
        """
        answer: UpsertDatasetUsersAnswer = self.call(
            "POST",
            "/upsert-dataset-users",
            {
                "user_dataset_id": user_dataset_id,
                "users": users,
            },
            repeatable=True,
        )
        return answer

    def patch_dataset_users(
        self,
        *,
        user_dataset_id: str,
        users: list[UserPatch],
    ) -> UpsertDatasetUsersAnswer:
        """Change single attributes of users. Sets and removes attributes without the rest of the record, up to
        1,000 users per call. The next call sees the change. Each record changes whole or not at all;
        `failures` says why one did not. A user without a record fails with `RECORD_NOT_FOUND`: upsert it
        first. Patches of one id in a call are applied in their order, together. Patches and upserts of one
        record that run at the same time are applied one after the other, each to the whole record as the one
        before left it.

        Args:
            users: Up to 1,000 records.
        """
        answer: UpsertDatasetUsersAnswer = self.call(
            "POST",
            "/patch-dataset-users",
            {
                "user_dataset_id": user_dataset_id,
                "users": users,
            },
            repeatable=True,
        )
        return answer

    def upsert_dataset_items(
        self,
        *,
        item_dataset_id: str,
        items: list[ItemRecordInput],
    ) -> UpsertDatasetItemsAnswer:
        """Insert or replace items. Inserts or replaces whole records by id, up to 1,000 per call. Each record
        succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins.
        Succeeded records are on disk when the call returns.

        Args:
            items: Up to 1,000 records.
        """
        answer: UpsertDatasetItemsAnswer = self.call(
            "POST",
            "/upsert-dataset-items",
            {
                "item_dataset_id": item_dataset_id,
                "items": items,
            },
            repeatable=True,
        )
        return answer

    def patch_dataset_items(
        self,
        *,
        item_dataset_id: str,
        items: list[ItemPatch],
    ) -> UpsertDatasetItemsAnswer:
        """Change single attributes of items. Sets and removes attributes without the rest of the record, up to
        1,000 items per call. The next call sees the change. Each record changes whole or not at all;
        `failures` says why one did not. An item without a record fails with `RECORD_NOT_FOUND`: upsert it
        first. Patches of one id in a call are applied in their order, together. Patches and upserts of one
        record that run at the same time are applied one after the other, each to the whole record as the one
        before left it.

        Args:
            items: Up to 1,000 records.
        """
        answer: UpsertDatasetItemsAnswer = self.call(
            "POST",
            "/patch-dataset-items",
            {
                "item_dataset_id": item_dataset_id,
                "items": items,
            },
            repeatable=True,
        )
        return answer

    def upsert_dataset_events(
        self,
        *,
        event_dataset_id: str,
        events: list[EventRecordInput],
    ) -> UpsertDatasetEventsAnswer:
        """Insert or replace events. Inserts or replaces whole records by id, up to 1,000 per call. Each record
        succeeds or fails on its own; `failures` says why. If an id is sent twice, the last record wins.
        Succeeded records are on disk when the call returns. An event over 20,480 bytes of JSON fails without
        affecting the others. `warnings` lists events that were stored but look like mistakes: a time before
        2000 or more than a day ahead and, once the dataset has 10,000 events, an item or a type that is new
        and resembles a known one.

        Args:
            events: Up to 1,000 records.
        """
        answer: UpsertDatasetEventsAnswer = self.call(
            "POST",
            "/upsert-dataset-events",
            {
                "event_dataset_id": event_dataset_id,
                "events": events,
            },
            repeatable=True,
        )
        return answer

    def track(
        self,
        *,
        events: list[TrackedEvent],
        project_id: str | None | Unset = UNSET,
        user_id: str | None | Unset = UNSET,
        visitor_id: str | None | Unset = UNSET,
    ) -> TrackAnswer:
        """Store a few events of one visitor. For web pages, with a browser key (`?key=`), and for servers. Takes
        up to 20 events into the event dataset of the project. Each event succeeds or fails alone and has at
        most 4096 bytes. The stored event ids are made by the service from the visitor and what was sent, so a
        request that is sent again stores its events once if they have an `event_id` or a `ts`, else within
        the same minute. JSON may be sent as `text/plain`, as `navigator.sendBeacon` does.

        Args:
            project_id: Default: the key's project, else the default project.
            user_id: Who did it: a user you know. Send this or visitor_id.
            visitor_id: Who did it: a visitor who is not signed in. Stored like a user_id; /merge-users joins
                them later.
        """
        answer: TrackAnswer = self.call(
            "POST",
            "/track",
            {
                "events": events,
                "project_id": project_id,
                "user_id": user_id,
                "visitor_id": visitor_id,
            },
            repeatable=True,
        )
        return answer

    def delete_dataset_users(
        self,
        *,
        user_dataset_id: str,
        user_ids: list[str] | None | Unset = UNSET,
        ids: list[str] | None | Unset = UNSET,
    ) -> DeleteDatasetUsersAnswer:
        """Delete users by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted. To
        remove a person, delete the user and the events of the user. Results that can still be downloaded then
        say `[deleted]` in place of the id.

        Args:
            user_ids: Up to 1,000 ids.
            ids: The same as user_ids.
        """
        answer: DeleteDatasetUsersAnswer = self.call(
            "DELETE",
            "/delete-dataset-users",
            {
                "user_dataset_id": user_dataset_id,
                "user_ids": user_ids,
                "ids": ids,
            },
            repeatable=True,
        )
        return answer

    def delete_dataset_items(
        self,
        *,
        item_dataset_id: str,
        item_ids: list[str] | None | Unset = UNSET,
        ids: list[str] | None | Unset = UNSET,
    ) -> DeleteDatasetItemsAnswer:
        """Delete items by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted.

        Args:
            item_ids: Up to 1,000 ids.
            ids: The same as item_ids.
        """
        answer: DeleteDatasetItemsAnswer = self.call(
            "DELETE",
            "/delete-dataset-items",
            {
                "item_dataset_id": item_dataset_id,
                "item_ids": item_ids,
                "ids": ids,
            },
            repeatable=True,
        )
        return answer

    def delete_dataset_events(
        self,
        *,
        event_dataset_id: str,
        event_ids: list[str] | None | Unset = UNSET,
        ids: list[str] | None | Unset = UNSET,
    ) -> DeleteDatasetEventsAnswer:
        """Delete events by id. Unknown ids are skipped; `deleted_count` counts the records that were deleted.

        Args:
            event_ids: Up to 1,000 ids.
            ids: The same as event_ids.
        """
        answer: DeleteDatasetEventsAnswer = self.call(
            "DELETE",
            "/delete-dataset-events",
            {
                "event_dataset_id": event_dataset_id,
                "event_ids": event_ids,
                "ids": ids,
            },
            repeatable=True,
        )
        return answer

    def delete_dataset_user_events(
        self,
        *,
        event_dataset_id: str,
        user_id: str,
    ) -> DeleteDatasetUserEventsAnswer:
        """Delete all events of a user. To remove a person, delete the user and the events of the user. Results
        that can still be downloaded then say `[deleted]` in place of the id.
        """
        answer: DeleteDatasetUserEventsAnswer = self.call(
            "DELETE",
            "/delete-dataset-user-events",
            {
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
            },
            repeatable=True,
        )
        return answer

    def delete_dataset_events_before_ts(
        self,
        *,
        event_dataset_id: str,
        ts: int,
        start_ts: int | None | Unset = UNSET,
        dry_run: bool | None | Unset = UNSET,
    ) -> DeleteDatasetEventsBeforeTsAnswer:
        """Delete old events. Deletes events with start_ts ≤ ts of the event < ts. With `dry_run` only counts
        them.

        Args:
            dry_run: Count the matching events without deleting them.
        """
        answer: DeleteDatasetEventsBeforeTsAnswer = self.call(
            "DELETE",
            "/delete-dataset-events-before-ts",
            {
                "event_dataset_id": event_dataset_id,
                "ts": ts,
                "start_ts": start_ts,
                "dry_run": dry_run,
            },
            repeatable=True,
        )
        return answer

    def merge_users(
        self,
        *,
        from_user_id: str,
        into_user_id: str,
        project_id: str | None | Unset = UNSET,
    ) -> MergeUsersAnswer:
        """Merge a visitor into a user. All events of `from_user_id` become events of `into_user_id`, with their
        ids and times, in the event dataset of the project. The records in its user dataset become one: where
        both have an attribute, `into_user_id` keeps its own; one that is null counts as missing. Nothing is
        left of `from_user_id`. Takes effect at once on every node. `into_user_id` may be new. Safe to send
        again: if nothing is stored about `from_user_id` (any more), `merged_events` is 0. Events that arrive
        later under `from_user_id` are a new visitor's; call again to merge them.

        Args:
            from_user_id: The visitor. It is deleted after the merge.
            into_user_id: The user to keep.
            project_id: Default: the account's default project.
        """
        answer: MergeUsersAnswer = self.call(
            "POST",
            "/merge-users",
            {
                "from_user_id": from_user_id,
                "into_user_id": into_user_id,
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def get_dataset_record(
        self,
        *,
        user_dataset_id: str | Unset = UNSET,
        item_dataset_id: str | Unset = UNSET,
        event_dataset_id: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
        item_id: str | Unset = UNSET,
        event_id: str | Unset = UNSET,
    ) -> EventRecord | UserRecord | ItemRecord:
        """Read one user, item or event. With `event_dataset_id` and `event_id`, or the user or item pair."""
        answer: EventRecord | UserRecord | ItemRecord = self.call(
            "GET",
            "/get-dataset-record",
            {
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "user_id": user_id,
                "item_id": item_id,
                "event_id": event_id,
            },
            repeatable=True,
        )
        return answer

    def list_dataset_records(
        self,
        *,
        user_dataset_id: str | Unset = UNSET,
        item_dataset_id: str | Unset = UNSET,
        event_dataset_id: str | Unset = UNSET,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
        search: str | Unset = UNSET,
        user_id: str | Unset = UNSET,
    ) -> ListDatasetRecordsAnswer:
        """List records, newest first. Users and items are sorted by time of writing; `search` keeps those with
        this text in their id or attributes, ignoring the case of A–Z. On PostgreSQL, a search in attributes
        also ignores the case of other letters in the locale of the database. Events are sorted by `ts`;
        `user_id` keeps those of one user. A page of large records may be shorter than `page_size`.

        Args:
            page_size: Entries per page, fewer if they are large. Default 100.
        """
        answer: ListDatasetRecordsAnswer = self.call(
            "GET",
            "/list-dataset-records",
            {
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "page_size": page_size,
                "page_token": page_token,
                "search": search,
                "user_id": user_id,
            },
            repeatable=True,
        )
        return answer

    def get_event_statistics(
        self,
        *,
        event_dataset_id: str,
        buckets: int | Unset = UNSET,
    ) -> EventStatistics:
        """Events by type and over time. The 1,000 most frequent types.

        Args:
            buckets: Default 50.
        """
        answer: EventStatistics = self.call(
            "GET",
            "/get-event-statistics",
            {
                "event_dataset_id": event_dataset_id,
                "buckets": buckets,
            },
            repeatable=True,
        )
        return answer

    def get_attribute_statistics(
        self,
        *,
        user_dataset_id: str | Unset = UNSET,
        item_dataset_id: str | Unset = UNSET,
        event_dataset_id: str | Unset = UNSET,
    ) -> GetAttributeStatisticsAnswer:
        """Values of each attribute, from a sample. At most about 20,000 of the newest records are looked at,
        fewer where they are large; `sampled_records` says how many.
        """
        answer: GetAttributeStatisticsAnswer = self.call(
            "GET",
            "/get-attribute-statistics",
            {
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
            },
            repeatable=True,
        )
        return answer

    def create_project(
        self,
        *,
        name: str,
        project_type: Literal["RECOMMEND_ITEMS_TO_USER"],
        user_dataset_id: str,
        item_dataset_id: str,
        event_dataset_id: str,
        target_event_type: str,
        segment_mapping: SegmentMappingInput | None | Unset = UNSET,
        automation: AutomationInput | None | Unset = UNSET,
        assist_window_hours: int | None | Unset = UNSET,
    ) -> Project:
        """Create a project.

        Args:
            segment_mapping: How messages of Segment and RudderStack become events; null: the defaults.
            assist_window_hours: For how many hours after an item was shown events without a recommendation_id
                count as assisted (default: 24). A change applies to items that are shown from then on.
        """
        answer: Project = self.call(
            "POST",
            "/create-project",
            {
                "name": name,
                "project_type": project_type,
                "user_dataset_id": user_dataset_id,
                "item_dataset_id": item_dataset_id,
                "event_dataset_id": event_dataset_id,
                "target_event_type": target_event_type,
                "segment_mapping": segment_mapping,
                "automation": automation,
                "assist_window_hours": assist_window_hours,
            },
            repeatable=False,
        )
        return answer

    def get_project(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Read a project."""
        answer: Project = self.call(
            "GET",
            "/get-project",
            {
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def list_projects(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListProjectsAnswer:
        """List the account's projects, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListProjectsAnswer = self.call(
            "GET",
            "/list-projects",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def update_project(
        self,
        *,
        project_id: str,
        name: str | None | Unset = UNSET,
        segment_mapping: SegmentMappingInput | None | Unset = UNSET,
        automation: AutomationInput | None | Unset = UNSET,
        assist_window_hours: int | None | Unset = UNSET,
    ) -> Project:
        """Change the name of a project, its automation, its assist window, or how it reads messages of Segment.
        What is left out stays. `segment_mapping: null` goes back to the defaults, `automation: null` switches
        it off.

        Args:
            segment_mapping: How messages of Segment and RudderStack become events; null: the defaults.
            assist_window_hours: For how many hours after an item was shown events without a recommendation_id
                count as assisted (default: 24). A change applies to items that are shown from then on.
        """
        answer: Project = self.call(
            "PUT",
            "/update-project",
            {
                "project_id": project_id,
                "name": name,
                "segment_mapping": segment_mapping,
                "automation": automation,
                "assist_window_hours": assist_window_hours,
            },
            repeatable=True,
        )
        return answer

    def delete_project(
        self,
        *,
        project_id: str,
    ) -> Project:
        """Delete a project with its algorithms, models and jobs. Fails while it is deployed or has an unfinished
        job. Results of its jobs can no longer be downloaded. Its datasets are kept.
        """
        answer: Project = self.call(
            "DELETE",
            "/delete-project",
            {
                "project_id": project_id,
            },
            repeatable=False,
        )
        return answer

    def create_algorithm(
        self,
        *,
        project_id: str,
        name: str,
        algorithm_type: Literal["G1"],
        algorithm_parameters: CreateAlgorithmAlgorithmParameters | None | Unset = UNSET,
    ) -> Algorithm:
        """Create an algorithm configuration. An empty `algorithm_parameters` lets the service choose all of them
        from the data.

        Args:
            algorithm_parameters: Parameters of G1, each optional; an empty object lets the service choose all
                of them.
        """
        answer: Algorithm = self.call(
            "POST",
            "/create-algorithm",
            {
                "project_id": project_id,
                "name": name,
                "algorithm_type": algorithm_type,
                "algorithm_parameters": algorithm_parameters,
            },
            repeatable=False,
        )
        return answer

    def get_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm:
        """Read an algorithm configuration."""
        answer: Algorithm = self.call(
            "GET",
            "/get-algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
            repeatable=True,
        )
        return answer

    def list_algorithms(
        self,
        *,
        project_id: str,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListAlgorithmsAnswer:
        """List a project's algorithm configurations, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListAlgorithmsAnswer = self.call(
            "GET",
            "/list-algorithms",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def delete_algorithm(
        self,
        *,
        project_id: str,
        algorithm_id: str,
    ) -> Algorithm:
        """Delete an algorithm configuration. Models trained with it are kept."""
        answer: Algorithm = self.call(
            "DELETE",
            "/delete-algorithm",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
            },
            repeatable=False,
        )
        return answer

    def submit_training_job(
        self,
        *,
        project_id: str,
        algorithm_id: str,
        name: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Train a model with an algorithm.

        Args:
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-training-job",
            {
                "project_id": project_id,
                "algorithm_id": algorithm_id,
                "name": name,
            },
            repeatable=False,
        )
        return answer

    def submit_deployment_job(
        self,
        *,
        project_id: str,
        generator_model_id: str,
        name: str | None | Unset = UNSET,
        ranker_model_id: str | None | Unset = UNSET,
        qps: int | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Deploy a model, or a generator and a ranker. The job succeeds when every API node serves the new model
        or models. The previous deployment serves until then; no call fails during the switch.

        Args:
            generator_model_id: The model that generates the recommendations.
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
            ranker_model_id: The model that re-ranks the generator's results, if any.
            qps: Recommendation calls per second allowed. Left out: what the project had; for a first
                deployment the plan's max_qps.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-deployment-job",
            {
                "project_id": project_id,
                "generator_model_id": generator_model_id,
                "name": name,
                "ranker_model_id": ranker_model_id,
                "qps": qps,
            },
            repeatable=False,
        )
        return answer

    def submit_querying_job(
        self,
        *,
        project_id: str,
        model_id: str,
        query_type: Literal["user_list", "user_distribution"],
        queries: list[UserListQuery | UserDistributionQueryInput],
        name: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Find users who prefer an attribute value, or how popular it is.

        Args:
            query_type: user_list: users that meet conditions; user_distribution: a histogram of usage.
            queries: 1 to 100 queries; conditions for user_list, one attribute value for user_distribution.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-querying-job",
            {
                "project_id": project_id,
                "model_id": model_id,
                "query_type": query_type,
                "queries": queries,
                "name": name,
            },
            repeatable=False,
        )
        return answer

    def submit_clustering_job(
        self,
        *,
        project_id: str,
        model_id: str,
        cluster_type: Literal["user"],
        name: str | None | Unset = UNSET,
        parameters: SubmitClusteringJobParameters | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Group users of similar taste.

        Args:
            parameters: Settings of the groups; {} lets the service choose.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-clustering-job",
            {
                "project_id": project_id,
                "model_id": model_id,
                "cluster_type": cluster_type,
                "name": name,
                "parameters": parameters,
            },
            repeatable=False,
        )
        return answer

    def submit_recommendation_job(
        self,
        *,
        project_id: str,
        users: SubmitRecommendationJobUsers | SubmitRecommendationJobUsers2 | SubmitRecommendationJobUsers3,
        name: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        placement: str | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        touch_days: int | None | Unset = UNSET,
        exclude_seen: bool | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        format: Literal["jsonl", "csv", "parquet"] | None | Unset = UNSET,
        destination: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Recommend items to many users at once, as a file. Each user gets the list that
        /recommend-items-to-user would return. The job result has `download_url`, good for 24 hours.

        Args:
            users: Whom the lists are for.
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
            model_id: Default: what is deployed, with its ranker if it has one.
            placement: A placement of the project that makes the lists. It must not start from items. Fields
                below win over its defaults.
            limit: Items per user.
            objective: What the list is for. discover: items new to the user; continue: items the user
                started; again: items the user had before; any: all of them; auto (default): any where the
                data shows that users come back to items, else discover.
            touch_days: An item counts as new again this many days after an event other than the target event.
            exclude_seen: true: exclude items the user had a target event with; false: allow them. Default:
                the objective decides.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            attributes: Item attributes to return; null where an item lacks one.
            format: jsonl (default): one line per user; csv or parquet: a table with one row per user and
                item.
            destination: Where the file is written instead of being kept for download:
                s3://bucket/prefix/name, below a place that the service allows (KINDRED_EXPORT_DESTINATIONS).
                The name has lowercase letters, digits and _ . - /.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-recommendation-job",
            {
                "project_id": project_id,
                "users": users,
                "name": name,
                "model_id": model_id,
                "placement": placement,
                "limit": limit,
                "objective": objective,
                "touch_days": touch_days,
                "exclude_seen": exclude_seen,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "context": context,
                "attributes": attributes,
                "format": format,
                "destination": destination,
            },
            repeatable=False,
        )
        return answer

    def submit_export_job(
        self,
        *,
        project_id: str,
        what: Literal["users", "items", "events", "item_vectors", "user_vectors", "report_days", "report_hours"],
        name: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        format: Literal["jsonl", "parquet"] | None | Unset = UNSET,
        destination: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Export a dataset, the vectors of a model or a report as a file. Users, items and events come with the
        fields of the upsert calls: the file can be imported again. The job result has `download_url`, good
        for 24 hours.

        Args:
            what: users, items, events: a dataset of the project, with the fields of the upsert calls.
                item_vectors, user_vectors: taste vectors of a model. report_days, report_hours: results of
                lists, one row per placement, variant and day or hour (UTC).
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
            model_id: Vectors: of which model. Default: the deployed one.
            format: jsonl (default): one object per line; parquet: the same as columns.
            destination: Where the file is written instead of being kept for download:
                s3://bucket/prefix/name, below a place that the service allows (KINDRED_EXPORT_DESTINATIONS).
                The name has lowercase letters, digits and _ . - /.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-export-job",
            {
                "project_id": project_id,
                "what": what,
                "name": name,
                "model_id": model_id,
                "format": format,
                "destination": destination,
            },
            repeatable=False,
        )
        return answer

    def submit_import_job(
        self,
        *,
        project_id: str,
        source: str,
        name: str | None | Unset = UNSET,
        kind: Literal["users", "items", "events"] | None | Unset = UNSET,
        format: Literal["csv", "jsonl", "parquet"] | None | Unset = UNSET,
        map: SubmitImportJobMap | None | Unset = UNSET,
        lists: dict[str, str] | None | Unset = UNSET,
        text: list[str] | None | Unset = UNSET,
        skip: list[str] | None | Unset = UNSET,
        ts_unit: Literal["s", "ms", "us", "date"] | None | Unset = UNSET,
        event_type: str | None | Unset = UNSET,
        separator: str | None | Unset = UNSET,
        encoding: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Import a file in S3 into a dataset of a project. Rows become users, items or events of the project,
        checked as the upsert calls check them. The job result has `kind`, `dataset_id`, `rows`, `stored`,
        `skipped`, `warnings`, `notes` (what was guessed) and `skipped_rows`, the first 100 with the reason.
        Importing a file twice stores its records once.

        Args:
            source: The file: s3://bucket/prefix/name, below a place that the service allows
                (KINDRED_IMPORT_SOURCES). CSV, JSON Lines (both also gzipped) or Parquet, up to 64 GiB.
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
            kind: What the rows are. Default: guessed from the columns and the name.
            format: Default: by name and content.
            map: The column of a field, where its name does not say: {"user_id": "buyer", "ts": "ordered_at"}.
            lists: Columns of a CSV file with lists, and what separates the entries: {"genres": "|"}.
            text: Columns that stay text even if they look like numbers.
            skip: Columns to leave out.
            ts_unit: Unit of the time column. Default: guessed.
            event_type: Type of events whose file has no column for it. Default: view.
            separator: Separator of the cells of a CSV file. Default: guessed.
            encoding: Such as utf-8 (default), latin1 or utf-16le.
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-import-job",
            {
                "project_id": project_id,
                "source": source,
                "name": name,
                "kind": kind,
                "format": format,
                "map": map,
                "lists": lists,
                "text": text,
                "skip": skip,
                "ts_unit": ts_unit,
                "event_type": event_type,
                "separator": separator,
                "encoding": encoding,
            },
            repeatable=False,
        )
        return answer

    def get_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Read a job and its progress."""
        answer: Job = self.call(
            "GET",
            "/get-job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
            repeatable=True,
        )
        return answer

    def list_jobs(
        self,
        *,
        project_id: str | Unset = UNSET,
        job_type: Literal["TRAINING", "DEPLOYMENT", "QUERYING", "CLUSTERING", "RECOMMENDATION", "EXPORT", "DATA_HEALTH", "IMPORT"] | Unset = UNSET,
        job_status: Literal["PENDING", "RUNNING", "SUCCEED", "FAILED", "CANCELLED"] | Unset = UNSET,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListJobsAnswer:
        """List jobs, newest first, of one project or of all.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListJobsAnswer = self.call(
            "GET",
            "/list-jobs",
            {
                "project_id": project_id,
                "job_type": job_type,
                "job_status": job_status,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def cancel_job(
        self,
        *,
        project_id: str,
        job_id: str,
    ) -> Job:
        """Cancel a job that has not ended."""
        answer: Job = self.call(
            "POST",
            "/cancel-job",
            {
                "project_id": project_id,
                "job_id": job_id,
            },
            repeatable=False,
        )
        return answer

    def get_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model:
        """Read a model."""
        answer: Model = self.call(
            "GET",
            "/get-model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
            repeatable=True,
        )
        return answer

    def list_models(
        self,
        *,
        project_id: str,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListModelsAnswer:
        """List a project's models, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListModelsAnswer = self.call(
            "GET",
            "/list-models",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def update_model(
        self,
        *,
        project_id: str,
        model_id: str,
        name: str | None | Unset = UNSET,
    ) -> Model:
        """Rename a model."""
        answer: Model = self.call(
            "PUT",
            "/update-model",
            {
                "project_id": project_id,
                "model_id": model_id,
                "name": name,
            },
            repeatable=True,
        )
        return answer

    def delete_model(
        self,
        *,
        project_id: str,
        model_id: str,
    ) -> Model:
        """Delete a model that is not deployed, with its file."""
        answer: Model = self.call(
            "DELETE",
            "/delete-model",
            {
                "project_id": project_id,
                "model_id": model_id,
            },
            repeatable=False,
        )
        return answer

    def get_deployment(
        self,
        *,
        project_id: str,
    ) -> Deployment:
        """Read the deployment of a project."""
        answer: Deployment = self.call(
            "GET",
            "/get-deployment",
            {
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def shutdown_deployment(
        self,
        *,
        project_id: str,
    ) -> ShutdownDeploymentAnswer:
        """Stop serving a project. Stops serving the project and cancels its unfinished deployment jobs: a
        deployment submitted before this call never serves after it. Returns when no API node serves the
        project.
        """
        answer: ShutdownDeploymentAnswer = self.call(
            "DELETE",
            "/shutdown-deployment",
            {
                "project_id": project_id,
            },
            repeatable=False,
        )
        return answer

    def list_automation_decisions(
        self,
        *,
        project_id: str,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListAutomationDecisionsAnswer:
        """List what automation decided about new models, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListAutomationDecisionsAnswer = self.call(
            "GET",
            "/list-automation-decisions",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def get_automation_status(
        self,
        *,
        project_id: str,
    ) -> AutomationStatus:
        """Read when a project is trained next."""
        answer: AutomationStatus = self.call(
            "GET",
            "/get-automation-status",
            {
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def rollback_deployment(
        self,
        *,
        project_id: str,
        from_model_id: str | None | Unset = UNSET,
    ) -> RollbackDeploymentAnswer:
        """Roll back to the model that served before. Submits a deployment job; the current model serves until it
        has ended, and no call fails. A repeated call returns the same job while it runs. Later calls go
        further back: give `from_model_id` to roll back only if that model is deployed.

        Args:
            from_model_id: The model to roll back from. If another one is deployed, nothing is done and job_id
                is null.
        """
        answer: RollbackDeploymentAnswer = self.call(
            "POST",
            "/rollback-deployment",
            {
                "project_id": project_id,
                "from_model_id": from_model_id,
            },
            repeatable=False,
        )
        return answer

    def recommend_items_to_user(
        self,
        *,
        attributes: list[str] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        explain: bool | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        user_id: str | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        touch_days: int | None | Unset = UNSET,
        exclude_seen: bool | None | Unset = UNSET,
    ) -> Recommendation:
        """Recommend items to a user. Without `project_id` the account's default project is used: the first one
        deployed, or the one set with /update-account.

        Args:
            attributes: Item attributes to return; null where an item lacks one.
            limit: Number of items.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            page_token: next_page_token of the page before, with the same request otherwise: the next page of
                the list. No item comes twice, even while events arrive. limit, attributes, session_events and
                context may differ.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            explain: Add score and reasons to each result.
            project_id: At the base address. Left out: the account's default project.
            model_id: Use this model of the project instead of the deployed one.
            user_id: Optional with session_events: a visitor without an id.
            objective: What the list is for. discover: items new to the user; continue: items the user
                started; again: items the user had before; any: all of them; auto (default): any where the
                data shows that users come back to items, else discover.
            touch_days: An item counts as new again this many days after an event other than the target event.
            exclude_seen: true: exclude items the user had a target event with; false: allow them. Default:
                the objective decides.
        """
        answer: Recommendation = self.call(
            "POST",
            "/recommend-items-to-user",
            {
                "attributes": attributes,
                "limit": limit,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "page_token": page_token,
                "session_events": session_events,
                "context": context,
                "explain": explain,
                "project_id": project_id,
                "model_id": model_id,
                "user_id": user_id,
                "objective": objective,
                "touch_days": touch_days,
                "exclude_seen": exclude_seen,
            },
            repeatable=True,
        )
        return answer

    def recommend_items_to_item(
        self,
        *,
        item_id: str | None | Unset = UNSET,
        item_ids: list[str] | None | Unset = UNSET,
        relation: Literal["similar", "together", "next"] | None | Unset = UNSET,
        user_id: str | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        explain: bool | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
    ) -> RelatedItems:
        """Recommend related items. Alternatives to an item, items that go with it, or items that come after it.
        Items without events are matched by their attributes. Unknown items are ignored with a warning.

        Args:
            item_id: The item to start from, or item_ids.
            item_ids: Several items to start from.
            relation: similar (default): instead of the item, by taste and attributes; together: with it, in
                the same basket or visit; next: after it.
            user_id: Whose taste orders the list. Left out: nobody's.
            objective: With a user: which items come first. discover: items new to the user; continue: items
                the user started; again: items the user had before. The others fill the list, with filled.
                any, auto (default): all the same.
            attributes: Item attributes to return; null where an item lacks one.
            limit: Number of items.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            page_token: next_page_token of the page before, with the same request otherwise: the next page of
                the list. No item comes twice, even while events arrive. limit, attributes, session_events and
                context may differ.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            explain: Add score and reasons to each result.
            project_id: At the base address. Left out: the account's default project.
            model_id: Use this model of the project instead of the deployed one.
        """
        answer: RelatedItems = self.call(
            "POST",
            "/recommend-items-to-item",
            {
                "item_id": item_id,
                "item_ids": item_ids,
                "relation": relation,
                "user_id": user_id,
                "objective": objective,
                "attributes": attributes,
                "limit": limit,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "page_token": page_token,
                "session_events": session_events,
                "context": context,
                "explain": explain,
                "project_id": project_id,
                "model_id": model_id,
            },
            repeatable=True,
        )
        return answer

    def rank_items_to_user(
        self,
        *,
        item_ids: list[str],
        user_id: str | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
    ) -> Ranking:
        """Sort items for a user. Best first, each with its score. Items that the user dislikes come last with a
        warning, then items that are unknown or deleted, each in the order given. Every item counts once.

        Args:
            item_ids: The items to sort.
            user_id: Optional with session_events: a visitor without an id.
            objective: With a user: which items come first. discover: items new to the user; continue: items
                the user started; again: items the user had before. The others fill the list, with filled.
                any, auto (default): all the same.
            attributes: Item attributes to return; null where an item lacks one.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            project_id: At the base address. Left out: the account's default project.
            model_id: Use this model of the project instead of the deployed one.
            page_token: As in other calls. All items are on one page, so any token is INVALID_PAGE_TOKEN.
        """
        answer: Ranking = self.call(
            "POST",
            "/rank-items-to-user",
            {
                "item_ids": item_ids,
                "user_id": user_id,
                "objective": objective,
                "attributes": attributes,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "session_events": session_events,
                "context": context,
                "project_id": project_id,
                "model_id": model_id,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def call_placement(
        self,
        *,
        placement: str,
        user_id: str | None | Unset = UNSET,
        item_id: str | None | Unset = UNSET,
        item_ids: list[str] | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        touch_days: int | None | Unset = UNSET,
        exclude_seen: bool | None | Unset = UNSET,
        window_hours: int | None | Unset = UNSET,
        event_type: str | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        explain: bool | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        preview: bool | None | Unset = UNSET,
    ) -> PlacementList:
        """Get the list of a placement. Fields of the call win over the placement's defaults; filters are joined
        with AND. Without project_id the account's default project is used.

        Args:
            placement: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            user_id: Optional with session_events: a visitor without an id.
            item_id: Similar, together and next: the item to start from.
            item_ids: Several items to start from, or the items of a ranking.
            objective: What the list is for. discover: items new to the user; continue: items the user
                started; again: items the user had before; any: all of them; auto (default): any where the
                data shows that users come back to items, else discover.
            touch_days: An item counts as new again this many days after an event other than the target event.
            exclude_seen: true: exclude items the user had a target event with; false: allow them. Default:
                the objective decides.
            window_hours: Popular and trending: how far back to count.
            event_type: Popular and trending: which events to count. Left out: all.
            attributes: Item attributes to return; null where an item lacks one.
            limit: Number of items.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            page_token: next_page_token of the page before, with the same request otherwise: the next page of
                the list. No item comes twice, even while events arrive. limit, attributes, session_events and
                context may differ.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            explain: Add score and reasons to each result.
            project_id: At the base address. Left out: the account's default project.
            model_id: Use this model of the project instead of the deployed one.
            preview: For editors. The response is the same, but neither counts its lists as served nor its
                user as a visitor of an experiment.
        """
        answer: PlacementList = self.call(
            "POST",
            "/call-placement",
            {
                "placement": placement,
                "user_id": user_id,
                "item_id": item_id,
                "item_ids": item_ids,
                "objective": objective,
                "touch_days": touch_days,
                "exclude_seen": exclude_seen,
                "window_hours": window_hours,
                "event_type": event_type,
                "attributes": attributes,
                "limit": limit,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "page_token": page_token,
                "session_events": session_events,
                "context": context,
                "explain": explain,
                "project_id": project_id,
                "model_id": model_id,
                "preview": preview,
            },
            repeatable=True,
        )
        return answer

    def compose_page(
        self,
        *,
        placements: list[PagePlacement],
        user_id: str | None | Unset = UNSET,
        item_id: str | None | Unset = UNSET,
        item_ids: list[str] | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        touch_days: int | None | Unset = UNSET,
        exclude_seen: bool | None | Unset = UNSET,
        window_hours: int | None | Unset = UNSET,
        event_type: str | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        explain: bool | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
        model_id: str | None | Unset = UNSET,
        preview: bool | None | Unset = UNSET,
    ) -> PlacementPage:
        """Get several placements, no item twice. A whole page in one call. An item appears once on the page.
        Fields next to `placements` apply to all of them.

        Args:
            placements: Placements from the top of the page to its end, each with fields of its own call if it
                needs any.
            user_id: Optional with session_events: a visitor without an id.
            item_id: Similar, together and next: the item to start from.
            item_ids: Several items to start from, or the items of a ranking.
            objective: What the list is for. discover: items new to the user; continue: items the user
                started; again: items the user had before; any: all of them; auto (default): any where the
                data shows that users come back to items, else discover.
            touch_days: An item counts as new again this many days after an event other than the target event.
            exclude_seen: true: exclude items the user had a target event with; false: allow them. Default:
                the objective decides.
            window_hours: Popular and trending: how far back to count.
            event_type: Popular and trending: which events to count. Left out: all.
            attributes: Item attributes to return; null where an item lacks one.
            limit: Number of items.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            page_token: As in an entry of placements. A token is for one list: with several placements, send
                it in the entry of its placement.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            explain: Add score and reasons to each result.
            project_id: At the base address. Left out: the account's default project.
            model_id: Use this model of the project instead of the deployed one.
            preview: For editors. The response is the same, but neither counts its lists as served nor its
                user as a visitor of an experiment.
        """
        answer: PlacementPage = self.call(
            "POST",
            "/compose-page",
            {
                "placements": placements,
                "user_id": user_id,
                "item_id": item_id,
                "item_ids": item_ids,
                "objective": objective,
                "touch_days": touch_days,
                "exclude_seen": exclude_seen,
                "window_hours": window_hours,
                "event_type": event_type,
                "attributes": attributes,
                "limit": limit,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "page_token": page_token,
                "session_events": session_events,
                "context": context,
                "explain": explain,
                "project_id": project_id,
                "model_id": model_id,
                "preview": preview,
            },
            repeatable=True,
        )
        return answer

    def preview_placement(
        self,
        *,
        project_id: str,
        definition: PreviewPlacementDefinition,
        request: PreviewPlacementRequest | None | Unset = UNSET,
    ) -> PlacementList:
        """Preview a placement before it is saved. For editors: what a definition would show. Nothing is stored."""
        answer: PlacementList = self.call(
            "POST",
            "/preview-placement",
            {
                "project_id": project_id,
                "definition": definition,
                "request": request,
            },
            repeatable=True,
        )
        return answer

    def create_placement(
        self,
        *,
        project_id: str,
        name: str,
        kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"],
        defaults: PlacementDefaultsInput | None | Unset = UNSET,
        rules: list[PlacementRuleInput] | None | Unset = UNSET,
        fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]] | None | Unset = UNSET,
        fatigue: Fatigue | None | Unset = UNSET,
    ) -> Placement:
        """Create a placement. A named list of the project that can be changed without a release.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            kind: for_you: for the user; similar, together, next: instead of, with and after an item; popular,
                trending, newest: for everybody; continue, again: what the user is not done with or had
                before; ranking: the given items, sorted for the user.
            defaults: Fields of every call of the placement that the call itself does not give.
            rules: Changes that apply for a time or for some users.
            fallback: Kinds that fill the list, in this order, if fewer than limit items remain.
        """
        answer: Placement = self.call(
            "POST",
            "/create-placement",
            {
                "project_id": project_id,
                "name": name,
                "kind": kind,
                "defaults": defaults,
                "rules": rules,
                "fallback": fallback,
                "fatigue": fatigue,
            },
            repeatable=False,
        )
        return answer

    def update_placement(
        self,
        *,
        project_id: str,
        name: str,
        kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"] | None | Unset = UNSET,
        defaults: PlacementDefaultsInput | None | Unset = UNSET,
        rules: list[PlacementRuleInput] | None | Unset = UNSET,
        fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]] | None | Unset = UNSET,
        fatigue: Fatigue | None | Unset = UNSET,
        expected_version: int | None | Unset = UNSET,
    ) -> Placement:
        """Change a placement. What is left out stays; `fatigue: null` switches fatigue off. The change is kept
        as a new version. Every node uses it when the call returns.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            kind: for_you: for the user; similar, together, next: instead of, with and after an item; popular,
                trending, newest: for everybody; continue, again: what the user is not done with or had
                before; ranking: the given items, sorted for the user.
            defaults: Fields of every call of the placement that the call itself does not give.
            rules: Changes that apply for a time or for some users.
            fallback: Kinds that fill the list, in this order, if fewer than limit items remain.
            expected_version: Refuse the change if another version is active by now.
        """
        answer: Placement = self.call(
            "PUT",
            "/update-placement",
            {
                "project_id": project_id,
                "name": name,
                "kind": kind,
                "defaults": defaults,
                "rules": rules,
                "fallback": fallback,
                "fatigue": fatigue,
                "expected_version": expected_version,
            },
            repeatable=False,
        )
        return answer

    def get_placement(
        self,
        *,
        project_id: str,
        name: str,
    ) -> Placement:
        """Read a placement.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
        """
        answer: Placement = self.call(
            "GET",
            "/get-placement",
            {
                "project_id": project_id,
                "name": name,
            },
            repeatable=True,
        )
        return answer

    def list_placements(
        self,
        *,
        project_id: str,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListPlacementsAnswer:
        """List a project's placements, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListPlacementsAnswer = self.call(
            "GET",
            "/list-placements",
            {
                "project_id": project_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def list_placement_versions(
        self,
        *,
        project_id: str,
        name: str,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListPlacementVersionsAnswer:
        """List the versions of a placement, newest first. Who changed it, when, and what it was. The newest 100
        are kept.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListPlacementVersionsAnswer = self.call(
            "GET",
            "/list-placement-versions",
            {
                "project_id": project_id,
                "name": name,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def rollback_placement(
        self,
        *,
        project_id: str,
        name: str,
        version: int | None | Unset = UNSET,
    ) -> Placement:
        """Roll back a placement to an earlier version. It becomes a new version, so that this can be undone too.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            version: Default: the one before the active version.
        """
        answer: Placement = self.call(
            "POST",
            "/rollback-placement",
            {
                "project_id": project_id,
                "name": name,
                "version": version,
            },
            repeatable=False,
        )
        return answer

    def delete_placement(
        self,
        *,
        project_id: str,
        name: str,
    ) -> Placement:
        """Delete a placement with its versions.

        Args:
            name: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
        """
        answer: Placement = self.call(
            "DELETE",
            "/delete-placement",
            {
                "project_id": project_id,
                "name": name,
            },
            repeatable=False,
        )
        return answer

    def create_experiment(
        self,
        *,
        project_id: str,
        placement: str,
        variants: list[CreateExperimentVariant],
        name: str | None | Unset = UNSET,
        metric: Literal["click", "target", "value"] | None | Unset = UNSET,
        min_days: int | None | Unset = UNSET,
    ) -> Experiment:
        """Compare variants of a placement. Starts immediately. A user always gets the same variant; calls
        without a user_id take no part. One experiment runs on a placement at a time.

        Args:
            placement: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            variants: The first one is the control.
            metric: Per visitor: click (default), who had an event with the id of a list; target, who had a
                target event; value, the sum of target values.
            min_days: No winner is named earlier: weekends differ from workdays.
        """
        answer: Experiment = self.call(
            "POST",
            "/create-experiment",
            {
                "project_id": project_id,
                "placement": placement,
                "variants": variants,
                "name": name,
                "metric": metric,
                "min_days": min_days,
            },
            repeatable=False,
        )
        return answer

    def get_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
    ) -> ExperimentReport:
        """Read an experiment and its result so far. Look as often as you like: the intervals are valid for all
        looks together, and the chance that an experiment without a difference ever names a winner is below
        5%.
        """
        answer: ExperimentReport = self.call(
            "GET",
            "/get-experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
            },
            repeatable=True,
        )
        return answer

    def list_experiments(
        self,
        *,
        project_id: str,
        placement: str | Unset = UNSET,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListExperimentsAnswer:
        """List a project's experiments, newest first.

        Args:
            placement: Lowercase letters, digits, - and _, at most 64; begins with a letter or a digit.
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListExperimentsAnswer = self.call(
            "GET",
            "/list-experiments",
            {
                "project_id": project_id,
                "placement": placement,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def stop_experiment(
        self,
        *,
        project_id: str,
        experiment_id: str,
        promote: str | None | Unset = UNSET,
    ) -> Experiment:
        """Stop an experiment, and promote a variant if you want. With `promote` the overrides of that variant
        become the next version of the placement, which /rollback-placement can undo. No call fails in
        between. Also works on an experiment that was stopped before; the same request again changes nothing.

        Args:
            promote: Name of a variant.
        """
        answer: Experiment = self.call(
            "POST",
            "/stop-experiment",
            {
                "project_id": project_id,
                "experiment_id": experiment_id,
                "promote": promote,
            },
            repeatable=True,
        )
        return answer

    def list_top_items(
        self,
        *,
        by: Literal["popular", "trending", "newest"],
        window_hours: int | None | Unset = UNSET,
        event_type: str | None | Unset = UNSET,
        user_id: str | None | Unset = UNSET,
        objective: Literal["auto", "discover", "continue", "again", "any"] | None | Unset = UNSET,
        exclude_seen: bool | None | Unset = UNSET,
        attributes: list[str] | None | Unset = UNSET,
        limit: int | None | Unset = UNSET,
        filter_query: str | None | Unset = UNSET,
        filter_params: dict[str, str | float | bool | list[str | float | bool]] | None | Unset = UNSET,
        exclude_item_ids: list[str] | None | Unset = UNSET,
        exclude_event_types: list[str] | None | Unset = UNSET,
        boosts: list[Boost] | None | Unset = UNSET,
        pins: list[Pin] | None | Unset = UNSET,
        diversity: float | DiversityLimits | None | Unset = UNSET,
        page_token: str | None | Unset = UNSET,
        session_events: list[SessionEvent] | None | Unset = UNSET,
        context: dict[str, Any] | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
    ) -> TopItems:
        """List popular, trending or new items. From counts that are kept as events arrive: current within a
        minute on every node, without training. `popular`: most events in the window. `trending`: events rise
        above what was expected; items whose rise is not clear are not listed. `newest`: the items stored
        last. Only items with a record are listed, unless the dataset has none. The list has fewer items than
        `limit` if no more are known; a filter chooses among the best 20,000.

        Args:
            by: What the list is ordered by.
            window_hours: The last hours that count. Default: 168 for popular, 24 for trending (at most 168),
                all time for newest. Up to 2 hours are counted to the minute; longer windows begin at the
                nearest full hour.
            event_type: Count only events of this type. Not for newest.
            user_id: Who sees the list: for filters with user., and to leave out what the user dislikes.
            objective: With a user: which items come first. discover: items new to the user; continue: items
                the user started; again: items the user had before. The others fill the list, with filled.
                any, auto (default): all the same.
            exclude_seen: true: exclude items the user had a target event with; false: allow them. Default:
                the objective decides.
            attributes: Item attributes to return; null where an item lacks one.
            limit: Number of items.
            filter_query: Only items that meet it, e.g. genre = 'Drama' AND price < $max.
            filter_params: Values of the $names in filter_query, e.g. {"max": 20}: text, numbers, true, false
                or lists of them.
            exclude_item_ids: Items to exclude.
            exclude_event_types: Exclude items the user had an event of one of these types with.
            boosts: Multiply the chance of matching items: with factor 2 a matching item becomes twice as
                likely relative to others. An item outside the plain list can come in. Factors of several
                boosts multiply.
            pins: Items with a place of their own. A pin whose item is unknown, deleted, filtered or left out
                is skipped with a warning.
            diversity: {"max_per": {"category": 2}}: at most 2 results with the same value; the list is filled
                with other items. Or a number from 0 to 1: near-duplicates in taste move down.
            page_token: next_page_token of the page before, with the same request otherwise: the next page of
                the list. No item comes twice, even while events arrive. limit, attributes, session_events and
                context may differ.
            session_events: Events that are not stored and count as this user's newest, in the order in which
                they happened.
            context: The circumstances of the call, as events have them in their attributes, e.g. {"device":
                "phone"}. Attributes the model does not know are ignored with a warning.
            project_id: At the base address. Left out: the account's default project.
        """
        answer: TopItems = self.call(
            "POST",
            "/list-top-items",
            {
                "by": by,
                "window_hours": window_hours,
                "event_type": event_type,
                "user_id": user_id,
                "objective": objective,
                "exclude_seen": exclude_seen,
                "attributes": attributes,
                "limit": limit,
                "filter_query": filter_query,
                "filter_params": filter_params,
                "exclude_item_ids": exclude_item_ids,
                "exclude_event_types": exclude_event_types,
                "boosts": boosts,
                "pins": pins,
                "diversity": diversity,
                "page_token": page_token,
                "session_events": session_events,
                "context": context,
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def record_impressions(
        self,
        *,
        impressions: list[Impression],
    ) -> RecordImpressionsAnswer:
        """Say which lists were seen. Up to 1,000 impressions with 20,000 items in all. An item counts once per
        list, so sending again changes nothing. Works with a browser key for lists of its project. A time
        ahead of the clock counts as now.

        Args:
            impressions: Up to 1,000 impressions.
        """
        answer: RecordImpressionsAnswer = self.call(
            "POST",
            "/record-impressions",
            {
                "impressions": impressions,
            },
            repeatable=True,
        )
        return answer

    def get_placement_report(
        self,
        *,
        project_id: str | Unset = UNSET,
        placement: str | Unset = UNSET,
        from_ts: int | Unset = UNSET,
        to_ts: int | Unset = UNSET,
        by: Literal["hour", "day", "total"] | Unset = UNSET,
    ) -> PlacementReport:
        """Read the results of placements. Lists served and shown, clicks, target events and value by placement,
        variant and day or hour, with 95% intervals. Everything counts for the time in which the list was
        made, also when the event comes later. From counters that are kept as events arrive: exact and in
        milliseconds. Served lists appear within a second or two.

        Args:
            project_id: Default: the account's default project.
            placement: Only this placement. Default: all.
            from_ts: Default: 30 days before to_ts.
            to_ts: Up to but not including. Default: now.
            by: Rows per day (default), per hour (up to 31 days) or only totals. Days are UTC.
        """
        answer: PlacementReport = self.call(
            "GET",
            "/get-placement-report",
            {
                "project_id": project_id,
                "placement": placement,
                "from_ts": from_ts,
                "to_ts": to_ts,
                "by": by,
            },
            repeatable=True,
        )
        return answer

    def submit_data_health_job(
        self,
        *,
        project_id: str,
        name: str | None | Unset = UNSET,
    ) -> SubmittedJob:
        """Check the data of a project. Reads events and items once and looks for what makes recommendations
        worse. Read the report with /get-data-health. A repeated call returns the same job while it waits or
        runs.

        Args:
            name: Default: what the job does and when, such as "Training of Nov 15, 20:36" (UTC).
        """
        answer: SubmittedJob = self.call(
            "POST",
            "/submit-data-health-job",
            {
                "project_id": project_id,
                "name": name,
            },
            repeatable=True,
        )
        return answer

    def get_data_health(
        self,
        *,
        project_id: str | Unset = UNSET,
    ) -> GetDataHealthAnswer:
        """Read the newest check of a project’s data.

        Args:
            project_id: Default: the account's default project.
        """
        answer: GetDataHealthAnswer = self.call(
            "GET",
            "/get-data-health",
            {
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def get_project_status(
        self,
        *,
        project_id: str | Unset = UNSET,
    ) -> ProjectStatus:
        """See how fresh data and model are, and how fast lists are returned.

        Args:
            project_id: Default: the account's default project.
        """
        answer: ProjectStatus = self.call(
            "GET",
            "/get-project-status",
            {
                "project_id": project_id,
            },
            repeatable=True,
        )
        return answer

    def get_account(self) -> Account:
        """Read plan and usage."""
        answer: Account = self.call(
            "GET",
            "/get-account",
            {},
            repeatable=True,
        )
        return answer

    def update_account(
        self,
        *,
        default_project_id: str | None | Unset = UNSET,
    ) -> Account:
        """Choose the default project. Recommendation calls without a `project_id` use the default project.
        Returns when every API node uses it.
        """
        answer: Account = self.call(
            "PUT",
            "/update-account",
            {
                "default_project_id": default_project_id,
            },
            repeatable=True,
        )
        return answer

    def list_api_keys(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListApiKeysAnswer:
        """List the account's API keys, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListApiKeysAnswer = self.call(
            "GET",
            "/list-api-keys",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def create_api_key(
        self,
        *,
        name: str,
        kind: Literal["secret", "browser"] | None | Unset = UNSET,
        scopes: list[str] | None | Unset = UNSET,
        expires_ts: int | None | Unset = UNSET,
        origins: list[str] | None | Unset = UNSET,
        project_id: str | None | Unset = UNSET,
    ) -> CreateApiKeyAnswer:
        """Create an API key. The key and secret are in this response only. `scopes` limits what the key may
        call. It cannot exceed the scope of this call's token, which is also the default. The key expires no
        later than the key of this call. A `browser` key needs `origins` and `project_id`, has no secret, and
        its `api_key` is public. An account can have 100 active keys.

        Args:
            kind: `secret` (default): for programs, with a client secret. `browser`: public, for web pages: it
                may only track events, record impressions and call placements of one project.
            scopes: Operation paths, or `*`. Default: what the token of this call covers.
            expires_ts: When it stops working. Default: when the key of this call does.
            origins: For `browser` keys, required: exact origins of the pages that use it, such as
                `https://shop.example`.
            project_id: For `browser` keys, required: the one project it is for.
        """
        answer: CreateApiKeyAnswer = self.call(
            "POST",
            "/create-api-key",
            {
                "name": name,
                "kind": kind,
                "scopes": scopes,
                "expires_ts": expires_ts,
                "origins": origins,
                "project_id": project_id,
            },
            repeatable=False,
        )
        return answer

    def rotate_api_key(
        self,
        *,
        key_id: str,
        grace_hours: float | None | Unset = UNSET,
    ) -> RotateApiKeyAnswer:
        """Give an API key a new secret. The new secret is in this response only. The old secret and its tokens
        work until the grace time ends; the API key does not change. A second rotation ends the oldest secret
        at once. The key must not cover more or last longer than the key of this call.

        Args:
            grace_hours: How long the old secret still works. 0: not at all, for a secret that leaked.
        """
        answer: RotateApiKeyAnswer = self.call(
            "POST",
            "/rotate-api-key",
            {
                "key_id": key_id,
                "grace_hours": grace_hours,
            },
            repeatable=False,
        )
        return answer

    def disable_api_key(
        self,
        *,
        key_id: str,
    ) -> ApiKey:
        """Disable an API key. Takes effect within 10 seconds on all nodes, including for tokens issued with the
        key. The key must not cover more or last longer than the key of this call. The last active key, and
        the last one that covers everything, cannot be disabled.
        """
        answer: ApiKey = self.call(
            "POST",
            "/disable-api-key",
            {
                "key_id": key_id,
            },
            repeatable=True,
        )
        return answer

    def list_audit_entries(
        self,
        *,
        from_ts: int | Unset = UNSET,
        to_ts: int | Unset = UNSET,
        operation: str | Unset = UNSET,
        key_id: str | Unset = UNSET,
        person_id: str | Unset = UNSET,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListAuditEntriesAnswer:
        """List changes: who did what, when, newest first. Each change of the account is in the log before its
        call returns. Calls that write or delete records count in one entry per key, dataset and hour; upserts
        appear within seconds. The newest 50,000 entries of the last 400 days are kept.

        Args:
            from_ts: Changes from this time on.
            to_ts: Changes before this time.
            operation: One operation, such as `/create-api-key`.
            key_id: Changes by this API key.
            person_id: Changes by this person.
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListAuditEntriesAnswer = self.call(
            "GET",
            "/list-audit-entries",
            {
                "from_ts": from_ts,
                "to_ts": to_ts,
                "operation": operation,
                "key_id": key_id,
                "person_id": person_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def create_webhook(
        self,
        *,
        url: str,
        events: list[Literal["job.failed", "model.trained", "model.deployed", "model.rejected", "experiment.decided", "data.warning"]],
    ) -> CreateWebhookAnswer:
        """Create a webhook. Sends a signed POST request for each of the events. `secret`, which checks the
        signature, is in this response only. A delivery that fails is repeated for about a day and a half. An
        account can have 20 webhooks.

        Args:
            url: Receives POST requests.
        """
        answer: CreateWebhookAnswer = self.call(
            "POST",
            "/create-webhook",
            {
                "url": url,
                "events": events,
            },
            repeatable=False,
        )
        return answer

    def list_webhooks(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListWebhooksAnswer:
        """List the account's webhooks, newest first.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListWebhooksAnswer = self.call(
            "GET",
            "/list-webhooks",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def delete_webhook(
        self,
        *,
        webhook_id: str,
    ) -> Webhook:
        """Delete a webhook. Deliveries that wait are dropped."""
        answer: Webhook = self.call(
            "DELETE",
            "/delete-webhook",
            {
                "webhook_id": webhook_id,
            },
            repeatable=False,
        )
        return answer

    def list_console_sessions(
        self,
        *,
        page_size: int | Unset = UNSET,
        page_token: str | Unset = UNSET,
    ) -> ListConsoleSessionsAnswer:
        """List who is signed in to the console. Sessions of people who signed in with OpenID Connect, newest
        first. At most 10 per person and 1,000 per account.

        Args:
            page_size: Entries per page, fewer if they are large. Default 1000.
        """
        answer: ListConsoleSessionsAnswer = self.call(
            "GET",
            "/list-console-sessions",
            {
                "page_size": page_size,
                "page_token": page_token,
            },
            repeatable=True,
        )
        return answer

    def end_console_sessions(
        self,
        *,
        session_id: str | None | Unset = UNSET,
        person_id: str | None | Unset = UNSET,
    ) -> EndConsoleSessionsAnswer:
        """Sign people out of the console. Ends one session, or all sessions of a person. Takes effect within 10
        seconds on all nodes. It does not keep the person from signing in again: remove them at the provider
        or from the settings of roles.
        """
        answer: EndConsoleSessionsAnswer = self.call(
            "POST",
            "/end-console-sessions",
            {
                "session_id": session_id,
                "person_id": person_id,
            },
            repeatable=True,
        )
        return answer
