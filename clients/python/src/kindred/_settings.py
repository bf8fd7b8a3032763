"""Where a client finds the service: arguments, the environment, or the credentials file of a local data folder."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

from ._exchange import Settings

Scope = Literal["all"] | list[str]


def settings_from(
    base_url: str | None,
    api_key: str | None,
    client_secret: str | None,
    scope: Scope,
    max_retries: int,
) -> Settings:
    found = {} if base_url and api_key and client_secret else _credentials_file()
    return Settings(
        base_url=(
            base_url or os.environ.get("KINDRED_BASE_URL") or found.get("base_url") or "http://127.0.0.1:8080"
        ).rstrip("/"),
        api_key=api_key or os.environ.get("KINDRED_API_KEY") or found.get("api_key") or "",
        client_secret=client_secret or os.environ.get("KINDRED_CLIENT_SECRET") or found.get("client_secret") or "",
        scope="*" if scope == "all" else " ".join(scope),
        max_retries=max_retries,
        first_delay_s=0.2,
        max_delay_s=10.0,
    )


def _credentials_file() -> dict[str, Any]:
    """The service writes it at its first start, readable by its owner alone."""
    path = Path(os.environ.get("KINDRED_DATA_DIR", "data")) / "credentials.json"
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
