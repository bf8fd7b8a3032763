"""What both clients decide alike: how often to look at a job, which link a result has, ids of events."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from typing import Any

import httpx

from .errors import KindredJobError
from .types import Job

RECORDS_PER_SHARD = 100_000
MIN_SHARDS = 10


def poll_pauses(max_poll_s: float) -> Iterator[float]:
    """First often, then less so."""
    pause = 0.1
    while True:
        yield min(pause, max_poll_s)
        pause *= 1.3


def has_succeeded(job: Job) -> bool:
    """Raises KindredJobError for a job that ended without success."""
    if job["job_status"] in ("FAILED", "CANCELLED"):
        raise KindredJobError(job)
    return job["job_status"] == "SUCCEED"


def result_link(job: Any, file_format: str | None) -> httpx.URL:
    """None: the format that the job itself was given."""
    link = (job.get("job_result") or {}).get("download_url")
    if not isinstance(link, str):
        raise TypeError("the job has no result to download: it must have succeeded first")
    url = httpx.URL(link)
    if file_format is None:
        return url
    own_format = url.params.get("format", file_format)
    if own_format != file_format:
        raise ValueError(f"the result of this job is a {own_format} file, not {file_format}: save it with save_result")
    return url if file_format == "json" else url.copy_set_param("format", file_format)


def shards_for(data: Any) -> int:
    """Room for half as many records again as there are."""
    return max(MIN_SHARDS, math.ceil(len(data) * 1.5 / RECORDS_PER_SHARD)) if hasattr(data, "__len__") else MIN_SHARDS


def with_event_ids(fields: dict[str, Any]) -> dict[str, Any]:
    """Tracked events with neither an id nor a time get an id: the service then stores an event once, however often and
    however late a lost call is sent again."""
    events = [
        {**event, "event_id": secrets.token_urlsafe(16)}
        if event.get("event_id") is None and event.get("ts") is None
        else event
        for event in fields["events"]
    ]
    return {**fields, "events": events}
