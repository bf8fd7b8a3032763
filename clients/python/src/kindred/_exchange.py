"""A call from start to end, without doing any input or output itself.

``Exchange.call`` is a generator: it yields requests to send and pauses to make, and is sent the responses. The plain
and the asynchronous client run the same generator, so that tokens, retries and errors are decided in one place.

Invariant: a call that may not be repeated is sent again only if the service surely did nothing: it said so (408, 429,
or a 503 of its own before any work), its token was refused, or no connection was made at all.
"""

from __future__ import annotations

import gzip
import json
import random
import re
import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import httpx

from ._flow import with_event_ids
from ._unset import UNSET
from .errors import KindredError, error_from_response, error_from_transport

TOKEN_OPERATION = "/oauth2/token"
MIN_GZIP_BYTES = 4096
# A token is renewed when less than this is left of it, or a tenth of its life if that is shorter.
RENEW_BEFORE_S = 60.0
# A longer Retry-After (a proxy, maintenance) is not waited for; the error is raised instead.
LONGEST_PAUSE_S = 60.0
# The service returns these before it has changed anything.
REFUSED_BEFORE_WORK = {"REQUEST_TIMEOUT", "RATE_LIMITED", "OVERLOADED", "STARTING", "SHUTTING_DOWN"}


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Send:
    """A request, in the arguments of httpx."""

    method: str
    url: str | httpx.URL
    content: dict[str, Any]
    # Path of the file that gets the body of a successful response, from its start. None: the body is read into memory.
    file: str | None = None


Step = Send | Pause
Reply = httpx.Response | httpx.TransportError | None
Steps = Generator[Step, Reply, Any]


@dataclass(frozen=True)
class Settings:
    base_url: str
    api_key: str
    client_secret: str
    scope: str
    max_retries: int
    first_delay_s: float
    max_delay_s: float

    def __post_init__(self) -> None:
        if not re.match(r"^https?://[^/]", self.base_url):
            raise ValueError(f'the address of the service must be like http://127.0.0.1:8080, not "{self.base_url}"')
        if not self.api_key or not self.client_secret:
            raise ValueError("Kindred needs api_key and client_secret, or KINDRED_API_KEY and KINDRED_CLIENT_SECRET")

    @property
    def compresses(self) -> bool:
        """Bodies are compressed, except to this machine itself."""
        return not re.match(r"^https?://(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)", self.base_url)


class Exchange:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._token = ""
        self._renew_at = 0.0

    def call(self, method: str, operation: str, fields: dict[str, Any], repeatable: bool) -> Steps:
        """Returns the parsed JSON of the response; raises KindredError."""
        given = {name: value for name, value in fields.items() if value is not UNSET}
        if operation == "/track":
            given = with_event_ids(given)
        if method == "GET":
            query = {name: _query_value(value) for name, value in given.items() if value is not None}
            return (yield from self._retried(method, operation, repeatable, params=query))
        return (yield from self.call_json(method, operation, _to_json(given), repeatable))

    def call_json(self, method: str, operation: str, body: bytes, repeatable: bool) -> Steps:
        """A call whose body is JSON already."""
        headers = {"Content-Type": "application/json"}
        if self._settings.compresses and len(body) >= MIN_GZIP_BYTES:
            body, headers["Content-Encoding"] = gzip.compress(body, 6), "gzip"
        return (yield from self._retried(method, operation, repeatable, content=body, headers=headers))

    def download(self, url: httpx.URL, as_text: bool) -> Steps:
        response = yield from self._downloaded(Send("GET", url, {}))
        return response.text if as_text else _parsed(response, "download")

    def save(self, url: httpx.URL, file: str) -> Steps:
        """Writes the file again from its start when the connection is lost on the way."""
        yield from self._downloaded(Send("GET", url, {}, file))

    def _downloaded(self, send: Send) -> Generator[Step, Reply, httpx.Response]:
        """A GET of a signed link: no credentials."""
        attempt = 0
        while True:
            error, response = _checked((yield send), "download")
            if response is not None:
                return response
            assert error is not None
            yield self._pause_before_retry(error, attempt, repeatable=True)
            attempt += 1

    def _retried(self, method: str, operation: str, repeatable: bool, **content: Any) -> Steps:
        renewed = False
        attempt = 0
        url = self._settings.base_url + operation
        while True:
            error = yield from self._ensure_token()
            token = self._token
            if error is None:
                headers = {
                    **content.get("headers", {}),
                    "Accept": "application/json",
                    "Authorization": f"Bearer {token}",
                    "APIKey": self._settings.api_key,
                }
                send = Send(method, url, {**content, "headers": headers})
                error, response = _checked((yield send), operation)
                if error is None and response is not None:
                    return _parsed(response, operation)
            assert error is not None
            # Nothing was done with a refused token: it may have ended on the way or with a restart of the service.
            if error.status == 401 and error.operation != TOKEN_OPERATION and not renewed:
                renewed = True
                if self._token == token:
                    self._token = ""
                continue
            yield self._pause_before_retry(error, attempt, repeatable or error.operation == TOKEN_OPERATION)
            attempt += 1

    def _ensure_token(self) -> Generator[Step, Reply, KindredError | None]:
        if self._token and time.monotonic() < self._renew_at:
            return None
        form = {
            "grant_type": "client_credentials",
            "client_id": self._settings.api_key,
            "client_secret": self._settings.client_secret,
            "scope": self._settings.scope,
        }
        send = Send("POST", self._settings.base_url + TOKEN_OPERATION, {"data": form})
        error, response = _checked((yield send), TOKEN_OPERATION)
        if response is None:
            return error
        answer = _parsed(response, TOKEN_OPERATION)
        life_s = float(answer["expires_in"])
        self._token, self._renew_at = (
            answer["access_token"],
            time.monotonic() + life_s - min(RENEW_BEFORE_S, life_s / 10),
        )
        return None

    def _pause_before_retry(self, error: KindredError, attempt: int, repeatable: bool) -> Pause:
        """Full jitter over a doubling window, never sooner than Retry-After; raises what may not be retried."""
        if attempt >= self._settings.max_retries or not _may_retry(error, repeatable):
            raise error
        window_s = min(self._settings.max_delay_s, self._settings.first_delay_s * 2**attempt)
        return Pause((error.retry_after_s or 0.0) + random.random() * window_s)


def _may_retry(error: KindredError, repeatable: bool) -> bool:
    if (error.retry_after_s or 0.0) > LONGEST_PAUSE_S:
        return False
    if error.status == 429 or error.code in REFUSED_BEFORE_WORK:
        return True
    if isinstance(error.__cause__, (httpx.ConnectError, httpx.ConnectTimeout)):
        return True
    return repeatable and (error.status == 503 or error.code in ("CONNECTION_FAILED", "TIMEOUT"))


def _checked(reply: Reply, operation: str) -> tuple[KindredError | None, httpx.Response | None]:
    if isinstance(reply, httpx.TransportError):
        return error_from_transport(reply, operation), None
    assert reply is not None
    return (None, reply) if reply.is_success else (error_from_response(reply, operation), None)


def _parsed(response: httpx.Response, operation: str) -> Any:
    try:
        return response.json()
    except ValueError as cause:
        raise KindredError(
            f"{operation} returned something that is not JSON",
            code="UNEXPECTED_ANSWER",
            status=response.status_code,
            operation=operation,
        ) from cause


def _query_value(value: Any) -> Any:
    return ("true" if value else "false") if isinstance(value, bool) else value


def _to_json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()
