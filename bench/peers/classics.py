"""Cosine kNN, EASE and implicit's ALS on a split in line format; prints their quality as one JSON object.

usage: classics.py TRAIN TEST CUTOFF
Each is tuned on the last 10 % of every user's train items, then fitted on all of them. EASE inverts a matrix of items by
items: beyond MAX_DENSE_ITEMS it is left out.
"""
import json
import sys

import numpy as np
import scipy.sparse as sp

from implicit_als import evaluate, fit, matrix, read_lines, shape_of, without_newest

MAX_DENSE_ITEMS = 8000


def cosine(train, neighbours):
    gram = (train.T @ train).tocsc()
    norms = 1 / np.sqrt(np.maximum(gram.diagonal(), 1))
    similar = sp.csc_matrix(sp.diags(norms) @ gram @ sp.diags(norms))
    similar.setdiag(0)
    for item in range(similar.shape[1]):
        column = similar.data[similar.indptr[item] : similar.indptr[item + 1]]
        if len(column) > neighbours:
            column[column < np.partition(column, -neighbours)[-neighbours]] = 0
    similar.eliminate_zeros()
    return lambda users: (train[users] @ similar).toarray()


def ease(train, penalty):
    gram = (train.T @ train).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] += penalty
    inverse = np.linalg.inv(gram)
    weights = (-inverse / np.diag(inverse)).astype(np.float32)
    np.fill_diagonal(weights, 0)
    return lambda users: train[users] @ weights


def als(train, regularization):
    model = fit(train, regularization, 0)
    return lambda users: model.user_factors[users] @ model.item_factors.T


def best_of(score, train, cutoff):
    def rank(users):
        scores = np.asarray(score(users), dtype=np.float32)
        scores[train[users].nonzero()] = -np.inf
        best = np.argpartition(-scores, cutoff, axis=1)[:, :cutoff]
        return np.take_along_axis(best, np.argsort(-np.take_along_axis(scores, best, 1), axis=1), 1)

    return rank


def main():
    train_users, test_users = read_lines(sys.argv[1]), read_lines(sys.argv[2])
    cutoff = int(sys.argv[3])
    shape = shape_of(train_users, test_users)
    kept_users, held_out = without_newest(train_users)
    kept, train = matrix(kept_users, shape), matrix(train_users, shape)
    methods = {"cosine kNN": (cosine, [50, 100, 200]), "ALS": (als, [0.1, 1.0, 10.0, 30.0])}
    if shape[1] <= MAX_DENSE_ITEMS:
        methods["EASE"] = (ease, [100, 300, 1000])
    result = {}
    for name, (make, grid) in methods.items():
        scores = [evaluate(best_of(make(kept, setting), kept, cutoff), held_out, cutoff)[1] for setting in grid]
        best = grid[int(np.argmax(scores))]
        recall, ndcg = evaluate(best_of(make(train, best), train, cutoff), test_users, cutoff)
        result[name] = {"recall": round(float(recall), 4), "ndcg": round(float(ndcg), 4), "setting": best}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
