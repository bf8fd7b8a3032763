import datetime
import decimal
import math

import pandas as pd
import polars as pl
import pytest

from kindred import to_pandas, to_polars
from kindred.frames import records_of

ROWS = {
    "user_id": [1, 2],
    "item_id": ["a", "b"],
    "ts": [datetime.datetime(2026, 11, 15, 20, 0), datetime.datetime(2026, 11, 15, 21, 0)],
    "event_type": ["buy", None],
    "event_value": [2.5, None],
    "device": ["phone", None],
}
BUY_AT = 1794772800000


@pytest.mark.parametrize("frame", [pd.DataFrame(ROWS), pl.DataFrame(ROWS)], ids=["pandas", "polars"])
def test_columns_become_fields_and_attributes_and_empty_cells_are_left_out(frame):
    first, second = records_of(frame, "events", "view")
    assert first == {
        "event_id": f"1:a:{BUY_AT}:buy",
        "user_id": "1",
        "item_id": "a",
        "ts": BUY_AT,
        "event_type": "buy",
        "event_value": 2.5,
        "attributes": {"device": "phone"},
    }
    assert second == {
        "event_id": f"2:b:{BUY_AT + 3_600_000}:view",
        "user_id": "2",
        "item_id": "b",
        "ts": BUY_AT + 3_600_000,
        "event_type": "view",
    }


def test_ids_keep_their_digits_where_pandas_made_floats_of_them():
    frame = pd.DataFrame({"user_id": [7.0, 8.0], "age": [30, None]})
    assert list(records_of(frame, "users")) == [{"user_id": "7", "attributes": {"age": 30.0}}, {"user_id": "8"}]


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_nested_cells_stay_nested(frame_of):
    made_at = datetime.datetime(2026, 11, 15, 20, 0)
    sizes = [{"name": "S", "price": decimal.Decimal("19.5")}, {"name": "M", "price": None}]
    frame = frame_of({"item_id": ["a"], "maker": [{"name": "Ana", "made": made_at}], "sizes": [sizes]})
    assert list(records_of(frame, "items")) == [
        {
            "item_id": "a",
            "attributes": {
                "maker": {"name": "Ana", "made": BUY_AT},
                "sizes": [{"name": "S", "price": 19.5}, {"name": "M"}],
            },
        }
    ]


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_infinite_numbers_are_empty_cells(frame_of):
    frame = frame_of({"item_id": ["a", "b"], "ratio": [math.inf, 0.5], "change": [-math.inf, 1.5]})
    assert list(records_of(frame, "items")) == [
        {"item_id": "a"},
        {"item_id": "b", "attributes": {"ratio": 0.5, "change": 1.5}},
    ]


def test_a_nested_id_does_not_become_text():
    frame = pd.DataFrame({"user_id": [{"$oid": "65f0"}]})
    assert list(records_of(frame, "users")) == [{"user_id": {"$oid": "65f0"}}]


@pytest.mark.parametrize("frame_of", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_decimals_become_numbers_and_ids_keep_their_digits(frame_of):
    frame = frame_of(
        {
            "item_id": [decimal.Decimal("12345678901234567890"), decimal.Decimal("8")],
            "price": [decimal.Decimal("19.99"), None],
            "stock": [decimal.Decimal("3"), None],
        }
    )
    assert list(records_of(frame, "items")) == [
        {"item_id": "12345678901234567890", "attributes": {"price": 19.99, "stock": 3}},
        {"item_id": "8"},
    ]


def test_a_decimal_that_is_no_number_is_an_empty_cell():
    frame = pd.DataFrame({"item_id": ["a"], "price": [decimal.Decimal("NaN")]})
    assert list(records_of(frame, "items")) == [{"item_id": "a"}]


def test_lists_in_cells_stay_lists():
    frame = pd.DataFrame({"item_id": ["a"], "genres": [["Drama", "War"]]})
    assert next(records_of(frame, "items")) == {"item_id": "a", "attributes": {"genres": ["Drama", "War"]}}


def test_a_frame_without_its_id_column_says_which_columns_it_has():
    with pytest.raises(ValueError, match="no column item_id; it has name, price"):
        list(records_of(pd.DataFrame({"name": ["x"], "price": [1]}), "items"))


def test_long_event_ids_are_hashed_and_the_same_each_time():
    frame = pd.DataFrame({"user_id": ["u" * 80], "item_id": ["i" * 80], "ts": [5]})
    (one,), (again,) = records_of(frame, "events", "view"), records_of(frame, "events", "view")
    assert one["event_id"] == again["event_id"]
    assert len(one["event_id"]) <= 100


def test_event_ids_of_ids_with_colons_differ():
    frame = pd.DataFrame({"user_id": ["a:b", "a", "a\\"], "item_id": ["c", "b:c", "c"], "ts": [5, 5, 5]})
    assert [event["event_id"] for event in records_of(frame, "events", "view")] == [
        "a\\:b:c:5:view",
        "a:b\\:c:5:view",
        "a\\\\:c:5:view",
    ]


def test_answers_become_frames():
    answer = {"user_id": "u1", "results": [{"item": {"item_id": "a", "name": "A"}, "score": 0.5}]}
    assert to_pandas(answer).to_dict("records") == [
        {"user_id": "u1", "rank": 1, "item_id": "a", "name": "A", "score": 0.5}
    ]
    assert to_polars([answer, answer]).rows() == [("u1", 1, "a", "A", 0.5)] * 2
