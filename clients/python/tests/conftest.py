"""Tests run against a real service: `npm run test:python` starts one and tells its address by the environment."""

import os

import pytest

from kindred import Kindred


@pytest.fixture(scope="session")
def kindred():
    assert os.environ.get("KINDRED_BASE_URL"), "start these tests with npm run test:python"
    with Kindred() as client:
        yield client
