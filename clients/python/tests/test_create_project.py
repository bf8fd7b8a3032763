"""A project from frames that cannot be stored leaves nothing behind."""

import asyncio
import json

import httpx
import pandas as pd
import pytest

from kindred import AsyncKindred, Kindred

CLIENTS = pytest.mark.parametrize("plain", [True, False], ids=["plain", "asynchronous"])


class Service:
    """Creates and deletes datasets, and refuses events of the item ``bad``."""

    def __init__(self):
        self.datasets = set()
        self.created = 0

    def respond(self, request):
        path = request.url.path
        if path == "/oauth2/token":
            return httpx.Response(200, json={"access_token": "t", "expires_in": 3600})
        kind = path.split("-")[1]
        if path.startswith("/create-"):
            self.created += 1
            self.datasets.add(made := f"{kind}-{self.created}")
            return httpx.Response(200, json={f"{kind}_dataset_id": made})
        if path.startswith("/delete-"):
            self.datasets.remove(json.loads(request.content)[f"{kind}_dataset_id"])
            return httpx.Response(200, json={})
        events = json.loads(request.content)["events"]
        failures = [{"index": at, "code": "INVALID_RECORD"} for at, e in enumerate(events) if e["item_id"] == "bad"]
        return httpx.Response(200, json={"succeed_ids": ["e"] * (len(events) - len(failures)), "failures": failures})


def create(plain, service, events):
    transport = httpx.MockTransport(service.respond)
    if plain:
        http = httpx.Client(transport=transport)
        with Kindred("http://kindred", "key", "secret", http=http) as kindred:
            return kindred.create_project_from("shop", events=events, target_event_type="buy")

    async def flow():
        http = httpx.AsyncClient(transport=transport)
        async with AsyncKindred("http://kindred", "key", "secret", http=http) as kindred:
            await kindred.create_project_from("shop", events=events, target_event_type="buy")

    return asyncio.run(flow())


@CLIENTS
@pytest.mark.parametrize(
    ("events", "reason"),
    [
        (pd.DataFrame({"cust": ["u"], "item_id": ["i"]}), "no column user_id"),
        (pd.DataFrame({"user_id": ["u"], "item_id": ["i"], "ts": ["2026-10-07"]}), "ts .* is text: .*to_datetime"),
        (pd.DataFrame({"user_id": ["u", "u"], "item_id": ["i", "bad"]}), "1 of 2 events were refused"),
    ],
    ids=["columns", "times", "records"],
)
def test_the_datasets_of_a_project_that_cannot_be_filled_are_deleted(plain, events, reason):
    service = Service()
    with pytest.raises(ValueError, match=reason):
        create(plain, service, events)
    assert (service.created, service.datasets) == (3, set())
