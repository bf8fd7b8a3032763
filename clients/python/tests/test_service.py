import asyncio
import uuid

import pandas as pd
import polars as pl
import pytest

from kindred import AsyncKindred, KindredError, KindredJobError, to_pandas

USERS, GROUPS, ITEMS = 60, 3, 8


def shop():
    """Users of three groups, each of which buys items of its own."""
    events = [
        {
            "user_id": f"u{user}",
            "item_id": f"i{user % GROUPS}-{(user + nth) % ITEMS}",
            "ts": 1790000000000 + user * 1000 + nth,
        }
        for user in range(USERS)
        for nth in range(5)
    ]
    items = [{"item_id": f"i{group}-{n}", "group": f"g{group}"} for group in range(GROUPS) for n in range(ITEMS)]
    return pd.DataFrame(events), pd.DataFrame(items)


@pytest.fixture(scope="module")
def project(kindred):
    events, items = shop()
    made = kindred.create_project_from(f"shop {uuid.uuid4()}", events=events, items=items, target_event_type="buy")
    kindred.train_and_deploy(made["project_id"])
    return made


def test_frames_become_recommendations_of_the_users_own_group(kindred, project):
    answer = kindred.recommend_items_to_user(
        project_id=project["project_id"], user_id="u4", attributes=["group"], limit=3, objective="discover"
    )
    frame = to_pandas(answer)
    assert list(frame["group"]) == ["g1"] * 3
    assert list(frame["rank"]) == [1, 2, 3]


def test_a_frame_upserted_twice_is_stored_once(kindred, project):
    events, _ = shop()
    result = kindred.bulk_upsert_events(
        project["event_dataset_id"], pl.DataFrame(events.to_dict("list")), event_type="buy"
    )
    assert (result.submitted, result.succeeded, result.failed) == (USERS * 5, USERS * 5, 0)
    dataset = kindred.get_event_dataset(event_dataset_id=project["event_dataset_id"])
    assert dataset["num_records"] == USERS * 5


def test_refused_records_are_reported_with_their_place(kindred, project):
    records = [{"user_id": f"v{n}"} for n in range(1500)]
    records[1200] = {"user_id": ""}
    seen = []
    result = kindred.bulk_upsert_users(
        project["user_dataset_id"], records, on_progress=lambda now: seen.append(now.submitted)
    )
    assert (result.submitted, result.failed) == (1500, 1)
    assert result.failures[0]["position"] == 1200
    assert len(seen) == 2


def test_lists_are_read_to_their_end(kindred):
    for n in range(3):
        kindred.create_user_dataset(name=f"page {n}")
    entries = list(kindred.iterate("/list-user-datasets", page_size=2))
    assert len({entry["user_dataset_id"] for entry in entries}) == len(entries) >= 3


def test_errors_have_a_code_and_null_is_sent_when_given(kindred, project):
    with pytest.raises(KindredError) as caught:
        kindred.get_project(project_id="prj_none")
    assert caught.value.code == "PROJECT_NOT_FOUND"
    assert caught.value.request_id
    renamed = kindred.update_project(project_id=project["project_id"], name="renamed", segment_mapping=None)
    assert renamed["name"] == "renamed"


def test_results_of_any_job_are_saved_in_the_format_of_the_job(kindred, project, tmp_path):
    project_id = project["project_id"]
    users = {"user_ids": ["u1", "u2"]}
    lists = kindred.submit_recommendation_job(project_id=project_id, users=users, limit=2, format="csv")
    export = kindred.submit_export_job(project_id=project_id, what="events", format="parquet")
    done = kindred.wait_for_job(project_id, lists["job_id"])
    kindred.save_result(done, tmp_path / "lists.csv")
    assert list(pl.read_csv(tmp_path / "lists.csv")["user_id"]) == ["u1", "u1", "u2", "u2"]
    assert kindred.download_result(done, "csv") == (tmp_path / "lists.csv").read_bytes().decode()
    kindred.save_result(kindred.wait_for_job(project_id, export["job_id"]), tmp_path / "events.parquet")
    assert len(pl.read_parquet(tmp_path / "events.parquet")) == USERS * 5


def test_a_job_that_fails_raises_with_its_reason(kindred):
    empty = kindred.create_project_from(f"empty {uuid.uuid4()}", events=[], target_event_type="buy")
    algorithm = kindred.create_algorithm(project_id=empty["project_id"], name="G1", algorithm_type="G1")
    with pytest.raises((KindredJobError, KindredError)) as caught:
        job = kindred.submit_training_job(project_id=empty["project_id"], algorithm_id=algorithm["algorithm_id"])
        kindred.wait_for_job(empty["project_id"], job["job_id"])
    assert caught.value.code


def test_the_asynchronous_client_does_the_same(project):
    async def flow():
        async with AsyncKindred() as kindred:
            events, _ = shop()
            result = await kindred.bulk_upsert_events(project["event_dataset_id"], events, event_type="buy")
            answers = await asyncio.gather(
                *(
                    kindred.recommend_items_to_user(project_id=project["project_id"], user_id=f"u{n}", limit=2)
                    for n in range(10)
                )
            )
            names = [entry["name"] async for entry in kindred.iterate("/list-user-datasets", page_size=1)]
            return result, answers, names

    result, answers, names = asyncio.run(flow())
    assert result.succeeded == USERS * 5
    assert [len(answer["results"]) for answer in answers] == [2] * 10
    assert len(names) > 1
