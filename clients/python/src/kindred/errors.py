"""What a failed call raises. Codes of the service: docs/errors.md of Kindred.

Codes made here: CONNECTION_FAILED and TIMEOUT without a response, UNEXPECTED_ANSWER for a response not made by Kindred.
"""

from __future__ import annotations

import email.utils
import time
from typing import Any

import httpx

from .types import Job


class KindredError(Exception):
    """A call failed: ``code`` says why, ``errors`` names the wrong fields, ``status`` is 0 without a response."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        operation: str,
        problem: dict[str, Any] | None = None,
        request_id: str | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.operation = operation
        self.problem = problem or {}
        self.request_id = request_id
        self.retry_after_s = retry_after_s

    @property
    def errors(self) -> list[dict[str, str]]:
        """Pointer into the request and message, for each wrong field."""
        errors = self.problem.get("errors")
        return errors if isinstance(errors, list) else []


class KindredJobError(KindredError):
    """Raised by ``wait_for_job`` when the job ended without success; ``job`` has the details."""

    def __init__(self, job: Job) -> None:
        reason = job.get("failure_reason")
        ended = "was canceled" if job["job_status"] == "CANCELLED" else "failed"
        message = f"{job['job_type']} job {job['job_id']} {ended}"
        super().__init__(
            f"{message}: {reason['message']}" if reason else message,
            code=reason["code"] if reason else f"JOB_{job['job_status']}",
            status=200,
            operation="/get-job",
        )
        self.job = job


def error_from_response(response: httpx.Response, operation: str) -> KindredError:
    """The error of a response that is not 2xx, whatever its body is."""
    try:
        body = response.json()
    except ValueError:
        body = None
    problem = body if isinstance(body, dict) else {}
    code, message = problem.get("code"), problem.get("detail") or problem.get("title")
    if not code and isinstance(problem.get("error"), str):  # The token call returns RFC 6749 errors.
        code, message = problem["error"].upper(), problem.get("error_description") or problem["error"]
    error = KindredError(
        str(message or f"{operation} returned status {response.status_code}"),
        code=str(code or "UNEXPECTED_ANSWER"),
        status=response.status_code,
        operation=operation,
        problem=problem,
        request_id=problem.get("request_id") or response.headers.get("x-request-id"),
        retry_after_s=_retry_after_s(response.headers.get("retry-after")),
    )
    if error.errors and error.errors[0]["message"] not in str(error):
        first = error.errors[0]
        error.args = (f"{str(error).removesuffix('.')}: {first['pointer'] or '/'} {first['message']}",)
    return error


def error_from_transport(failure: httpx.TransportError, operation: str) -> KindredError:
    """The error of a call that got no response."""
    timed_out = isinstance(failure, httpx.TimeoutException)
    error = KindredError(
        f"{operation} did not respond in time" if timed_out else f"{operation}: no connection: {failure}",
        code="TIMEOUT" if timed_out else "CONNECTION_FAILED",
        status=0,
        operation=operation,
    )
    error.__cause__ = failure
    return error


def _retry_after_s(header: str | None) -> float | None:
    """Seconds; the header may also be a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
