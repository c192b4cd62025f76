"""Addresses that mail is sent to and from."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){0,8}", re.ASCII)


def is_address(text: str) -> bool:
    r"""Whether this is one plain address and can do nothing but receive mail: no quoting, no spaces, no line ends.

    >>> is_address("ann@example.org"), is_address("ann@example.org\r\nBcc: bob@example.org")
    (True, False)
    """
    # “=?” would begin an encoded word, which the email package decodes into anything, line ends included.
    return _ADDRESS.fullmatch(text) is not None and "=?" not in text
