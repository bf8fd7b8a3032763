"""Counts pairs of items for a training of Kindred. Submitted by a Kindred worker with spark-submit; needs nothing but Spark.

Requests are files in a local folder (0.json, 1.json and so on), each answered with a line of output. It ends when there is a file `end`,
and at once, whatever it is doing, when the folder, the worker or Spark's own process is gone. Reads histories, one row per user (items and
their weights, oldest first), and writes rows, all as Parquet. Sums are whole numbers, so that they are the same in any order; the rules are
those of src/dataset/fixed-point.ts. Histories are exploded where they are read, the event table is never joined with itself: a user costs at
most the square of the history cap. Pairs are summed on the mappers first, so that a popular item is no hot spot.
"""

import json
import os
import sys
import threading
import time

from pyspark.sql import Column, DataFrame, Observation, SparkSession, Window
from pyspark.sql import functions as F

UNIT = 2.0**-24
HISTORY = "items array<int> not null, weights array<int> not null"
# Of a pair, the smaller item first: both items, and two sums for each direction.
BOTH = ("low", "high", "there", "there2", "back", "back2")


def main() -> None:
    folder, worker = sys.argv[1], int(sys.argv[2])
    threading.Thread(target=watch, args=(folder, worker, os.getppid()), daemon=True).start()
    spark = session()
    context = spark.sparkContext
    print(f"KINDRED {context.applicationId} {context.uiWebUrl}", flush=True)
    try:
        for request in requests(folder):
            written = answer(spark, request)
            print("KINDRED DONE " + json.dumps(written, separators=(",", ":")), flush=True)
    finally:
        spark.stop()


def watch(folder: str, worker: int, driver: int) -> None:
    """Ends this process when nobody waits for it. Spark, which started it as `driver`, then stops the application and ends."""
    while is_alive(worker) and os.path.isdir(folder) and os.getppid() == driver:
        time.sleep(1)
    os._exit(1)


def session() -> SparkSession:
    # The artifact store holds files with plain names: no marks and no checksums next to them.
    marks = "spark.hadoop.mapreduce.fileoutputcommitter.marksuccessfuljobs"
    files = "spark.hadoop.fs.file.impl"
    builder = SparkSession.builder.config(marks, "false").config(files, "org.apache.hadoop.fs.RawLocalFileSystem")
    # The worker reads there how far a count is.
    builder = builder.config("spark.ui.enabled", "true")
    # A file that is missing is an error, not fewer users.
    for problem in ("Missing", "Corrupt"):
        builder = builder.config(f"spark.sql.files.ignore{problem}Files", "false")
    # A task for each file of histories: a megabyte of them makes ten million pairs, which are summed fastest where they fit in memory.
    for limit in ("maxPartitionBytes", "openCostInBytes"):
        builder = builder.config(f"spark.sql.files.{limit}", "2m")
    # Most rows are short: to sort them once more for the largest of each part would be in vain.
    builder = builder.config("spark.sql.optimizer.windowGroupLimitThreshold", "-1")
    return builder.getOrCreate()


def requests(folder: str):
    """Until there will be no more."""
    number = 0
    while True:
        path = os.path.join(folder, f"{number}.json")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                yield json.load(file)
            number += 1
        elif os.path.exists(os.path.join(folder, "end")):
            return
        else:
            time.sleep(0.2)


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def answer(spark: SparkSession, request: dict) -> dict:
    """How many rows each output has."""
    users = spark.read.schema(HISTORY).parquet(*request["histories"])
    items = spark.read.parquet(request["items"])
    if request["what"] == "counts":
        named = users.select(F.explode("items").alias("item"))
        counts = named.groupBy("item").agg(F.count("*").cast("int").alias("users"))
        return write(request, rows=numbered(counts, items, "item"))
    if request["what"] == "cooccurrence":
        return cooccurrence(spark, histories(users), items, request)
    return transitions(spark, histories(users), items, request)


def numbered(rows: DataFrame, items: DataFrame, name: str) -> DataFrame:
    """Histories name items in a way that stays; rows have the numbers of this training."""
    numbers = F.broadcast(items.select("item", "number"))
    return rows.withColumnRenamed(name, "item").join(numbers, "item").drop("item").withColumnRenamed("number", name)


def histories(users: DataFrame) -> DataFrame:
    """One row per user: entries, oldest first."""
    entries = F.arrays_zip(F.col("items").alias("item"), F.col("weights").alias("weight"))
    return users.select(entries.alias("history"))


def small_table(spark: SparkSession, names: tuple, rows: list) -> DataFrame:
    """Whole numbers as a table. By way of JSON, so that executors need no Python."""
    fields = ", ".join(f"{name}: int" for name in names)
    text = json.dumps([dict(zip(names, row)) for row in rows])
    return spark.range(1).select(F.inline(F.from_json(F.lit(text), f"array<struct<{fields}>>")))


def pair(weight: Column, scale: Column, other: Column) -> Column:
    """What a pair adds, in units of 2^-24."""
    scaled = F.shiftright(weight.cast("long") * scale.cast("long"), 12)
    return F.shiftright(scaled * other.cast("long"), 16) + F.lit(1).cast("long")


def as_float(total: Column) -> Column:
    return total.cast("float") * F.lit(UNIT).cast("float")


def cooccurrence(spark: SparkSession, users: DataFrame, items: DataFrame, request: dict) -> dict:
    by_length = [(n, *both) for n, both in enumerate(zip(*request["scales"]))]
    scales = small_table(spark, ("length", "scale", "scale2"), by_length)
    own = (
        users.withColumn("length", F.size("history"))
        .join(F.broadcast(scales), "length")
        .select("history", "scale", "scale2", F.explode("history").alias("own"))
    )
    others = own.select("own", "scale", "scale2", F.explode("history").alias("other"))
    # Both directions of a pair in one row: half as many rows to sum.
    there, back = sums_of("own", "other", "there"), sums_of("other", "own", "back")
    both = others.where("own.item < other.item").groupBy("own.item", "other.item").agg(*there, *back).toDF(*BOTH)
    rows = both.select(F.inline(F.array(one_way("low", "high", "there"), one_way("high", "low", "back"))))
    # An item is in a history once. Its pairs with itself are counted apart, so that executors do not have to keep the sums of all pairs.
    totals = own.groupBy("own.item").agg(*sums_of("own", "own", "there")).toDF("low", "there", "there2")
    own_rows = totals.select(F.inline(F.array(one_way("low", "low", "there")))).drop("j")
    kept = largest(numbered(rows, items, "j"), request["slot"])
    return write(request, rows=numbered(kept, items, "i"), totals=numbered(own_rows, items, "i"))


def sums_of(own: str, other: str, name: str) -> list:
    weight, others = F.col(f"{own}.weight"), F.col(f"{other}.weight")
    return [
        F.sum(pair(weight, F.col(scale), others)).alias(name + number) for scale, number in (("scale", ""), ("scale2", "2"))
    ]


def one_way(row: str, column: str, name: str) -> Column:
    values = as_float(F.col(name)).alias("value"), as_float(F.col(name + "2")).alias("second")
    return F.struct(F.col(row).alias("i"), F.col(column).alias("j"), *values)


def transitions(spark: SparkSession, users: DataFrame, items: DataFrame, request: dict) -> dict:
    lags = [
        (lag, forward, request["backward"][lag])
        for lag, forward in enumerate(request["forward"])
        if forward != 0 or request["backward"][lag] != 0
    ]
    weights = small_table(spark, ("lag", "forward", "backward"), lags)
    pairs = (
        users.select("history", F.posexplode("history").alias("at", "own"))
        .crossJoin(F.broadcast(weights))
        .where(F.col("at") + F.col("lag") < F.size("history"))
        .withColumn("other", F.col("history")[F.col("at") + F.col("lag")])
        .select(
            F.explode(
                F.array(
                    directed(F.col("own"), F.col("forward"), F.col("other")),
                    directed(F.col("other"), F.col("backward"), F.col("own")),
                )
            ).alias("pair"),
        )
        .select("pair.*")
        .where("scale <> 0 AND i <> j")
    )
    # Pairs are made twice, so that executors do not have to keep the sums of all of them.
    totals = pairs.groupBy("i").agg(as_float(F.sum("added")).alias("value"))
    sums = pairs.groupBy("i", "j").agg(F.sum("added").alias("added"))
    value = as_float(F.col("added")) * F.col("column_scale")
    scaled = sums.join(F.broadcast(items), F.col("j") == F.col("item")).select(
        "i", F.col("number").alias("j"), value.alias("value")
    )
    kept = largest(scaled.where("value > 0"), request["slot"])
    return write(request, rows=numbered(kept, items, "i"), totals=numbered(totals, items, "i"))


def directed(own: Column, scale: Column, other: Column) -> Column:
    return F.struct(
        own["item"].alias("i"),
        other["item"].alias("j"),
        scale.alias("scale"),
        pair(own["weight"], scale, other["weight"]).alias("added"),
    )


def largest(rows: DataFrame, slot: int) -> DataFrame:
    """The largest of each row; of equal ones the smaller column."""
    order = Window.partitionBy("i").orderBy(F.col("value").desc(), F.col("j"))
    return rows.withColumn("rank", F.row_number().over(order)).where(F.col("rank") <= slot).drop("rank")


def write(request: dict, **outputs: DataFrame) -> dict:
    """How many rows each has, counted where they are written: a file that is lost later is missed."""
    written = {}
    for name, rows in outputs.items():
        count = Observation()
        counted = rows.observe(count, F.count(F.lit(1)).alias("rows"))
        counted.write.mode("overwrite").parquet(f"{request['out']}/{name}")
        written[name] = count.get["rows"]
    return written


if __name__ == "__main__":
    main()
