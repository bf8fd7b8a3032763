"""The default of optional arguments: the field is left out, which ``None`` (null) would not do."""

from __future__ import annotations

import enum


class Unset(enum.Enum):
    UNSET = "UNSET"


UNSET = Unset.UNSET
