"""The asynchronous client: the same as client.py, to be awaited."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from os import PathLike
from typing import Any, Literal

import httpx
from typing_extensions import Self

from ._exchange import Exchange, Pause, Reply, Send, Steps
from ._flow import has_succeeded, poll_pauses, result_link, shards_for
from ._settings import Scope, settings_from
from ._whole_file import CHUNK_BYTES, whole_file
from .async_calls import AsyncCalls
from .bulk import MAX_BATCH_RECORDS, Batch, BulkCount, BulkResult, OnProgress, batches_of
from .client import DEFAULT_TIMEOUT_S
from .errors import KindredError
from .frames import Kind, records_of
from .types import Job, Project


class AsyncKindred(AsyncCalls):
    """Talks to a Kindred service; every method is awaited. Settings are those of ``Kindred``.

    Args:
        scope: Paths the token may be used for, such as ``["/recommend-items-to-user"]``; default: everything.
        timeout_s: Limit of connecting, of each read and of each write.
        max_retries: Further attempts after the first; 0 turns retries off.
        http: Your own httpx client, e.g. for a proxy; it is not closed with this one.
    """

    def __init__(
        self,
        base_url: str | None = None,
        api_key: str | None = None,
        client_secret: str | None = None,
        *,
        scope: Scope = "all",
        timeout_s: float = DEFAULT_TIMEOUT_S,
        max_retries: int = 5,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        settings = settings_from(base_url, api_key, client_secret, scope, max_retries)
        self.base_url = settings.base_url
        self._exchange = Exchange(settings)
        self._http = http or httpx.AsyncClient(timeout=timeout_s)
        self._owns_http = http is None

    async def call(self, method: str, operation: str, fields: dict[str, Any], *, repeatable: bool = False) -> Any:
        """Any call by its path; the methods named after calls are typed."""
        return await self._run(self._exchange.call(method, operation, fields, repeatable))

    # Frames

    async def create_project_from(
        self,
        name: str,
        *,
        events: Any,
        items: Any = None,
        users: Any = None,
        target_event_type: str,
        on_progress: OnProgress | None = None,
    ) -> Project:
        """Creates datasets and a project, and fills them from data frames or lists of records.

        Events without a type get ``target_event_type``. Raises ValueError if a record was refused. If it
        raises, it deletes the datasets first.
        """
        filling: list[tuple[Kind, Any]] = [("users", users), ("items", items), ("events", events)]
        datasets: dict[Kind, str] = {}
        try:
            for kind, data in filling:
                fields = {"name": f"{name} {kind}", "num_shards": shards_for(data)}
                made = await self.call("POST", f"/create-{kind[:-1]}-dataset", fields)
                datasets[kind] = made[f"{kind[:-1]}_dataset_id"]
                if data is None:
                    continue
                records = records_of(data, kind, target_event_type)
                result = await self._bulk(kind, datasets[kind], records, 4, on_progress)
                if result.failed:
                    raise ValueError(
                        f"{result.failed} of {result.submitted} {kind} were refused; the first: {result.failures[0]}"
                    )
            return await self.create_project(
                name=name,
                project_type="RECOMMEND_ITEMS_TO_USER",
                user_dataset_id=datasets["users"],
                item_dataset_id=datasets["items"],
                event_dataset_id=datasets["events"],
                target_event_type=target_event_type,
            )
        except BaseException:
            await self._delete(datasets)
            raise

    async def _delete(self, datasets: dict[Kind, str]) -> None:
        """As far as the service lets it."""
        for kind, dataset_id in datasets.items():
            with suppress(KindredError, httpx.HTTPError):
                await self.call("DELETE", f"/delete-{kind[:-1]}-dataset", {f"{kind[:-1]}_dataset_id": dataset_id})

    async def bulk_upsert_users(
        self, user_dataset_id: str, users: Any, *, parallel: int = 4, on_progress: OnProgress | None = None
    ) -> BulkResult:
        """Upserts a frame or any number of records in parallel batches; refused ones are reported, not raised."""
        return await self._bulk("users", user_dataset_id, records_of(users, "users"), parallel, on_progress)

    async def bulk_upsert_items(
        self, item_dataset_id: str, items: Any, *, parallel: int = 4, on_progress: OnProgress | None = None
    ) -> BulkResult:
        """Upserts a frame or any number of records in parallel batches; refused ones are reported, not raised."""
        return await self._bulk("items", item_dataset_id, records_of(items, "items"), parallel, on_progress)

    async def bulk_upsert_events(
        self,
        event_dataset_id: str,
        events: Any,
        *,
        event_type: str | None = None,
        parallel: int = 4,
        on_progress: OnProgress | None = None,
    ) -> BulkResult:
        """Upserts a frame or any number of records in parallel batches; refused ones are reported, not raised.

        Args:
            event_type: For rows of a frame without one.
        """
        return await self._bulk(
            "events", event_dataset_id, records_of(events, "events", event_type), parallel, on_progress
        )

    async def _bulk(
        self, kind: Kind, dataset_id: str, records: Iterable[Any], parallel: int, on_progress: OnProgress | None
    ) -> BulkResult:
        count = BulkCount(on_progress)
        operation = f"/upsert-dataset-{kind}"
        head = {f"{kind[:-1]}_dataset_id": dataset_id}
        flying: set[asyncio.Task[None]] = set()

        async def send(batch: Batch) -> None:
            count.add(batch, await self._run(self._exchange.call_json("POST", operation, batch.body, True)))

        try:
            for batch in batches_of(head, kind, records, MAX_BATCH_RECORDS):
                flying.add(asyncio.create_task(send(batch)))
                if len(flying) >= parallel:
                    done, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        task.result()
            await asyncio.gather(*flying)
        finally:
            for task in flying:
                task.cancel()
        return count.result

    # Jobs to their end

    async def wait_for_job(
        self,
        project_id: str,
        job_id: str,
        *,
        on_progress: Callable[[Job], None] | None = None,
        max_poll_s: float = 2.0,
    ) -> Job:
        """Returns the job when it succeeded; raises KindredJobError when it failed or was canceled."""
        for pause in poll_pauses(max_poll_s):
            job = await self.get_job(project_id=project_id, job_id=job_id)
            if on_progress:
                on_progress(job)
            if has_succeeded(job):
                break
            await asyncio.sleep(pause)
        return job

    async def train_and_deploy(self, project_id: str, *, on_progress: Callable[[Job], None] | None = None) -> str:
        """Trains a model with default settings, deploys it and returns its id."""
        algorithm = await self.create_algorithm(project_id=project_id, name="G1", algorithm_type="G1")
        training = await self.submit_training_job(project_id=project_id, algorithm_id=algorithm["algorithm_id"])
        done = await self.wait_for_job(project_id, training["job_id"], on_progress=on_progress)
        model_id = str((done.get("job_result") or {})["model_id"])
        deploying = await self.submit_deployment_job(project_id=project_id, generator_model_id=model_id)
        await self.wait_for_job(project_id, deploying["job_id"], on_progress=on_progress)
        return model_id

    async def download_result(self, job: Job, file_format: Literal["json", "csv", "svg"] = "json") -> Any:
        """The result of a querying or clustering job, read into memory; ``csv`` and ``svg`` return text."""
        return await self._run(self._exchange.download(result_link(job, file_format), file_format != "json"))

    async def save_result(
        self, job: Job, path: str | PathLike[str], file_format: Literal["json", "csv", "svg"] | None = None
    ) -> None:
        """Writes the result of any job to a file as it arrives; it may be larger than memory.

        The file appears whole, or stays as it was. A lost connection starts the download again.

        Args:
            file_format: Of a querying or clustering job; default: JSON. Other jobs were given their format before.
        """
        with whole_file(path) as part:
            await self._run(self._exchange.save(result_link(job, file_format), part))

    # Lists to their end

    async def iterate(self, operation: str, **fields: Any) -> AsyncIterator[dict[str, Any]]:
        """Every entry of a list call, page by page: ``iterate("/list-jobs", project_id=…)``."""
        page: dict[str, Any] = {}
        while True:
            answer = await self.call("GET", operation, {**fields, **page}, repeatable=True)
            for entry in next(value for value in answer.values() if isinstance(value, list)):
                yield entry
            if not answer.get("next_page_token"):
                return
            page = {"page_token": answer["next_page_token"]}

    async def _run(self, steps: Steps) -> Any:
        reply: Reply = None
        while True:
            try:
                step = steps.send(reply)
            except StopIteration as end:
                return end.value
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
                reply = None
                continue
            try:
                reply = await self._send(step)
            except httpx.TransportError as failure:
                reply = failure

    async def _send(self, step: Send) -> httpx.Response:
        if step.file is None:
            return await self._http.request(step.method, step.url, **step.content)
        async with self._http.stream(step.method, step.url, **step.content) as response:
            if not response.is_success:
                await response.aread()
                return response
            with open(step.file, "wb") as file:
                async for chunk in response.aiter_bytes(CHUNK_BYTES):
                    await asyncio.to_thread(file.write, chunk)
        return response

    async def aclose(self) -> None:
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()
