"""Saving a result from a server that loses connections."""

import asyncio
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from kindred import AsyncKindred, Kindred, KindredError

BODY = b'{"user_id":"u1","items":[]}\n' * 100_000


class LosesConnections(BaseHTTPRequestHandler):
    """Sends a part of the file as often as the path says, then all of it."""

    def do_GET(self):
        self.server.calls += 1
        self.send_response(200)
        self.send_header("content-length", str(len(BODY)))
        self.end_headers()
        losses = int(self.path.split("/")[1])
        self.wfile.write(BODY if self.server.calls > losses else BODY[: len(BODY) // 2])

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), LosesConnections) as server:
        server.calls = 0
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def save(plain, server, losses, path, **options):
    address = f"http://127.0.0.1:{server.server_port}"
    job = {"job_result": {"download_url": f"{address}/{losses}/result?signature=x&format=jsonl"}}
    if plain:
        with Kindred(address, "key", "secret", **options) as kindred:
            return kindred.save_result(job, path)

    async def flow():
        async with AsyncKindred(address, "key", "secret", **options) as kindred:
            await kindred.save_result(job, path)

    return asyncio.run(flow())


CLIENTS = pytest.mark.parametrize("plain", [True, False], ids=["plain", "asynchronous"])


@CLIENTS
def test_a_lost_connection_starts_the_file_again(server, tmp_path, plain):
    path = tmp_path / "lists.jsonl"
    save(plain, server, 2, path)
    assert server.calls == 3
    assert path.read_bytes() == BODY
    assert os.listdir(tmp_path) == ["lists.jsonl"]


@CLIENTS
def test_a_download_that_fails_leaves_the_file_and_one_that_succeeds_keeps_its_link_and_mode(server, tmp_path, plain):
    path, link = tmp_path / "lists.jsonl", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o600)
    link.symlink_to(path)
    with pytest.raises(KindredError) as caught:
        save(plain, server, 9, link, max_retries=1)
    assert caught.value.code == "CONNECTION_FAILED"
    assert path.read_text() == "old"
    save(plain, server, 0, link)
    assert link.is_symlink()
    assert path.read_bytes() == BODY
    assert path.stat().st_mode & 0o777 == 0o600
    assert sorted(os.listdir(tmp_path)) == ["link", "lists.jsonl"]


def test_a_result_that_is_not_json_is_not_parsed_as_json(server):
    job = {"job_result": {"download_url": f"http://127.0.0.1:{server.server_port}/0/result?format=jsonl"}}
    kindred = Kindred("http://127.0.0.1:1", "key", "secret")
    with kindred, pytest.raises(ValueError, match="a jsonl file, not json: save it with save_result"):
        kindred.download_result(job)
    assert server.calls == 0
