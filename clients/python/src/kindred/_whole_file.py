"""A file that appears whole, or stays as it was."""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

# What a response is written in: 64 KiB chunks as they arrive would cost the asynchronous client a thread switch each.
CHUNK_BYTES = 1 << 20


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[str]:
    """Gives the path of an empty file next to it, which takes its place if the block succeeds.

    A link at the path remains, and so does the mode of the file.
    """
    target = os.path.realpath(path)
    part = f"{target}.{secrets.token_hex(4)}.part"
    mode = stat.S_IMODE(os.stat(target).st_mode) if os.path.exists(target) else None
    # From the start with the mode: what is private is never readable by others.
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666 if mode is None else mode | stat.S_IWUSR))
    try:
        yield part
        if mode is not None:
            os.chmod(part, mode)
        os.replace(part, target)
    finally:
        with suppress(FileNotFoundError):
            os.remove(part)
