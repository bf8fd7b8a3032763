# Made by "npm run generate" from the API description; not edited by hand.
"""What calls take and return, as typed dictionaries."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class UserDataset(TypedDict):
    user_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class ItemDataset(TypedDict):
    item_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class EventDataset(TypedDict):
    event_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class ProjectSegmentMappingEvent(TypedDict):
    event_type: str
    item_id: NotRequired[str]
    value: NotRequired[str]
    products: NotRequired[str]


class ProjectSegmentMapping(TypedDict):
    events: NotRequired[dict[str, ProjectSegmentMappingEvent | None]]
    traits: NotRequired[list[str]]
    attributes: NotRequired[dict[str, str]]


class ProjectAutomationRetrain(TypedDict):
    every_hours: NotRequired[int]
    after_new_events: NotRequired[int]


class ProjectAutomation(TypedDict):
    retrain: ProjectAutomationRetrain
    deploy: NotRequired[Literal["if_not_worse", "always", "never"]]
    keep_models: NotRequired[int]


class Project(TypedDict):
    project_id: str
    name: str
    project_type: Literal["RECOMMEND_ITEMS_TO_USER"]
    user_dataset_id: str
    item_dataset_id: str
    event_dataset_id: str
    target_event_type: str
    segment_mapping: ProjectSegmentMapping | None
    automation: ProjectAutomation | None
    assist_window_hours: int
    serving_uri: str
    created_ts: int


class Algorithm(TypedDict):
    project_id: str
    algorithm_id: str
    name: str
    algorithm_type: Literal["G1"]
    algorithm_parameters: dict[str, Any]
    created_ts: int


class JobProgressTried(TypedDict):
    family: str
    ndcg: float


class JobProgressSpark(TypedDict):
    application_id: str
    address: str


class JobProgress(TypedDict):
    fraction: float
    phase: str
    message: str
    tried: NotRequired[list[JobProgressTried]]
    spark: NotRequired[JobProgressSpark]


class JobFailureReason(TypedDict):
    code: str
    message: str


class Job(TypedDict):
    project_id: str
    job_id: str
    job_type: Literal["TRAINING", "DEPLOYMENT", "QUERYING", "CLUSTERING", "RECOMMENDATION", "EXPORT", "DATA_HEALTH", "IMPORT"]
    created_ts: int
    name: str
    job_data: dict[str, Any]
    job_result: dict[str, Any] | None
    job_status: Literal["PENDING", "RUNNING", "SUCCEED", "FAILED", "CANCELLED"]
    retry_count: int
    progress: JobProgress
    started_ts: int | None
    finished_ts: int | None
    failure_reason: JobFailureReason | None


class ModelMetricsModel(TypedDict):
    recall: float
    ndcg: float
    mrr: float
    coverage: float
    hit_rate: NotRequired[float]


class ModelMetricsByQuestionIntervals(TypedDict):
    recall: list[float]
    ndcg: list[float]
    hit_rate: list[float]


class ModelMetricsByQuestion(TypedDict):
    objective: Literal["discover", "continue", "again", "any"]
    moment: Literal["arriving", "browsing"]
    asked_for: Literal["next visits", "next item", "random fifth"]
    days: NotRequired[float]
    model: ModelMetricsModel
    popularity: ModelMetricsModel
    newest: NotRequired[ModelMetricsModel]
    users: int
    questions: int
    intervals: ModelMetricsByQuestionIntervals
    touched_share: float


class ModelMetricsRelationsSimilarCosine(TypedDict):
    recall: float
    ndcg: float


class ModelMetricsRelationsSimilar(TypedDict):
    recall: float
    ndcg: float
    questions: int
    cosine: ModelMetricsRelationsSimilarCosine
    popularity: ModelMetricsRelationsSimilarCosine


class ModelMetricsRelations(TypedDict):
    similar: NotRequired[ModelMetricsRelationsSimilar]
    together: NotRequired[ModelMetricsRelationsSimilar]
    next: NotRequired[ModelMetricsRelationsSimilar]


class ModelMetrics(TypedDict):
    model: ModelMetricsModel
    popularity: ModelMetricsModel
    cutoff: int
    users: int
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    moment: NotRequired[Literal["arriving", "browsing"]]
    by_question: NotRequired[list[ModelMetricsByQuestion]]
    relations: NotRequired[ModelMetricsRelations]


class Model(TypedDict):
    project_id: str
    model_id: str
    name: str
    algorithm_type: Literal["G1"]
    algorithm_parameters: dict[str, Any]
    created_ts: int
    job_id: str
    metrics: ModelMetrics | None
    training: dict[str, Any]
    deployed: bool


class Deployment(TypedDict):
    project_id: str
    version: int
    generator_model_id: str
    ranker_model_id: str | None
    qps: int
    job_id: str
    created_ts: int
    serving_uri: str


class RecommendationResultReason(TypedDict):
    kind: Literal["history", "user-attribute", "context", "popularity", "dislike", "continue", "again", "related", "taste", "boost"]
    contribution: float
    item_id: NotRequired[str]
    event_type: NotRequired[str]
    ts: NotRequired[int]
    count: NotRequired[int]
    attribute: NotRequired[str]
    value: NotRequired[str]


class RecommendationResult(TypedDict):
    item: dict[str, Any]
    filled: NotRequired[bool]
    pinned: NotRequired[bool]
    score: NotRequired[float]
    reasons: NotRequired[list[RecommendationResultReason]]


class Recommendation(TypedDict):
    user_id: str | None
    limit: int
    attributes: list[str]
    filter_query: str | None
    objective: Literal["discover", "continue", "again", "any"]
    model_id: str
    recommendation_id: str
    next_page_token: str | None
    warnings: NotRequired[list[JobFailureReason]]
    results: list[RecommendationResult]


class PlacementRule(TypedDict):
    name: str


class PlacementFatigue(TypedDict):
    after: int
    days: int


class PlacementChangedBy(TypedDict):
    key_id: str
    key_name: str | None
    person_id: NotRequired[str]


class Placement(TypedDict):
    project_id: str
    name: str
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: dict[str, Any]
    rules: list[PlacementRule]
    fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]]
    fatigue: PlacementFatigue | None
    created_ts: int
    version: int
    change: Literal["created", "updated", "rolled_back"]
    changed_ts: int
    changed_by: PlacementChangedBy


class AccountPlan(TypedDict):
    max_event_shards: int
    max_training_hours: float
    max_qps: float
    max_storage_bytes: int


class AccountUsage(TypedDict):
    event_shards: int
    training_hours: float
    storage_bytes: int


class Account(TypedDict):
    account_id: str
    name: str
    plan: AccountPlan
    usage: AccountUsage
    default_project_id: str | None


class CreateUserDatasetAnswer(TypedDict):
    user_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int


class ListUserDatasetsAnswer(TypedDict):
    user_datasets: list[UserDataset]
    next_page_token: str | None


class CreateItemDatasetAnswer(TypedDict):
    item_dataset_id: str
    user_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int


class ListItemDatasetsAnswer(TypedDict):
    item_datasets: list[ItemDataset]
    next_page_token: str | None


class CreateEventDatasetAnswer(TypedDict):
    event_dataset_id: str
    user_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int


class ListEventDatasetsAnswer(TypedDict):
    event_datasets: list[EventDataset]
    next_page_token: str | None


class UserRecord(TypedDict):
    user_id: str
    attributes: NotRequired[dict[str, Any] | None]


class UpsertDatasetUsersAnswerFailure(TypedDict):
    index: int
    id: str
    message: str
    code: Literal["INVALID_RECORD", "RECORD_TOO_LARGE", "ATTRIBUTE_TYPE_MISMATCH", "DATASET_FULL", "RECORD_NOT_FOUND", "INVALID_RECOMMENDATION_ID"]


class UpsertDatasetUsersAnswerWarning(TypedDict):
    index: int
    id: str
    message: str
    code: Literal["SUSPICIOUS_TIME", "UNKNOWN_ITEM", "UNKNOWN_TYPE", "RECOMMENDATION_EXPIRED"]


class UpsertDatasetUsersAnswer(TypedDict):
    user_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[UpsertDatasetUsersAnswerFailure]
    warnings: list[UpsertDatasetUsersAnswerWarning]


class PatchDatasetUsersUser(TypedDict):
    user_id: str
    set: NotRequired[dict[str, Any] | None]
    unset: NotRequired[list[str] | None]


class ItemRecord(TypedDict):
    item_id: str
    attributes: NotRequired[dict[str, Any] | None]


class UpsertDatasetItemsAnswer(TypedDict):
    item_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[UpsertDatasetUsersAnswerFailure]
    warnings: list[UpsertDatasetUsersAnswerWarning]


class PatchDatasetItemsItem(TypedDict):
    item_id: str
    set: NotRequired[dict[str, Any] | None]
    unset: NotRequired[list[str] | None]


class EventRecord(TypedDict):
    event_id: str
    user_id: str
    item_id: str
    ts: int
    event_type: str
    event_value: NotRequired[float | None]
    attributes: NotRequired[dict[str, Any] | None]
    recommendation_id: NotRequired[str | None]


class UpsertDatasetEventsAnswer(TypedDict):
    event_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[UpsertDatasetUsersAnswerFailure]
    warnings: list[UpsertDatasetUsersAnswerWarning]


class TrackEvent(TypedDict):
    item_id: str
    event_type: str
    event_value: NotRequired[float | None]
    ts: NotRequired[int | None]
    attributes: NotRequired[dict[str, Any] | None]
    recommendation_id: NotRequired[str | None]
    event_id: NotRequired[str | None]


class TrackAnswerFailure(TypedDict):
    index: int
    code: Literal["INVALID_RECORD", "RECORD_TOO_LARGE", "DATASET_FULL", "INVALID_RECOMMENDATION_ID"]
    message: str


class TrackAnswer(TypedDict):
    project_id: str
    stored: int
    event_ids: list[str]
    failures: list[TrackAnswerFailure]


class DeleteDatasetUsersAnswer(TypedDict):
    user_dataset_id: str
    deleted_count: int


class DeleteDatasetItemsAnswer(TypedDict):
    item_dataset_id: str
    deleted_count: int


class DeleteDatasetEventsAnswer(TypedDict):
    event_dataset_id: str
    deleted_count: int


class DeleteDatasetUserEventsAnswer(TypedDict):
    event_dataset_id: str
    user_id: str
    deleted_count: int


class DeleteDatasetEventsBeforeTsAnswer(TypedDict):
    event_dataset_id: str
    ts: int
    deleted_count: int


class MergeUsersAnswer(TypedDict):
    project_id: str
    from_user_id: str
    into_user_id: str
    merged_events: int
    merged_record: bool


class GetDatasetRecordAnswer(TypedDict):
    event_id: str
    user_id: str
    item_id: str
    ts: int
    event_type: str
    event_value: NotRequired[float]
    attributes: NotRequired[dict[str, Any]]
    recommendation_id: NotRequired[str]


class GetDatasetRecordAnswer2(TypedDict):
    user_id: str
    attributes: NotRequired[dict[str, Any]]


class GetDatasetRecordAnswer3(TypedDict):
    item_id: str
    attributes: NotRequired[dict[str, Any]]


class ListDatasetRecordsAnswer(TypedDict):
    records: list[GetDatasetRecordAnswer | GetDatasetRecordAnswer2 | GetDatasetRecordAnswer3]
    next_page_token: str | None


class GetEventStatisticsAnswerType(TypedDict):
    event_type: str
    count: int


class GetEventStatisticsAnswerOverTime(TypedDict):
    from_ts: float
    count: int


class GetEventStatisticsAnswer(TypedDict):
    event_dataset_id: str
    first_ts: int | None
    last_ts: int | None
    types: list[GetEventStatisticsAnswerType]
    over_time: list[GetEventStatisticsAnswerOverTime]


class GetAttributeStatisticsAnswerAttributeTopValue(TypedDict):
    value: str | float | bool
    count: int


GetAttributeStatisticsAnswerAttributeHistogram = TypedDict(
    "GetAttributeStatisticsAnswerAttributeHistogram",
    {
        "from": float,
        "to": float,
        "count": int,
    },
)


class GetAttributeStatisticsAnswerAttribute(TypedDict):
    attribute: str
    handling: Literal["NUMERICAL", "CATEGORICAL"]
    records: int
    distinct: int
    distinct_is_lower_bound: bool
    min: float | None
    max: float | None
    mean: float | None
    top_values: list[GetAttributeStatisticsAnswerAttributeTopValue]
    histogram: list[GetAttributeStatisticsAnswerAttributeHistogram]


class GetAttributeStatisticsAnswer(TypedDict):
    num_records: int
    sampled_records: int
    attributes: list[GetAttributeStatisticsAnswerAttribute]


class CreateProjectSegmentMappingEvent(TypedDict):
    event_type: str
    item_id: NotRequired[str | None]
    value: NotRequired[str | None]
    products: NotRequired[str | None]


class CreateProjectSegmentMapping(TypedDict):
    events: NotRequired[dict[str, CreateProjectSegmentMappingEvent | None] | None]
    traits: NotRequired[list[str] | None]
    attributes: NotRequired[dict[str, str] | None]


class CreateProjectAutomationRetrain(TypedDict):
    every_hours: NotRequired[int | None]
    after_new_events: NotRequired[int | None]


class CreateProjectAutomation(TypedDict):
    retrain: CreateProjectAutomationRetrain
    deploy: NotRequired[Literal["if_not_worse", "always", "never"] | None]
    keep_models: NotRequired[int | None]


class ListProjectsAnswer(TypedDict):
    projects: list[Project]
    next_page_token: str | None


CreateAlgorithmAlgorithmParametersLocalRidge = TypedDict(
    "CreateAlgorithmAlgorithmParametersLocalRidge",
    {
        "neighbours": NotRequired[int | Literal["auto"] | None],
        "lambda": NotRequired[float | Literal["auto"] | None],
        "rho": NotRequired[float | Literal["auto"] | None],
        "gamma": NotRequired[float | Literal["auto"] | None],
    },
)


class CreateAlgorithmAlgorithmParametersWalk(TypedDict):
    gamma: NotRequired[float | Literal["auto"] | None]
    beta: NotRequired[float | Literal["auto"] | None]
    delta: NotRequired[float | Literal["auto"] | None]
    rho: NotRequired[float | Literal["auto"] | None]


class CreateAlgorithmAlgorithmParametersTransitions(TypedDict):
    variants: NotRequired[list[Literal["mk1", "mk2-4", "mk5-10", "mk.75", "forward", "1/lag", "window"]] | Literal["auto"] | None]


class CreateAlgorithmAlgorithmParametersLowRank(TypedDict):
    factors: NotRequired[int | Literal["auto"] | None]


class CreateAlgorithmAlgorithmParametersPopularity(TypedDict):
    half_life_days: NotRequired[float | Literal["auto"] | None]


class CreateAlgorithmAlgorithmParameters(TypedDict):
    experts: NotRequired[list[Literal["local_ridge", "walk", "transitions", "low_rank", "popularity"]] | Literal["auto"] | None]
    local_ridge: NotRequired[CreateAlgorithmAlgorithmParametersLocalRidge | Literal["auto"] | None]
    walk: NotRequired[CreateAlgorithmAlgorithmParametersWalk | Literal["auto"] | None]
    transitions: NotRequired[CreateAlgorithmAlgorithmParametersTransitions | Literal["auto"] | None]
    low_rank: NotRequired[CreateAlgorithmAlgorithmParametersLowRank | Literal["auto"] | None]
    popularity: NotRequired[CreateAlgorithmAlgorithmParametersPopularity | Literal["auto"] | None]
    event_type_weights: NotRequired[dict[str, float] | Literal["auto"] | None]
    value_weighting: NotRequired[Literal["log", "linear", "relative", "auto"] | None]
    history_cap: NotRequired[int | Literal["auto"] | None]
    half_life_days: NotRequired[float | Literal["auto"] | None]
    repeats: NotRequired[Literal["recommend", "exclude", "auto"] | None]
    horizon: NotRequired[Literal["arriving", "browsing", "later", "auto"] | None]
    time_budget_seconds: NotRequired[float | Literal["auto"] | None]
    seed: NotRequired[int | Literal["auto"] | None]


class ListAlgorithmsAnswer(TypedDict):
    algorithms: list[Algorithm]
    next_page_token: str | None


class SubmitTrainingJobAnswer(TypedDict):
    job_id: str


class SubmitQueryingJobQueryCondition(TypedDict):
    attribute: str
    value: str | float | bool
    lower_bound: NotRequired[float | None]
    upper_bound: NotRequired[float | None]


class SubmitQueryingJobQuery(TypedDict):
    conditions: list[SubmitQueryingJobQueryCondition]


class SubmitQueryingJobQuery2(TypedDict):
    attribute: str
    value: str | float | bool
    bins: NotRequired[int | None]


class SubmitClusteringJobParameters(TypedDict):
    min_user_num: NotRequired[int | None]
    num_clusters: NotRequired[int | None]
    seed: NotRequired[int | None]


class SubmitRecommendationJobUsers(TypedDict):
    all: Literal[True]


class SubmitRecommendationJobUsers2(TypedDict):
    user_ids: list[str]


class SubmitRecommendationJobBoost(TypedDict):
    filter_query: str
    factor: float


class SubmitRecommendationJobPin(TypedDict):
    position: int
    item_id: str


class SubmitRecommendationJobDiversity(TypedDict):
    max_per: dict[str, int]


class SubmitImportJobMap(TypedDict):
    event_id: NotRequired[str | None]
    user_id: NotRequired[str | None]
    item_id: NotRequired[str | None]
    ts: NotRequired[str | None]
    event_type: NotRequired[str | None]
    event_value: NotRequired[str | None]
    recommendation_id: NotRequired[str | None]


class ListJobsAnswer(TypedDict):
    jobs: list[Job]
    next_page_token: str | None


class ListModelsAnswer(TypedDict):
    models: list[Model]
    next_page_token: str | None


class ShutdownDeploymentAnswer(TypedDict):
    project_id: str


class ListAutomationDecisionsAnswerDecisionComparison(TypedDict):
    compared_model_id: str
    verdict: Literal["better", "not_worse", "worse", "too_few_users"]
    users: int
    since_ts: int | None
    ndcg: float | None
    compared_ndcg: float | None
    difference: float | None
    interval: list[float] | None


class ListAutomationDecisionsAnswerDecision(TypedDict):
    decision_id: str
    project_id: str
    decided_ts: int
    decision: Literal["deploy", "reject", "keep"]
    reason: str
    model_id: str
    training_job_id: str
    deployment_job_id: str | None
    comparison: ListAutomationDecisionsAnswerDecisionComparison | None


class ListAutomationDecisionsAnswer(TypedDict):
    decisions: list[ListAutomationDecisionsAnswerDecision]
    next_page_token: str | None


class GetAutomationStatusAnswer(TypedDict):
    project_id: str
    automation: ProjectAutomation | None
    new_events: int
    next_training_ts: int | None
    training_job_id: str | None
    failures: int
    message: str | None
    rollback_model_id: str | None


class RollbackDeploymentAnswer(TypedDict):
    job_id: str | None
    model_id: str


class RecommendItemsToUserSessionEvent(TypedDict):
    item_id: str
    event_type: NotRequired[str | None]
    event_value: NotRequired[float | None]
    ts: NotRequired[int | None]


class RecommendItemsToItemAnswer(TypedDict):
    item_ids: list[str]
    relation: Literal["similar", "together", "next"]
    user_id: str | None
    limit: int
    attributes: list[str]
    filter_query: str | None
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    model_id: str
    recommendation_id: str
    next_page_token: str | None
    warnings: NotRequired[list[JobFailureReason]]
    results: list[RecommendationResult]


class RankItemsToUserAnswerResult(TypedDict):
    item: dict[str, Any]
    filled: NotRequired[bool]
    pinned: NotRequired[bool]
    score: NotRequired[float | None]
    reasons: NotRequired[list[RecommendationResultReason]]


class RankItemsToUserAnswer(TypedDict):
    user_id: str | None
    attributes: list[str]
    filter_query: str | None
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    model_id: str
    recommendation_id: str
    next_page_token: None
    warnings: NotRequired[list[JobFailureReason]]
    results: list[RankItemsToUserAnswerResult]


class CallPlacementAnswer(TypedDict):
    placement: str | None
    version: int | None
    variant: str | None
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    rules: list[str]
    user_id: str | None
    item_ids: NotRequired[list[str]]
    limit: int
    attributes: list[str]
    filter_query: str | None
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    relation: NotRequired[Literal["similar", "together", "next"]]
    model_id: str | None
    recommendation_id: str
    next_page_token: str | None
    warnings: NotRequired[list[JobFailureReason]]
    results: list[RecommendationResult]


class ComposePagePlacement(TypedDict):
    name: str
    user_id: NotRequired[str | None]
    item_id: NotRequired[str | None]
    item_ids: NotRequired[list[str] | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[SubmitRecommendationJobBoost] | None]
    pins: NotRequired[list[SubmitRecommendationJobPin] | None]
    diversity: NotRequired[float | SubmitRecommendationJobDiversity | None]
    page_token: NotRequired[str | None]
    session_events: NotRequired[list[RecommendItemsToUserSessionEvent] | None]
    context: NotRequired[dict[str, Any] | None]
    explain: NotRequired[bool | None]
    model_id: NotRequired[str | None]


class ComposePageAnswer(TypedDict):
    placements: list[CallPlacementAnswer]


class PreviewPlacementDefinitionDefaults(TypedDict):
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[SubmitRecommendationJobBoost] | None]
    pins: NotRequired[list[SubmitRecommendationJobPin] | None]
    diversity: NotRequired[float | SubmitRecommendationJobDiversity | None]
    context: NotRequired[dict[str, Any] | None]
    model_id: NotRequired[str | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]


class PreviewPlacementDefinitionRule(TypedDict):
    name: str
    from_ts: NotRequired[int | None]
    to_ts: NotRequired[int | None]
    only_if: NotRequired[str | None]
    filter_query: NotRequired[str | None]
    boosts: NotRequired[list[SubmitRecommendationJobBoost] | None]
    pins: NotRequired[list[SubmitRecommendationJobPin] | None]


class PreviewPlacementDefinition(TypedDict):
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: NotRequired[PreviewPlacementDefinitionDefaults | None]
    rules: NotRequired[list[PreviewPlacementDefinitionRule] | None]
    fallback: NotRequired[list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]] | None]
    fatigue: NotRequired[PlacementFatigue | None]


class PreviewPlacementRequest(TypedDict):
    user_id: NotRequired[str | None]
    item_id: NotRequired[str | None]
    item_ids: NotRequired[list[str] | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[SubmitRecommendationJobBoost] | None]
    pins: NotRequired[list[SubmitRecommendationJobPin] | None]
    diversity: NotRequired[float | SubmitRecommendationJobDiversity | None]
    page_token: NotRequired[str | None]
    session_events: NotRequired[list[RecommendItemsToUserSessionEvent] | None]
    context: NotRequired[dict[str, Any] | None]
    explain: NotRequired[bool | None]
    model_id: NotRequired[str | None]


class ListPlacementsAnswer(TypedDict):
    placements: list[Placement]
    next_page_token: str | None


class ListPlacementVersionsAnswerVersion(TypedDict):
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: dict[str, Any]
    rules: list[PlacementRule]
    fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]]
    fatigue: PlacementFatigue | None
    version: int
    change: Literal["created", "updated", "rolled_back"]
    changed_ts: int
    changed_by: PlacementChangedBy


class ListPlacementVersionsAnswer(TypedDict):
    versions: list[ListPlacementVersionsAnswerVersion]
    next_page_token: str | None


class CreateExperimentVariantOverrides(TypedDict):
    kind: NotRequired[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"] | None]
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[SubmitRecommendationJobBoost] | None]
    pins: NotRequired[list[SubmitRecommendationJobPin] | None]
    diversity: NotRequired[float | SubmitRecommendationJobDiversity | None]
    context: NotRequired[dict[str, Any] | None]
    model_id: NotRequired[str | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]


class CreateExperimentVariant(TypedDict):
    name: str
    share: float
    overrides: NotRequired[CreateExperimentVariantOverrides | None]


class CreateExperimentAnswerVariant(TypedDict):
    name: str
    share: float
    overrides: dict[str, Any]


class CreateExperimentAnswerDecided(TypedDict):
    decided_ts: int
    winner: str
    sentence: str


class CreateExperimentAnswer(TypedDict):
    experiment_id: str
    project_id: str
    name: str
    placement: str
    variants: list[CreateExperimentAnswerVariant]
    metric: Literal["click", "target", "value"]
    min_days: int
    status: Literal["RUNNING", "STOPPED"]
    created_ts: int
    stopped_ts: int | None
    promoted: str | None
    decided: CreateExperimentAnswerDecided | None


class GetExperimentAnswerResultsVariantVisitorsWith(TypedDict):
    click: int
    target: int
    value: int


class GetExperimentAnswerResultsVariantMetricsClick(TypedDict):
    rate: float | None
    rate_interval: list[float] | None
    lift: float | None
    lift_interval: list[float] | None


class GetExperimentAnswerResultsVariantMetrics(TypedDict):
    click: GetExperimentAnswerResultsVariantMetricsClick
    target: GetExperimentAnswerResultsVariantMetricsClick
    value: GetExperimentAnswerResultsVariantMetricsClick


class GetExperimentAnswerResultsVariant(TypedDict):
    name: str
    share: float
    visitors: int
    converted: int
    visitors_with: GetExperimentAnswerResultsVariantVisitorsWith
    rate: float | None
    rate_interval: list[float] | None
    lift: float | None
    lift_interval: list[float] | None
    metrics: GetExperimentAnswerResultsVariantMetrics


class GetExperimentAnswerResults(TypedDict):
    variants: list[GetExperimentAnswerResultsVariant]
    split_as_planned: bool
    winner: str | None
    sentence: str


class GetExperimentAnswerHistoryVariant(TypedDict):
    name: str
    lift: float | None
    lift_interval: list[float] | None


class GetExperimentAnswerHistory(TypedDict):
    ts: int
    variants: list[GetExperimentAnswerHistoryVariant]


class GetExperimentAnswer(TypedDict):
    experiment_id: str
    project_id: str
    name: str
    placement: str
    variants: list[CreateExperimentAnswerVariant]
    metric: Literal["click", "target", "value"]
    min_days: int
    status: Literal["RUNNING", "STOPPED"]
    created_ts: int
    stopped_ts: int | None
    promoted: str | None
    decided: CreateExperimentAnswerDecided | None
    results: GetExperimentAnswerResults
    history: list[GetExperimentAnswerHistory]


class ListExperimentsAnswer(TypedDict):
    experiments: list[CreateExperimentAnswer]
    next_page_token: str | None


class ListTopItemsAnswer(TypedDict):
    by: Literal["popular", "trending", "newest"]
    window_hours: int | None
    event_type: str | None
    user_id: str | None
    limit: int
    attributes: list[str]
    filter_query: str | None
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    model_id: None
    recommendation_id: str
    next_page_token: str | None
    warnings: NotRequired[list[JobFailureReason]]
    results: list[RecommendationResult]


class RecordImpressionsImpression(TypedDict):
    recommendation_id: str
    item_ids: NotRequired[list[str] | None]
    ts: NotRequired[int | None]
    user_id: NotRequired[str | None]


class RecordImpressionsAnswerFailure(TypedDict):
    index: int
    code: Literal["INVALID_RECOMMENDATION_ID", "RECOMMENDATION_EXPIRED"]
    message: str


class RecordImpressionsAnswer(TypedDict):
    recorded: int
    failures: list[RecordImpressionsAnswerFailure]


class GetPlacementReportAnswerRowDirectClickRate(TypedDict):
    estimate: float
    low: float
    high: float


class GetPlacementReportAnswerRowDirect(TypedDict):
    clicked: int
    converted: int
    target_events: int
    value: float
    click_rate: GetPlacementReportAnswerRowDirectClickRate | None
    target_rate: GetPlacementReportAnswerRowDirectClickRate | None
    value_per_list: GetPlacementReportAnswerRowDirectClickRate | None


class GetPlacementReportAnswerRow(TypedDict):
    placement: str | None
    experiment_id: str | None
    variant: str | None
    ts: int | None
    served: int
    served_items: int
    shown_lists: int
    shown: int
    rates_of: Literal["shown", "served"]
    direct: GetPlacementReportAnswerRowDirect
    assisted: GetPlacementReportAnswerRowDirect


class GetPlacementReportAnswer(TypedDict):
    project_id: str
    target_event_type: str
    by: Literal["hour", "day", "total"]
    from_ts: int
    to_ts: int
    rows: list[GetPlacementReportAnswerRow]
    totals: list[GetPlacementReportAnswerRow]


class GetDataHealthAnswerReportHoursType(TypedDict):
    event_type: str
    counts: list[int]


class GetDataHealthAnswerReportHours(TypedDict):
    from_ts: int
    types: list[GetDataHealthAnswerReportHoursType]


class GetDataHealthAnswerReportFinding(TypedDict):
    code: Literal["NO_EVENTS", "NO_TARGET_EVENTS", "TIMES_IN_SECONDS", "TIMES_BEFORE_2000", "TIMES_IN_FUTURE", "TIMES_EQUAL", "TIMES_WITHOUT_CLOCK", "SIMILAR_TYPES", "UNKNOWN_ITEMS", "ITEMS_WITHOUT_ATTRIBUTES", "USERS_WITH_ONE_EVENT", "DUPLICATE_EVENTS"]
    level: Literal["warning", "note"]
    title: str
    count: int
    share: float
    cost: str
    fix: str
    examples: list[str]


class GetDataHealthAnswerReport(TypedDict):
    checked_ts: int
    took_ms: int
    events: int
    users: int
    items: int
    item_records: int
    users_with_one_event: int
    first_ts: int | None
    last_ts: int | None
    types: list[GetEventStatisticsAnswerType]
    hours: GetDataHealthAnswerReportHours | None
    findings: list[GetDataHealthAnswerReportFinding]


class GetDataHealthAnswer(TypedDict):
    project_id: str
    report: GetDataHealthAnswerReport | None
    running_job_id: str | None


class GetProjectStatusAnswerData(TypedDict):
    users: int
    items: int
    events: int
    newest_event_ts: int | None


class GetProjectStatusAnswerModel(TypedDict):
    model_id: str
    name: str
    created_ts: int
    events: int | None
    new_events: int | None


class GetProjectStatusAnswerServing(TypedDict):
    minutes: int
    calls: int
    p50_ms: float | None
    p99_ms: float | None


class GetProjectStatusAnswerHealth(TypedDict):
    checked_ts: int
    warnings: int
    notes: int


class GetProjectStatusAnswerStream(TypedDict):
    stream: str
    messages: int
    skipped: int
    lost: int


class GetProjectStatusAnswerFailedJob(TypedDict):
    job_id: str
    job_type: str
    name: str
    message: str


class GetProjectStatusAnswer(TypedDict):
    project_id: str
    data: GetProjectStatusAnswerData
    model: GetProjectStatusAnswerModel | None
    serving: GetProjectStatusAnswerServing
    health: GetProjectStatusAnswerHealth | None
    streams: list[GetProjectStatusAnswerStream]
    failed_job: GetProjectStatusAnswerFailedJob | None


class ListApiKeysAnswerApiKey(TypedDict):
    key_id: str
    name: str
    kind: Literal["secret", "browser"]
    hint: str
    scopes: list[str]
    origins: list[str]
    project_id: str | None
    expires_ts: int | None
    rotated_ts: int | None
    previous_secret_until_ts: int | None
    disabled: bool
    created_ts: int
    current: bool


class ListApiKeysAnswer(TypedDict):
    api_keys: list[ListApiKeysAnswerApiKey]
    next_page_token: str | None


class CreateApiKeyAnswer(TypedDict):
    key_id: str
    name: str
    kind: Literal["secret", "browser"]
    hint: str
    scopes: list[str]
    origins: list[str]
    project_id: str | None
    expires_ts: int | None
    rotated_ts: int | None
    previous_secret_until_ts: int | None
    disabled: bool
    created_ts: int
    api_key: str
    client_secret: NotRequired[str]


class RotateApiKeyAnswer(TypedDict):
    key_id: str
    name: str
    kind: Literal["secret", "browser"]
    hint: str
    scopes: list[str]
    origins: list[str]
    project_id: str | None
    expires_ts: int | None
    rotated_ts: int | None
    previous_secret_until_ts: int | None
    disabled: bool
    created_ts: int
    current: bool
    client_secret: str


class ListAuditEntriesAnswerAuditEntryActor(TypedDict):
    kind: Literal["key", "person", "operator", "automation"]
    id: str
    name: str | None


class ListAuditEntriesAnswerAuditEntry(TypedDict):
    entry_id: str
    created_ts: int
    last_ts: int
    actor: ListAuditEntriesAnswerAuditEntryActor
    operation: str
    object_id: str | None
    summary: str
    calls: int
    records: int
    request_id: str | None


class ListAuditEntriesAnswer(TypedDict):
    audit_entries: list[ListAuditEntriesAnswerAuditEntry]
    next_page_token: str | None


class CreateWebhookAnswerLastAttempt(TypedDict):
    ts: int
    succeeded: bool
    message: str


class CreateWebhookAnswer(TypedDict):
    webhook_id: str
    url: str
    events: list[Literal["job.failed", "model.trained", "model.deployed", "model.rejected", "experiment.decided", "data.warning"]]
    created_ts: int
    last_attempt: CreateWebhookAnswerLastAttempt | None
    secret: str


class ListWebhooksAnswerWebhook(TypedDict):
    webhook_id: str
    url: str
    events: list[Literal["job.failed", "model.trained", "model.deployed", "model.rejected", "experiment.decided", "data.warning"]]
    created_ts: int
    last_attempt: CreateWebhookAnswerLastAttempt | None


class ListWebhooksAnswer(TypedDict):
    webhooks: list[ListWebhooksAnswerWebhook]
    next_page_token: str | None


class ListConsoleSessionsAnswerSession(TypedDict):
    session_id: str
    person_id: str
    name: str
    role: Literal["viewer", "editor", "admin"]
    user_agent: str
    created_ts: int
    seen_ts: int
    expires_ts: int
    current: bool


class ListConsoleSessionsAnswer(TypedDict):
    sessions: list[ListConsoleSessionsAnswerSession]
    next_page_token: str | None


class EndConsoleSessionsAnswer(TypedDict):
    ended: int
