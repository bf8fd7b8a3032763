"""Client for Kindred, a self-hosted recommendation service.

>>> from kindred import Kindred
>>> kindred = Kindred("http://127.0.0.1:8080", api_key="…", client_secret="…")
>>> kindred.recommend_items_to_user(user_id="viewer-00001", limit=5)["results"]
"""

from . import types
from ._unset import UNSET
from .async_client import AsyncKindred
from .bulk import BulkResult
from .client import Kindred
from .errors import KindredError, KindredJobError
from .frames import to_pandas, to_polars

__all__ = [
    "UNSET",
    "AsyncKindred",
    "BulkResult",
    "Kindred",
    "KindredError",
    "KindredJobError",
    "to_pandas",
    "to_polars",
    "types",
]
