"""The generator behind every call, driven by hand: no network, no waiting."""

import inspect
import json

import httpx
import pytest

from kindred import AsyncKindred, Kindred, KindredError
from kindred._exchange import Exchange, Pause, Settings

TOKEN = httpx.Response(200, json={"access_token": "t1", "expires_in": 3600})
DONE = httpx.Response(200, json={"job_id": "job_1"})


def problem(status, code, headers=None):
    return httpx.Response(status, json={"code": code, "detail": f"about {code}"}, headers=headers or {})


CALL = ("POST", "/submit-training-job", {"project_id": "prj_1"})


def run(replies, *, repeatable=False, max_retries=5, call=CALL):
    """Gives these replies in turn; returns what was sent, the pauses and the outcome."""
    settings = Settings("http://127.0.0.1:1", "key", "secret", "*", max_retries, 0.2, 10.0)
    steps = Exchange(settings).call(*call, repeatable)
    sent, pauses, reply, waiting = [], [], None, iter(replies)
    try:
        while True:
            step = steps.send(reply)
            if isinstance(step, Pause):
                pauses.append(step.seconds)
                reply = None
            else:
                sent.append(step)
                reply = next(waiting)
    except StopIteration as end:
        return sent, pauses, end.value


def test_a_call_gets_a_token_and_carries_both_headers():
    sent, _, answer = run([TOKEN, DONE])
    assert answer == {"job_id": "job_1"}
    assert sent[0].content["data"]["grant_type"] == "client_credentials"
    assert sent[1].content["headers"]["Authorization"] == "Bearer t1"
    assert sent[1].content["headers"]["APIKey"] == "key"
    assert json.loads(sent[1].content["content"]) == {"project_id": "prj_1"}


def test_a_refused_token_is_renewed_once():
    sent, _, answer = run([TOKEN, problem(401, "TOKEN_EXPIRED"), TOKEN, DONE])
    assert answer == {"job_id": "job_1"}
    assert len(sent) == 4
    with pytest.raises(KindredError, match="about UNAUTHENTICATED"):
        run([TOKEN, problem(401, "UNAUTHENTICATED"), TOKEN, problem(401, "UNAUTHENTICATED")])


@pytest.mark.parametrize(
    "refusal", [problem(429, "RATE_LIMITED"), problem(408, "REQUEST_TIMEOUT"), problem(503, "STARTING")]
)
def test_what_the_service_refused_before_any_work_is_sent_again(refusal):
    sent, pauses, answer = run([TOKEN, refusal, refusal, DONE])
    assert answer == {"job_id": "job_1"}
    assert len(sent) == 4
    assert len(pauses) == 2


def test_retry_after_is_the_least_pause_and_an_hour_is_not_waited_for():
    _, pauses, _ = run([TOKEN, problem(429, "RATE_LIMITED", {"retry-after": "7"}), DONE])
    assert pauses[0] >= 7
    with pytest.raises(KindredError) as caught:
        run([TOKEN, problem(503, "OVERLOADED", {"retry-after": "3600"})])
    assert caught.value.retry_after_s == 3600


def test_a_lost_connection_is_retried_only_where_that_does_no_harm():
    lost = httpx.ReadError("connection reset")
    with pytest.raises(KindredError) as caught:
        run([TOKEN, lost])
    assert (caught.value.code, caught.value.status) == ("CONNECTION_FAILED", 0)
    assert run([TOKEN, lost, DONE], repeatable=True)[2] == {"job_id": "job_1"}
    assert run([TOKEN, httpx.ConnectError("refused"), DONE])[2] == {"job_id": "job_1"}


def test_a_tracked_event_has_an_id_or_a_time_which_is_the_same_when_it_is_sent_again():
    view = {"item_id": "i1", "event_type": "view"}
    events = [view, view, {**view, "ts": 1}, {**view, "event_id": "e1"}]
    call = ("POST", "/track", {"user_id": "u1", "events": events})
    sent, _, _ = run([TOKEN, httpx.ReadTimeout("late"), DONE], repeatable=True, call=call)
    bodies = [step.content["content"] for step in sent[1:]]
    assert bodies[0] == bodies[1]
    first, second, *others = json.loads(bodies[0])["events"]
    assert first["event_id"] != second["event_id"]
    assert others == events[2:]


def test_it_gives_up_after_the_last_retry():
    with pytest.raises(KindredError, match="about RATE_LIMITED"):
        run([TOKEN, problem(429, "RATE_LIMITED"), problem(429, "RATE_LIMITED")], max_retries=1)


def test_an_error_names_the_wrong_field():
    body = {
        "code": "INVALID_REQUEST",
        "detail": "Invalid request.",
        "errors": [{"pointer": "/name", "message": "must be a string"}],
    }
    with pytest.raises(KindredError, match="Invalid request: /name must be a string") as caught:
        run([TOKEN, httpx.Response(400, json=body)])
    assert caught.value.errors[0]["pointer"] == "/name"


def test_a_page_of_a_proxy_is_an_error_of_its_own():
    with pytest.raises(KindredError) as caught:
        run([TOKEN, httpx.Response(502, text="<html>Bad gateway</html>")])
    assert caught.value.code == "UNEXPECTED_ANSWER"


def test_both_clients_have_the_same_methods():
    def methods(client):
        return {
            name: [(p.name, p.default) for p in inspect.signature(method).parameters.values() if p.name != "http"]
            for name, method in inspect.getmembers(client, inspect.isfunction)
            if not name.startswith("_")
        }

    plain, waiting = methods(Kindred), methods(AsyncKindred)
    assert plain.pop("close") == waiting.pop("aclose")
    assert plain == waiting
