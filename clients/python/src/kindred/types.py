# Made by "npm run generate" from the API description; not edited by hand.
"""What calls take and return, as typed dictionaries."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class ProblemError(TypedDict):
    pointer: str
    message: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: Literal["INVALID_REQUEST", "INVALID_JSON", "INVALID_ENCODING", "UNKNOWN_FIELD", "BATCH_TOO_LARGE", "INVALID_FILTER", "FILTER_TOO_COSTLY", "INVALID_ALGORITHM_PARAMETER", "INVALID_PAGE_TOKEN", "UNAUTHENTICATED", "TOKEN_EXPIRED", "INSUFFICIENT_SCOPE", "API_KEY_MISMATCH", "ORIGIN_NOT_ALLOWED", "PLAN_LIMIT_EXCEEDED", "DESTINATION_NOT_ALLOWED", "SOURCE_NOT_ALLOWED", "ROUTE_NOT_FOUND", "DATASET_NOT_FOUND", "RECORD_NOT_FOUND", "PROJECT_NOT_FOUND", "ALGORITHM_NOT_FOUND", "MODEL_NOT_FOUND", "JOB_NOT_FOUND", "WEBHOOK_NOT_FOUND", "PLACEMENT_NOT_FOUND", "EXPERIMENT_NOT_FOUND", "SESSION_NOT_FOUND", "KEY_NOT_FOUND", "RESULT_NOT_FOUND", "METHOD_NOT_ALLOWED", "REQUEST_TIMEOUT", "DATASET_IN_USE", "PROJECT_IN_USE", "MODEL_DEPLOYED", "NO_MODEL_DEPLOYED", "NO_EARLIER_DEPLOYMENT", "PLACEMENT_EXISTS", "PLACEMENT_CHANGED", "VARIANT_PROMOTED", "EXPERIMENT_RUNNING", "TOO_MANY_PLACEMENTS", "JOB_FINISHED", "LAST_KEY", "LINK_EXPIRED", "BODY_TOO_LARGE", "ANSWER_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "RATE_LIMITED", "TOO_MANY_JOBS", "INTERNAL_ERROR", "OVERLOADED", "STARTING", "SHUTTING_DOWN", "STORE_UNAVAILABLE"]
    request_id: str
    errors: NotRequired[list[ProblemError]]


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


class Algorithm(TypedDict):
    project_id: str
    algorithm_id: str
    name: str
    algorithm_type: Literal["G1"]
    algorithm_parameters: dict[str, Any]
    created_ts: int


class ApiKey(TypedDict):
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


class AttributeStatisticsTopValue(TypedDict):
    value: str | float | bool
    count: int


AttributeStatisticsHistogram = TypedDict(
    "AttributeStatisticsHistogram",
    {
        "from": float,
        "to": float,
        "count": int,
    },
)


class AttributeStatistics(TypedDict):
    attribute: str
    handling: Literal["NUMERICAL", "CATEGORICAL"]
    records: int
    distinct: int
    distinct_is_lower_bound: bool
    min: float | None
    max: float | None
    mean: float | None
    top_values: list[AttributeStatisticsTopValue]
    histogram: list[AttributeStatisticsHistogram]


class AuditEntryActor(TypedDict):
    kind: Literal["key", "person", "operator", "automation"]
    id: str
    name: str | None


class AuditEntry(TypedDict):
    entry_id: str
    created_ts: int
    last_ts: int
    actor: AuditEntryActor
    operation: str
    object_id: str | None
    summary: str
    calls: int
    records: int
    request_id: str | None


class RetrainRule(TypedDict):
    every_hours: NotRequired[int]
    after_new_events: NotRequired[int]


class Automation(TypedDict):
    retrain: RetrainRule
    deploy: NotRequired[Literal["if_not_worse", "always", "never"]]
    keep_models: NotRequired[int]


class ModelComparison(TypedDict):
    compared_model_id: str
    verdict: Literal["better", "not_worse", "worse", "too_few_users"]
    users: int
    since_ts: int | None
    ndcg: float | None
    compared_ndcg: float | None
    difference: float | None
    interval: list[float] | None


class AutomationDecision(TypedDict):
    decision_id: str
    project_id: str
    decided_ts: int
    decision: Literal["deploy", "reject", "keep"]
    reason: str
    model_id: str
    training_job_id: str
    deployment_job_id: str | None
    comparison: ModelComparison | None


class RetrainRuleInput(TypedDict):
    every_hours: NotRequired[int | None]
    after_new_events: NotRequired[int | None]


class AutomationInput(TypedDict):
    retrain: RetrainRuleInput
    deploy: NotRequired[Literal["if_not_worse", "always", "never"] | None]
    keep_models: NotRequired[int | None]


class AutomationStatus(TypedDict):
    project_id: str
    automation: Automation | None
    new_events: int
    next_training_ts: int | None
    training_job_id: str | None
    failures: int
    message: str | None
    rollback_model_id: str | None


class Boost(TypedDict):
    filter_query: str
    factor: float


class CalibrationTenth(TypedDict):
    predicted: float
    observed: float


class Calibration(TypedDict):
    predicted: float
    observed: float
    error: float
    tenths: list[CalibrationTenth]
    error_by_tenth: float
    slope: float


class CalibrationMethod(TypedDict):
    method: str
    users: int


class ChangedBy(TypedDict):
    key_id: str
    key_name: str | None
    person_id: NotRequired[str]


class ClusteringResultParameters(TypedDict):
    min_user_num: int
    num_clusters: int | None
    seed: int


class ClusteringResultTried(TypedDict):
    num_clusters: int
    silhouette: float


class UserGroupTopItem(TypedDict):
    item_id: str
    name: str | None
    share: float
    lift: float


class UserGroupAttribute(TypedDict):
    attribute: str
    value: str | float | bool
    usage: float
    average: float
    lift: float


class UserGroup(TypedDict):
    group_id: int
    label: str
    size: int
    share: float
    top_items: list[UserGroupTopItem]
    attributes: list[UserGroupAttribute]
    user_ids: list[str]


class ClusteringResultUnassigned(TypedDict):
    count: int
    group_too_small: int
    no_history: int
    user_ids: list[str]


class ClusteringResultMap(TypedDict):
    user_id: str
    group_id: int | None
    x: float
    y: float


class ClusteringResult(TypedDict):
    job_id: str
    project_id: str
    model_id: str
    created_ts: int
    total_users: int
    population_users: int
    message: str
    cluster_type: Literal["user"]
    parameters: ClusteringResultParameters
    num_groups: int
    silhouette: float | None
    tried: list[ClusteringResultTried]
    groups: list[UserGroup]
    unassigned: ClusteringResultUnassigned
    map: list[ClusteringResultMap]


class ConsoleSession(TypedDict):
    session_id: str
    person_id: str
    name: str
    role: Literal["viewer", "editor", "admin"]
    user_agent: str
    created_ts: int
    seen_ts: int
    expires_ts: int
    current: bool


class Deployment(TypedDict):
    project_id: str
    version: int
    generator_model_id: str
    ranker_model_id: str | None
    qps: int
    job_id: str
    created_ts: int
    serving_uri: str


class DiversityLimits(TypedDict):
    max_per: dict[str, int]


class Estimate(TypedDict):
    estimate: float
    low: float
    high: float


class EventDataset(TypedDict):
    event_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class EventRecord(TypedDict):
    event_id: str
    user_id: str
    item_id: str
    ts: int
    event_type: str
    event_value: NotRequired[float]
    attributes: NotRequired[dict[str, Any]]
    recommendation_id: NotRequired[str]


class EventRecordInput(TypedDict):
    event_id: str
    user_id: str
    item_id: str
    ts: int
    event_type: str
    event_value: NotRequired[float | None]
    attributes: NotRequired[dict[str, Any] | None]
    recommendation_id: NotRequired[str | None]


class EventStatisticsType(TypedDict):
    event_type: str
    count: int


class EventStatisticsOverTime(TypedDict):
    from_ts: float
    count: int


class EventStatistics(TypedDict):
    event_dataset_id: str
    first_ts: int | None
    last_ts: int | None
    types: list[EventStatisticsType]
    over_time: list[EventStatisticsOverTime]


class Pin(TypedDict):
    position: int
    item_id: str


class VariantOverrides(TypedDict):
    kind: NotRequired[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]]
    attributes: NotRequired[list[str]]
    limit: NotRequired[int]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]]]
    exclude_item_ids: NotRequired[list[str]]
    exclude_event_types: NotRequired[list[str]]
    boosts: NotRequired[list[Boost]]
    pins: NotRequired[list[Pin]]
    diversity: NotRequired[float | DiversityLimits]
    context: NotRequired[dict[str, Any]]
    model_id: NotRequired[str]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"]]
    touch_days: NotRequired[int]
    exclude_seen: NotRequired[bool]
    window_hours: NotRequired[int]
    event_type: NotRequired[str]


class ExperimentVariant(TypedDict):
    name: str
    share: float
    overrides: VariantOverrides


class ExperimentDecision(TypedDict):
    decided_ts: int
    winner: str
    sentence: str


class Experiment(TypedDict):
    experiment_id: str
    project_id: str
    name: str
    placement: str
    variants: list[ExperimentVariant]
    metric: Literal["click", "target", "value"]
    min_days: int
    status: Literal["RUNNING", "STOPPED"]
    created_ts: int
    stopped_ts: int | None
    promoted: str | None
    decided: ExperimentDecision | None


class ExperimentResultsVariantVisitorsWith(TypedDict):
    click: int
    target: int
    value: int


class MetricReading(TypedDict):
    rate: float | None
    rate_interval: list[float] | None
    lift: float | None
    lift_interval: list[float] | None


class ExperimentResultsVariantMetrics(TypedDict):
    click: MetricReading
    target: MetricReading
    value: MetricReading


class ExperimentResultsVariant(TypedDict):
    name: str
    share: float
    visitors: int
    converted: int
    visitors_with: ExperimentResultsVariantVisitorsWith
    rate: float | None
    rate_interval: list[float] | None
    lift: float | None
    lift_interval: list[float] | None
    metrics: ExperimentResultsVariantMetrics


class ExperimentResults(TypedDict):
    variants: list[ExperimentResultsVariant]
    split_as_planned: bool
    winner: str | None
    sentence: str


class ExperimentReportHistoryVariant(TypedDict):
    name: str
    lift: float | None
    lift_interval: list[float] | None


class ExperimentReportHistory(TypedDict):
    ts: int
    variants: list[ExperimentReportHistoryVariant]


class ExperimentReport(TypedDict):
    experiment_id: str
    project_id: str
    name: str
    placement: str
    variants: list[ExperimentVariant]
    metric: Literal["click", "target", "value"]
    min_days: int
    status: Literal["RUNNING", "STOPPED"]
    created_ts: int
    stopped_ts: int | None
    promoted: str | None
    decided: ExperimentDecision | None
    results: ExperimentResults
    history: list[ExperimentReportHistory]


class Fatigue(TypedDict):
    after: int
    days: int


class HealthFinding(TypedDict):
    code: Literal["NO_EVENTS", "NO_TARGET_EVENTS", "TIMES_IN_SECONDS", "TIMES_BEFORE_2000", "TIMES_IN_FUTURE", "TIMES_EQUAL", "TIMES_WITHOUT_CLOCK", "SIMILAR_TYPES", "UNKNOWN_ITEMS", "ITEMS_WITHOUT_ATTRIBUTES", "TEXTS_AMONG_NUMBERS", "USERS_WITH_ONE_EVENT", "DUPLICATE_EVENTS"]
    level: Literal["warning", "note"]
    title: str
    count: int
    share: float
    cost: str
    fix: str
    examples: list[str]


class HealthReportHoursType(TypedDict):
    event_type: str
    counts: list[int]


class HealthReportHours(TypedDict):
    from_ts: int
    types: list[HealthReportHoursType]


class HealthReport(TypedDict):
    checked_ts: int
    took_ms: int
    events: int
    users: int
    items: int
    item_records: int
    users_with_one_event: int
    first_ts: int | None
    last_ts: int | None
    types: list[EventStatisticsType]
    hours: HealthReportHours | None
    findings: list[HealthFinding]


class Impression(TypedDict):
    recommendation_id: str
    item_ids: NotRequired[list[str] | None]
    ts: NotRequired[int | None]
    user_id: NotRequired[str | None]


class ItemDataset(TypedDict):
    item_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class ItemPatch(TypedDict):
    item_id: str
    set: NotRequired[dict[str, Any] | None]
    unset: NotRequired[list[str] | None]


class ItemRecord(TypedDict):
    item_id: str
    attributes: NotRequired[dict[str, Any]]


class ItemRecordInput(TypedDict):
    item_id: str
    attributes: NotRequired[dict[str, Any] | None]


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


class JobFailure(TypedDict):
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
    failure_reason: JobFailure | None


class ListWarning(TypedDict):
    code: str
    message: str


class QualityFigures(TypedDict):
    recall: float
    ndcg: float
    mrr: float
    coverage: float
    hit_rate: NotRequired[float]


class QualityMeasureIntervals(TypedDict):
    recall: list[float]
    ndcg: list[float]
    hit_rate: list[float]


class QualityMeasure(TypedDict):
    objective: Literal["discover", "continue", "again", "any"]
    moment: Literal["arriving", "browsing"]
    asked_for: Literal["next visits", "next item", "random fifth"]
    days: NotRequired[float]
    model: QualityFigures
    popularity: QualityFigures
    newest: NotRequired[QualityFigures]
    users: int
    questions: int
    intervals: QualityMeasureIntervals
    touched_share: float


class RelationFigures(TypedDict):
    recall: float
    ndcg: float


class RelationMeasure(TypedDict):
    recall: float
    ndcg: float
    questions: int
    cosine: RelationFigures
    popularity: RelationFigures


class ModelMetricsRelations(TypedDict):
    similar: NotRequired[RelationMeasure]
    together: NotRequired[RelationMeasure]
    next: NotRequired[RelationMeasure]


class ModelMetrics(TypedDict):
    model: QualityFigures
    popularity: QualityFigures
    cutoff: int
    users: int
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    moment: NotRequired[Literal["arriving", "browsing"]]
    by_question: NotRequired[list[QualityMeasure]]
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


class OAuthProblem(TypedDict):
    error: str
    error_description: str


class SessionEvent(TypedDict):
    item_id: str
    event_type: NotRequired[str | None]
    event_value: NotRequired[float | None]
    ts: NotRequired[int | None]


class PagePlacement(TypedDict):
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
    boosts: NotRequired[list[Boost] | None]
    pins: NotRequired[list[Pin] | None]
    diversity: NotRequired[float | DiversityLimits | None]
    page_token: NotRequired[str | None]
    session_events: NotRequired[list[SessionEvent] | None]
    context: NotRequired[dict[str, Any] | None]
    explain: NotRequired[bool | None]
    model_id: NotRequired[str | None]


class PlacementDefaults(TypedDict):
    attributes: NotRequired[list[str]]
    limit: NotRequired[int]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]]]
    exclude_item_ids: NotRequired[list[str]]
    exclude_event_types: NotRequired[list[str]]
    boosts: NotRequired[list[Boost]]
    pins: NotRequired[list[Pin]]
    diversity: NotRequired[float | DiversityLimits]
    context: NotRequired[dict[str, Any]]
    model_id: NotRequired[str]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"]]
    touch_days: NotRequired[int]
    exclude_seen: NotRequired[bool]
    window_hours: NotRequired[int]
    event_type: NotRequired[str]


class PlacementRule(TypedDict):
    name: str
    from_ts: NotRequired[int]
    to_ts: NotRequired[int]
    only_if: NotRequired[str]
    filter_query: NotRequired[str]
    boosts: NotRequired[list[Boost]]
    pins: NotRequired[list[Pin]]


class Placement(TypedDict):
    project_id: str
    name: str
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: PlacementDefaults
    rules: list[PlacementRule]
    fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]]
    fatigue: Fatigue | None
    created_ts: int
    version: int
    change: Literal["created", "updated", "rolled_back"]
    changed_ts: int
    changed_by: ChangedBy


class PlacementDefaultsInput(TypedDict):
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[Boost] | None]
    pins: NotRequired[list[Pin] | None]
    diversity: NotRequired[float | DiversityLimits | None]
    context: NotRequired[dict[str, Any] | None]
    model_id: NotRequired[str | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]


class PlacementEffect(TypedDict):
    clicked: int
    converted: int
    target_events: int
    value: float
    click_rate: Estimate | None
    target_rate: Estimate | None
    value_per_list: Estimate | None


class Reason(TypedDict):
    kind: Literal["history", "user-attribute", "context", "popularity", "dislike", "continue", "again", "related", "taste", "boost"]
    contribution: float
    item_id: NotRequired[str]
    event_type: NotRequired[str]
    ts: NotRequired[int]
    count: NotRequired[int]
    attribute: NotRequired[str]
    value: NotRequired[str]


class RecommendedItem(TypedDict):
    item: dict[str, Any]
    filled: NotRequired[bool]
    pinned: NotRequired[bool]
    score: NotRequired[float]
    reasons: NotRequired[list[Reason]]


class PlacementList(TypedDict):
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
    warnings: NotRequired[list[ListWarning]]
    results: list[RecommendedItem]


class PlacementPage(TypedDict):
    placements: list[PlacementList]


class PlacementReportRow(TypedDict):
    placement: str | None
    experiment_id: str | None
    variant: str | None
    ts: int | None
    served: int
    served_items: int
    shown_lists: int
    shown: int
    rates_of: Literal["shown", "served"]
    direct: PlacementEffect
    assisted: PlacementEffect


class PlacementReport(TypedDict):
    project_id: str
    target_event_type: str
    by: Literal["hour", "day", "total"]
    from_ts: int
    to_ts: int
    rows: list[PlacementReportRow]
    totals: list[PlacementReportRow]


class PlacementRuleInput(TypedDict):
    name: str
    from_ts: NotRequired[int | None]
    to_ts: NotRequired[int | None]
    only_if: NotRequired[str | None]
    filter_query: NotRequired[str | None]
    boosts: NotRequired[list[Boost] | None]
    pins: NotRequired[list[Pin] | None]


class PlacementVersion(TypedDict):
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: PlacementDefaults
    rules: list[PlacementRule]
    fallback: list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]]
    fatigue: Fatigue | None
    version: int
    change: Literal["created", "updated", "rolled_back"]
    changed_ts: int
    changed_by: ChangedBy


class SegmentRule(TypedDict):
    event_type: str
    item_id: NotRequired[str]
    value: NotRequired[str]
    products: NotRequired[str]


class SegmentMapping(TypedDict):
    events: NotRequired[dict[str, SegmentRule | None]]
    traits: NotRequired[list[str]]
    attributes: NotRequired[dict[str, str]]


class Project(TypedDict):
    project_id: str
    name: str
    project_type: Literal["RECOMMEND_ITEMS_TO_USER"]
    user_dataset_id: str
    item_dataset_id: str
    event_dataset_id: str
    target_event_type: str
    segment_mapping: SegmentMapping | None
    automation: Automation | None
    assist_window_hours: int
    serving_uri: str
    created_ts: int


class ProjectStatusData(TypedDict):
    users: int
    items: int
    events: int
    newest_event_ts: int | None


class ProjectStatusModel(TypedDict):
    model_id: str
    name: str
    created_ts: int
    events: int | None
    new_events: int | None


class ProjectStatusServing(TypedDict):
    minutes: int
    calls: int
    p50_ms: float | None
    p99_ms: float | None


class ProjectStatusHealth(TypedDict):
    checked_ts: int
    warnings: int
    notes: int


class ProjectStatusStream(TypedDict):
    stream: str
    messages: int
    skipped: int
    lost: int


class ProjectStatusFailedJob(TypedDict):
    job_id: str
    job_type: str
    name: str
    message: str


class ProjectStatus(TypedDict):
    project_id: str
    data: ProjectStatusData
    model: ProjectStatusModel | None
    serving: ProjectStatusServing
    health: ProjectStatusHealth | None
    streams: list[ProjectStatusStream]
    failed_job: ProjectStatusFailedJob | None


class RankedItem(TypedDict):
    item: dict[str, Any]
    filled: NotRequired[bool]
    pinned: NotRequired[bool]
    score: NotRequired[float | None]
    reasons: NotRequired[list[Reason]]


class Ranking(TypedDict):
    user_id: str | None
    attributes: list[str]
    filter_query: str | None
    objective: NotRequired[Literal["discover", "continue", "again", "any"]]
    model_id: str
    recommendation_id: str
    next_page_token: None
    warnings: NotRequired[list[ListWarning]]
    results: list[RankedItem]


class Recommendation(TypedDict):
    user_id: str | None
    limit: int
    attributes: list[str]
    filter_query: str | None
    objective: Literal["discover", "continue", "again", "any"]
    model_id: str
    recommendation_id: str
    next_page_token: str | None
    warnings: NotRequired[list[ListWarning]]
    results: list[RecommendedItem]


class RecordFailure(TypedDict):
    index: int
    id: str
    message: str
    code: Literal["INVALID_RECORD", "RECORD_TOO_LARGE", "ATTRIBUTE_TYPE_MISMATCH", "DATASET_FULL", "RECORD_NOT_FOUND", "INVALID_RECOMMENDATION_ID"]


class RecordWarning(TypedDict):
    index: int
    id: str
    message: str
    code: Literal["SUSPICIOUS_TIME", "UNKNOWN_ITEM", "UNKNOWN_TYPE", "RECOMMENDATION_EXPIRED"]


class RelatedItems(TypedDict):
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
    warnings: NotRequired[list[ListWarning]]
    results: list[RecommendedItem]


class SegmentRuleInput(TypedDict):
    event_type: str
    item_id: NotRequired[str | None]
    value: NotRequired[str | None]
    products: NotRequired[str | None]


class SegmentMappingInput(TypedDict):
    events: NotRequired[dict[str, SegmentRuleInput | None] | None]
    traits: NotRequired[list[str] | None]
    attributes: NotRequired[dict[str, str] | None]


class SubmittedJob(TypedDict):
    job_id: str


class TopItems(TypedDict):
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
    warnings: NotRequired[list[ListWarning]]
    results: list[RecommendedItem]


class TrackedEvent(TypedDict):
    item_id: str
    event_type: str
    event_value: NotRequired[float | None]
    ts: NotRequired[int | None]
    attributes: NotRequired[dict[str, Any] | None]
    recommendation_id: NotRequired[str | None]
    event_id: NotRequired[str | None]


class UsageCondition(TypedDict):
    attribute: str
    value: str | float | bool
    lower_bound: NotRequired[float | None]
    upper_bound: NotRequired[float | None]


class UserDataset(TypedDict):
    user_dataset_id: str
    name: str
    num_shards: int
    attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]] | None
    created_ts: int
    num_records: int
    inferred_attribute_schema: dict[str, Literal["NUMERICAL", "CATEGORICAL"]]


class UserDistributionQuery(TypedDict):
    attribute: str
    value: str | float | bool
    bins: NotRequired[int]


class UserDistributionQueryInput(TypedDict):
    attribute: str
    value: str | float | bool
    bins: NotRequired[int | None]


class UserDistributionResultQuery(TypedDict):
    query: UserDistributionQuery
    bins: int
    edges: list[float]
    counts: list[int]
    mean: float
    median: float
    min: float
    max: float
    total_users: int
    note: str | None
    calibration: Calibration | None


class UserDistributionResult(TypedDict):
    job_id: str
    project_id: str
    model_id: str
    created_ts: int
    total_users: int
    population_users: int
    message: str
    query_type: Literal["user_distribution"]
    calibration: CalibrationMethod
    queries: list[UserDistributionResultQuery]


class UserListQuery(TypedDict):
    conditions: list[UsageCondition]


class UserListResultQueryUser(TypedDict):
    user_id: str
    usage: float
    usages: list[float]
    basis: Literal["history", "attributes", "popularity"]


class UserListResultQuery(TypedDict):
    query: UserListQuery
    count: int
    note: str | None
    calibration: list[Calibration | None]
    users: list[UserListResultQueryUser]


class UserListResult(TypedDict):
    job_id: str
    project_id: str
    model_id: str
    created_ts: int
    total_users: int
    population_users: int
    message: str
    query_type: Literal["user_list"]
    calibration: CalibrationMethod
    queries: list[UserListResultQuery]


class UserPatch(TypedDict):
    user_id: str
    set: NotRequired[dict[str, Any] | None]
    unset: NotRequired[list[str] | None]


class UserRecord(TypedDict):
    user_id: str
    attributes: NotRequired[dict[str, Any]]


class UserRecordInput(TypedDict):
    user_id: str
    attributes: NotRequired[dict[str, Any] | None]


class VariantOverridesInput(TypedDict):
    kind: NotRequired[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"] | None]
    attributes: NotRequired[list[str] | None]
    limit: NotRequired[int | None]
    filter_query: NotRequired[str | None]
    filter_params: NotRequired[dict[str, str | float | bool | list[str | float | bool]] | None]
    exclude_item_ids: NotRequired[list[str] | None]
    exclude_event_types: NotRequired[list[str] | None]
    boosts: NotRequired[list[Boost] | None]
    pins: NotRequired[list[Pin] | None]
    diversity: NotRequired[float | DiversityLimits | None]
    context: NotRequired[dict[str, Any] | None]
    model_id: NotRequired[str | None]
    objective: NotRequired[Literal["auto", "discover", "continue", "again", "any"] | None]
    touch_days: NotRequired[int | None]
    exclude_seen: NotRequired[bool | None]
    window_hours: NotRequired[int | None]
    event_type: NotRequired[str | None]


class WebhookAttempt(TypedDict):
    ts: int
    succeeded: bool
    message: str


class Webhook(TypedDict):
    webhook_id: str
    url: str
    events: list[Literal["job.failed", "model.trained", "model.deployed", "model.rejected", "experiment.decided", "data.warning"]]
    created_ts: int
    last_attempt: WebhookAttempt | None


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


class UpsertDatasetUsersAnswer(TypedDict):
    user_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[RecordFailure]
    warnings: list[RecordWarning]


class UpsertDatasetItemsAnswer(TypedDict):
    item_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[RecordFailure]
    warnings: list[RecordWarning]


class UpsertDatasetEventsAnswer(TypedDict):
    event_dataset_id: str
    succeed_ids: list[str]
    failed_ids: list[str]
    failures: list[RecordFailure]
    warnings: list[RecordWarning]


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


class ListDatasetRecordsAnswer(TypedDict):
    records: list[EventRecord | UserRecord | ItemRecord]
    next_page_token: str | None


class GetAttributeStatisticsAnswer(TypedDict):
    num_records: int
    sampled_records: int
    attributes: list[AttributeStatistics]


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


class SubmitClusteringJobParameters(TypedDict):
    min_user_num: NotRequired[int | None]
    num_clusters: NotRequired[int | None]
    seed: NotRequired[int | None]


class SubmitRecommendationJobUsers(TypedDict):
    all: Literal[True]


class SubmitRecommendationJobUsers2(TypedDict):
    user_ids: list[str]


class SubmitRecommendationJobUsers3(TypedDict):
    job_id: str


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


class ListAutomationDecisionsAnswer(TypedDict):
    decisions: list[AutomationDecision]
    next_page_token: str | None


class RollbackDeploymentAnswer(TypedDict):
    job_id: str | None
    model_id: str


class PreviewPlacementDefinition(TypedDict):
    kind: Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again", "ranking"]
    defaults: NotRequired[PlacementDefaultsInput | None]
    rules: NotRequired[list[PlacementRuleInput] | None]
    fallback: NotRequired[list[Literal["for_you", "similar", "together", "next", "popular", "trending", "newest", "continue", "again"]] | None]
    fatigue: NotRequired[Fatigue | None]


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
    boosts: NotRequired[list[Boost] | None]
    pins: NotRequired[list[Pin] | None]
    diversity: NotRequired[float | DiversityLimits | None]
    page_token: NotRequired[str | None]
    session_events: NotRequired[list[SessionEvent] | None]
    context: NotRequired[dict[str, Any] | None]
    explain: NotRequired[bool | None]
    model_id: NotRequired[str | None]


class ListPlacementsAnswer(TypedDict):
    placements: list[Placement]
    next_page_token: str | None


class ListPlacementVersionsAnswer(TypedDict):
    versions: list[PlacementVersion]
    next_page_token: str | None


class CreateExperimentVariant(TypedDict):
    name: str
    share: float
    overrides: NotRequired[VariantOverridesInput | None]


class ListExperimentsAnswer(TypedDict):
    experiments: list[Experiment]
    next_page_token: str | None


class RecordImpressionsAnswerFailure(TypedDict):
    index: int
    code: Literal["INVALID_RECOMMENDATION_ID", "RECOMMENDATION_EXPIRED"]
    message: str


class RecordImpressionsAnswer(TypedDict):
    recorded: int
    failures: list[RecordImpressionsAnswerFailure]


class GetDataHealthAnswer(TypedDict):
    project_id: str
    report: HealthReport | None
    running_job_id: str | None


class ListApiKeysAnswer(TypedDict):
    api_keys: list[ApiKey]
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


class ListAuditEntriesAnswer(TypedDict):
    audit_entries: list[AuditEntry]
    next_page_token: str | None


class CreateWebhookAnswer(TypedDict):
    webhook_id: str
    url: str
    events: list[Literal["job.failed", "model.trained", "model.deployed", "model.rejected", "experiment.decided", "data.warning"]]
    created_ts: int
    last_attempt: WebhookAttempt | None
    secret: str


class ListWebhooksAnswer(TypedDict):
    webhooks: list[Webhook]
    next_page_token: str | None


class ListConsoleSessionsAnswer(TypedDict):
    sessions: list[ConsoleSession]
    next_page_token: str | None


class EndConsoleSessionsAnswer(TypedDict):
    ended: int
