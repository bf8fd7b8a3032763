"""Any number of records → batches the service accepts. Only the batches in flight are in memory."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_BATCH_RECORDS = 1000
# Well under the service's 64 MiB, so that a body is never refused for its size alone.
MAX_BATCH_BYTES = 8_000_000


@dataclass
class BulkResult:
    """What became of the records. ``failures`` and ``warnings`` keep the first 100 each; all are counted."""

    submitted: int = 0
    succeeded: int = 0
    failed: int = 0
    warned: int = 0
    seconds: float = 0.0
    failures: list[dict[str, Any]] = field(default_factory=list)
    warnings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Batch:
    """Records with the position of the first one in the whole stream, and their JSON."""

    position: int
    records: list[Any]
    body: bytes


OnProgress = Callable[[BulkResult], None]
KEPT = 100


class BulkCount:
    """Sums the responses of batches. Responses may come in any order."""

    def __init__(self, on_progress: OnProgress | None) -> None:
        self.result = BulkResult()
        self._on_progress = on_progress
        self._started = time.monotonic()

    def add(self, batch: Batch, answer: dict[str, Any]) -> None:
        result = self.result
        failures, warnings = answer.get("failures", []), answer.get("warnings", [])
        for kept, notes in ((result.failures, failures), (result.warnings, warnings)):
            for note in notes[: max(0, KEPT - len(kept))]:
                kept.append(
                    {**note, "position": batch.position + note["index"], "record": batch.records[note["index"]]}
                )
        result.submitted += len(batch.records)
        result.succeeded += len(answer["succeed_ids"])
        result.failed += len(failures)
        result.warned += len(warnings)
        result.seconds = time.monotonic() - self._started
        if self._on_progress:
            self._on_progress(result)


def batches_of(head: dict[str, str], kind: str, records: Iterable[Any], batch_size: int) -> Iterator[Batch]:
    """Bodies of upserts: ``head`` names the dataset."""
    size = min(MAX_BATCH_RECORDS, max(1, batch_size))
    opening = f'{json.dumps(head)[:-1]},"{kind}":['.encode()
    position, held, texts, length = 0, list[Any](), list[bytes](), 0

    def take() -> Batch:
        return Batch(position, held, opening + b",".join(texts) + b"]}")

    for record in records:
        text = json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
        if held and (length + len(text) > MAX_BATCH_BYTES or len(held) == size):
            yield take()
            position, held, texts, length = position + len(held), [], [], 0
        held.append(record)
        texts.append(text)
        length += len(text)
    if held:
        yield take()
