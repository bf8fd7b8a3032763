"""Popularity, cosine kNN, EASE and implicit's ALS on one split; prints recall and NDCG of every test user as one JSON object.

usage: classics.py SPLIT       a JSON object:
  train, test   files; format: "lines" (a user, then its items), "sequences" (line n: the items of user n), "csv" (with a header)
  target        csv: event type that popularity counts, and that `had` means
  cutoff
  exclude       "had": items of the user's history are not ranked; "touched": the same, of any event type; "none"
Of the settings of a method the one that is best on the test itself is reported: more than a fair chance. EASE inverts a matrix
of items by items: beyond MAX_DENSE_ITEMS it is left out. Equal scores share their mean rank.
"""
import csv
import json
import sys

import implicit
import numpy as np
import scipy.sparse as sp
from scipy.linalg import lapack

MAX_DENSE_ITEMS = 10_000
BLOCK_SCORES = 20_000_000


def rows_of(path, form):
    """(user, item, event type) of every event."""
    with open(path, newline="") as file:
        if form == "csv":
            for row in csv.DictReader(file):
                yield row["user_id"], row["item_id"], row.get("event_type")
            return
        for number, line in enumerate(file):
            words = line.split()
            user = words.pop(0) if form == "lines" and words else str(number)
            for item in words:
                yield user, item, None


class Split:
    def __init__(self, about):
        self.cutoff = about["cutoff"]
        users, items = {}, {}
        touched, had, wanted = ([], []), ([], []), {}
        for user, item, kind in rows_of(about["train"], about["format"]):
            pair = users.setdefault(user, len(users)), items.setdefault(item, len(items))
            for column, number in zip(touched, pair):
                column.append(number)
            if kind is None or kind == about.get("target"):
                for column, number in zip(had, pair):
                    column.append(number)
        for user, item, _ in rows_of(about["test"], about["format"]):
            if user in users:
                # An item that training never saw stays wanted and cannot be found.
                wanted.setdefault(users[user], set()).add(items.get(item, -1))
        self.shape = len(users), len(items)
        self.touched, self.had = self.matrix(touched), self.matrix(had)
        self.wanted = {user: wanted[user] for user in sorted(wanted)}
        self.excluded = {"had": self.had, "touched": self.touched, "none": None}[about["exclude"]]

    def matrix(self, pairs):
        counted = sp.csr_matrix((np.ones(len(pairs[0]), np.float32), pairs), shape=self.shape)
        counted.data[:] = 1
        return counted


def popularity(split, _):
    counts = np.asarray(split.had.sum(axis=0), np.float32).ravel()
    return lambda users: np.tile(counts, (len(users), 1))


def cosine(split, setting):
    events, neighbors = setting
    x = getattr(split, events)
    gram = (x.T @ x).tocsc()
    norms = sp.diags(1 / np.sqrt(np.maximum(gram.diagonal(), 1)))
    similar = sp.csc_matrix(norms @ gram @ norms)
    similar.setdiag(0)
    for item in range(similar.shape[1]):
        column = similar.data[similar.indptr[item] : similar.indptr[item + 1]]
        if len(column) > neighbors:
            column[column < np.partition(column, -neighbors)[-neighbors]] = 0
    similar.eliminate_zeros()
    return lambda users: (x[users] @ similar).toarray()


def ease(split, setting):
    events, penalty = setting
    x = getattr(split, events)
    gram = (x.T @ x).toarray().astype(np.float32, order="F")
    gram[np.diag_indices_from(gram)] += penalty
    half, _ = lapack.spotri(lapack.spotrf(gram, lower=1, overwrite_a=1)[0], lower=1, overwrite_c=1)
    inverse = np.tril(half) + np.tril(half, -1).T
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0)
    return lambda users: x[users] @ weights


def als(split, setting):
    events, alpha, regularization = setting
    model = implicit.als.AlternatingLeastSquares(
        factors=64, iterations=15, regularization=regularization, alpha=alpha, random_state=7
    )
    model.fit(getattr(split, events), show_progress=False)
    return lambda users: model.user_factors[users] @ model.item_factors.T


def evaluate(split, score):
    """Recall and NDCG of each user with something wanted, in the order of split.wanted."""
    users = np.array(list(split.wanted))
    recalls, gains = [], []
    ideal = np.cumsum(1 / np.log2(np.arange(2, split.cutoff + 2)))
    size = max(1, BLOCK_SCORES // split.shape[1])
    for begin in range(0, len(users), size):
        block = users[begin : begin + size]
        scores = np.array(score(block), dtype=np.float32)
        if split.excluded is not None:
            scores[split.excluded[block].nonzero()] = -np.inf
        for user, row in zip(block, scores):
            items = np.array([item for item in split.wanted[user] if item >= 0 and np.isfinite(row[item])], int)
            ranks = [1 + (row > row[i]).sum() + ((row == row[i]).sum() - 1) / 2 for i in items]
            found = [rank for rank in ranks if rank <= split.cutoff]
            count = len(split.wanted[user])
            recalls.append(len(found) / count)
            gains.append(sum(1 / np.log2(rank + 1) for rank in found) / ideal[min(count, split.cutoff) - 1])
    return recalls, gains


def main():
    split = Split(json.loads(sys.argv[1]))
    kinds = ["touched"] if split.touched.nnz == split.had.nnz else ["touched", "had"]
    methods = {
        "popularity": (popularity, [None]),
        "cosine": (cosine, [(kind, n) for kind in kinds for n in (50, 200)]),
        "ALS": (als, [(kind, alpha, r) for kind in kinds for alpha, r in ((1, 1), (1, 10), (10, 10), (10, 30))]),
    }
    if split.shape[1] <= MAX_DENSE_ITEMS:
        methods["EASE"] = (ease, [(kind, penalty) for kind in kinds for penalty in (100, 500)])
    result = {}
    for name, (make, settings) in methods.items():
        tried = [(setting, *evaluate(split, make(split, setting))) for setting in settings]
        setting, recall, ndcg = max(tried, key=lambda one: np.mean(one[2]))
        rounded = [[round(float(value), 6) for value in values] for values in (recall, ndcg)]
        result[name] = {"setting": setting, "recall": rounded[0], "ndcg": rounded[1]}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
