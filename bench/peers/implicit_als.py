"""Trains implicit's ALS on a split in line format and prints quality and seconds as one JSON object.

usage: implicit_als.py TRAIN TEST CUTOFF [THREADS]
A line of TRAIN or TEST is a user, then its items. Regularization is tuned on the last 10% of every user's train items.
"""
import json
import sys
import time

import implicit
import numpy as np
import scipy.sparse as sp


def read_lines(path):
    users = {}
    with open(path) as lines:
        for line in lines:
            numbers = line.split()
            if len(numbers) > 1:
                users[int(numbers[0])] = [int(n) for n in numbers[1:]]
    return users


def shape_of(*splits):
    users = max(max(split) for split in splits) + 1
    items = max(max(map(max, split.values())) for split in splits) + 1
    return users, items


def without_newest(users):
    """The users without the last tenth of their items, and that tenth."""
    held_out = {u: items[-max(1, len(items) // 10) :] for u, items in users.items() if len(items) > 4}
    kept = {u: items[: len(items) - len(held_out.get(u, []))] for u, items in users.items()}
    return kept, held_out


def matrix(users, shape):
    rows = np.concatenate([np.full(len(items), user) for user, items in users.items()])
    columns = np.concatenate([np.asarray(items) for items in users.values()])
    return sp.csr_matrix((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)


def fit(train, regularization, threads):
    model = implicit.als.AlternatingLeastSquares(
        factors=64, iterations=15, regularization=regularization, random_state=7, num_threads=threads
    )
    model.fit(train, show_progress=False)
    return model


def evaluate(rank, test, cutoff):
    """Recall and NDCG of rank(users), an array with the best items of each user."""
    users = np.array(sorted(test))
    recall = ndcg = 0.0
    discounts = 1 / np.log2(np.arange(2, cutoff + 2))
    for begin in range(0, len(users), 500):
        block = users[begin : begin + 500]
        for user, items in zip(block, rank(block)):
            relevant = set(test[user])
            hits = np.array([item in relevant for item in items], dtype=float)
            recall += hits.sum() / len(relevant)
            ndcg += (hits * discounts).sum() / discounts[: min(len(relevant), cutoff)].sum()
    return recall / len(users), ndcg / len(users)


def ranked_by(model, train, cutoff):
    return lambda users: model.recommend(users, train[users], N=cutoff, filter_already_liked_items=True)[0]


def main():
    train_users, test_users = read_lines(sys.argv[1]), read_lines(sys.argv[2])
    cutoff, threads = int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 0
    shape = shape_of(train_users, test_users)
    kept, held_out = without_newest(train_users)
    kept_matrix = matrix(kept, shape)
    tuning_begin = time.perf_counter()
    grid = [0.1, 1.0, 10.0, 30.0, 100.0]
    models = (fit(kept_matrix, value, threads) for value in grid)
    scores = [evaluate(ranked_by(model, kept_matrix, cutoff), held_out, cutoff)[1] for model in models]
    best = grid[int(np.argmax(scores))]
    tuning_seconds = time.perf_counter() - tuning_begin

    train = matrix(train_users, shape)
    begin = time.perf_counter()
    model = fit(train, best, threads)
    fit_seconds = time.perf_counter() - begin
    recall, ndcg = evaluate(ranked_by(model, train, cutoff), test_users, cutoff)
    print(
        json.dumps(
            {
                "peer": "implicit ALS",
                "version": implicit.__version__,
                "regularization": best,
                "fit_seconds": round(fit_seconds, 2),
                "tuning_seconds": round(tuning_seconds, 2),
                f"recall@{cutoff}": round(float(recall), 4),
                f"ndcg@{cutoff}": round(float(ndcg), 4),
            }
        )
    )


if __name__ == "__main__":
    main()
