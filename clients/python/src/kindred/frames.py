"""Data frames in and out: pandas or polars, whichever you use; neither is needed to import this package.

Columns named like a field (``user_id``, ``item_id``, ``event_id``, ``ts``, ``event_type``, ``event_value``,
``recommendation_id``) become that field, every other column an attribute. Empty cells (None, NaN, NaT) and infinite
numbers, which JSON does not have, are left out.
"""

from __future__ import annotations

import datetime
import decimal
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

Kind = Literal["users", "items", "events"]

ID_FIELD = {"users": "user_id", "items": "item_id", "events": "event_id"}
FIELDS = {
    "users": {"user_id"},
    "items": {"item_id"},
    "events": {"event_id", "user_id", "item_id", "ts", "event_type", "event_value", "recommendation_id"},
}
MAX_ID_CHARACTERS = 100


def is_frame(data: object) -> bool:
    """Whether this is a pandas or polars data frame (also a lazy or Arrow one that can list its rows)."""
    return hasattr(data, "columns") and (hasattr(data, "to_dict") or hasattr(data, "iter_rows"))


def records_of(data: Any, kind: Kind, event_type: str | None = None) -> Iterator[dict[str, Any]]:
    """Records the API takes, from a data frame or from records that are ready."""
    if not is_frame(data):
        yield from data
        return
    needed = {"users": ["user_id"], "items": ["item_id"], "events": ["user_id", "item_id"]}[kind]
    missing = [name for name in needed if name not in list(data.columns)]
    if missing:
        columns = ", ".join(map(str, data.columns))
        raise ValueError(f"the frame of {kind} has no column {' and '.join(missing)}; it has {columns}: rename yours")
    for at, row in enumerate(_rows_of(data)):
        if at == 0 and kind == "events" and isinstance(row.get("ts"), str):
            raise ValueError("ts of the frame of events is text: use frame['ts'] = pd.to_datetime(frame['ts'])")
        yield _record_of(row, kind, event_type)


def _rows_of(frame: Any) -> Iterator[Mapping[str, Any]]:
    if hasattr(frame, "iter_rows"):
        yield from frame.iter_rows(named=True)
        return
    columns = [str(name) for name in frame.columns]
    # In slices, so that a large frame is never in memory a second time as Python objects.
    for start in range(0, len(frame), 10_000):
        part = frame.iloc[start : start + 10_000].astype(object)
        for row in part.itertuples(index=False, name=None):
            yield dict(zip(columns, row, strict=True))


def _record_of(row: Mapping[str, Any], kind: Kind, event_type: str | None) -> dict[str, Any]:
    record: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for name, cell in row.items():
        value = _plain(cell)
        if value is None:
            continue
        if name not in FIELDS[kind]:
            attributes[name] = value
        elif name.endswith("_id") or name == "event_type":
            # The service refuses a nested one by its row; as text it would be an id.
            record[name] = value if isinstance(value, (dict, list)) else str(_whole(value))
        else:
            record[name] = _whole(value)
    if kind == "events":
        record.setdefault("event_type", event_type)
        record.setdefault("ts", 0)
        record.setdefault("event_id", _made_event_id(record))
    if attributes:
        record["attributes"] = attributes
    return record


def _made_event_id(event: Mapping[str, Any]) -> str:
    """Made from what the event is, so that upserting a frame twice stores its events once."""
    parts = (event.get("user_id"), event.get("item_id"), event["ts"], event["event_type"])
    made = ":".join(_escaped(str(part)) for part in parts)
    return made if len(made) <= MAX_ID_CHARACTERS else hashlib.sha256(made.encode()).hexdigest()


def _escaped(part: str) -> str:
    """The user a:b with the item c is not the user a with the item b:c."""
    return part.replace("\\", "\\\\").replace(":", "\\:")


def _whole(value: Any) -> Any:
    """12 for 12.0: pandas makes a column of numbers with empty cells one of floats."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _plain(cell: Any) -> Any:
    """A cell as a JSON value; None for an empty one."""
    if hasattr(cell, "tolist"):  # numpy's arrays and numbers
        cell = cell.tolist()
    if isinstance(cell, decimal.Decimal):  # whole ones as int, because an id can have more digits than a float keeps
        cell = int(cell) if cell.is_finite() and cell == int(cell) else float(cell)
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return None
    if isinstance(cell, float) and not math.isfinite(cell):
        return None
    if isinstance(cell, (datetime.datetime, datetime.date)):
        return _milliseconds(cell)
    if isinstance(cell, Mapping):
        return {str(name): value for name, inner in cell.items() if (value := _plain(inner)) is not None}
    if isinstance(cell, (list, tuple, set)):
        return [_plain(value) for value in cell]
    return cell if isinstance(cell, (str, bool, int, float)) else str(cell)


def _milliseconds(moment: datetime.date) -> int:
    """Milliseconds since 1970; a time without a zone is taken as UTC."""
    if not isinstance(moment, datetime.datetime):
        moment = datetime.datetime(moment.year, moment.month, moment.day)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return round(moment.timestamp() * 1000)


def rows_of_results(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The list of a recommending call as flat rows: rank, item_id, its attributes, score."""
    rows = []
    for rank, result in enumerate(answer["results"], start=1):
        row: dict[str, Any] = {"user_id": answer["user_id"]} if answer.get("user_id") else {}
        row.update(rank=rank, **result["item"])
        if "score" in result:
            row["score"] = result["score"]
        rows.append(row)
    return rows


def to_pandas(answers: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Any:
    """One or many responses of recommendation calls as a pandas data frame."""
    import pandas

    return pandas.DataFrame(_all_rows(answers))


def to_polars(answers: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> Any:
    """One or many responses of recommendation calls as a polars data frame."""
    import polars

    return polars.DataFrame(_all_rows(answers), infer_schema_length=None)


def _all_rows(answers: Mapping[str, Any] | Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    several = [answers] if isinstance(answers, Mapping) else answers
    return [row for answer in several for row in rows_of_results(answer)]
