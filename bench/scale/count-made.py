"""Counts pairs of histories that are made inside Spark, in the way a training does.

`count-made.py PROGRAM USERS ITEMS ENTRIES OUT`: PROGRAM is deploy/spark/aggregate.py. A user has up to ENTRIES different items, popular
ones more often. Prints one line of JSON: seconds, and what stages wrote to disk because it did not fit in memory.
"""

import importlib.util
import json
import sys
import time
import urllib.request

from pyspark.sql import Column, SparkSession
from pyspark.sql import functions as F

SLOT = 250
WEIGHT = 1 << 16
SCALE = 1 << 20
PARTITIONS = 200


def main() -> None:
    program, out = sys.argv[1], sys.argv[5]
    users, items, entries = map(int, sys.argv[2:5])
    spec = importlib.util.spec_from_file_location("aggregate", program)
    aggregate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(aggregate)
    spark = aggregate.session()
    places = F.sequence(F.lit(1), F.lit(entries))
    made = spark.range(0, users, 1, PARTITIONS).select(
        F.array_distinct(F.transform(places, lambda place: drawn(F.col("id"), place, items))).alias("items")
    )
    weighed = made.withColumn("weights", F.transform("items", lambda _: F.lit(WEIGHT)))
    numbers = spark.range(items).select(*(F.col("id").cast("int").alias(name) for name in ("item", "number")))
    request = {"slot": SLOT, "out": out, "scales": [[SCALE] * (entries + 1)] * 2}
    began = time.time()
    aggregate.cooccurrence(spark, aggregate.histories(weighed), numbers, request)
    print("MADE " + json.dumps({"seconds": time.time() - began, **totals(spark)}), flush=True)
    spark.stop()


def drawn(user: Column, place: Column, items: int) -> Column:
    """By Zipf's law: items to the power of a random number, which is a hash so that it is the same in every attempt."""
    share = F.pmod(F.xxhash64(user, place), F.lit(1 << 30)) / F.lit(float(1 << 30))
    return F.least(F.floor(F.pow(F.lit(float(items)), share)) - 1, F.lit(items - 1)).cast("int")


def totals(spark: SparkSession) -> dict:
    """Over all stages, from the driver's REST API."""
    context = spark.sparkContext
    with urllib.request.urlopen(f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/stages") as answer:
        stages = json.load(answer)
    names = {"spilledBytes": "diskBytesSpilled", "shuffledBytes": "shuffleWriteBytes", "pairs": "shuffleWriteRecords"}
    return {name: sum(stage[field] for stage in stages) for name, field in names.items()}


if __name__ == "__main__":
    main()
