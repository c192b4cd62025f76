"""Words for people that a player's terminal and a letter share: lists of names, stretches of time, clocks."""

from __future__ import annotations

from collections.abc import Sequence

from engine.record.entry import Clock, PerDecision

_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"))


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``.

    >>> listed(["alice", "bob", "carol"])
    'alice, bob and carol'
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(count: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "seat"), counted(2, "seat")
    ('1 seat', '2 seats')
    """
    return f"{count} {noun}{'' if count == 1 else 's'}"


def span(seconds: float) -> str:
    """A stretch of time as people say it.

    >>> [span(seconds) for seconds in (0.4, 1.2, 100, 4000, 86400 * 2.6)]
    ['a moment', '1 second', '100 seconds', '67 minutes', '3 days']
    """
    if seconds < 120:
        return counted(int(seconds), "second") if seconds >= 1 else "a moment"
    size, name = next(unit for unit in _UNITS if round(seconds / unit[0]) >= 2)
    return counted(round(seconds / size), name)


def won_by_resignation(names: Sequence[str], victor: int, me: int | None = None) -> str:
    """How a game of two has ended of which one has resigned, told to the seat ``me``.

    >>> won_by_resignation(["ann", "bob"], 1), won_by_resignation(["ann", "bob"], 1, me=1)
    ('bob has won: ann resigned.', 'You have won: ann resigned.')
    """
    gone = "you" if me == 1 - victor else names[1 - victor]
    return f"{'You have' if me == victor else f'{names[victor]} has'} won: {gone} resigned."


def clock_in_words(clock: Clock | None) -> str:
    """How much time players have, and what becomes of those who take more.

    >>> clock_in_words(PerDecision(seconds=86400 * 3, strikes=2, then="vote"))
    'There are 3 days for every decision. After 2 missed deadlines in a row the others vote on how to go on.'
    """
    if clock is None:
        return "There is no time limit."
    if isinstance(clock, PerDecision):
        said = f"There are {span(clock.seconds)} for every decision"
    else:
        more = f"; every answer adds {span(clock.refill)}, up to {span(clock.most)}" if clock.refill else ""
        said = f"Everybody begins with {span(clock.start)} on an account of time{more}"
    said += ", and weekends do not count." if clock.weekends_off else "."
    if clock.vacation:
        said += f" Everybody may take {counted(clock.vacation, 'day')} off in a year."
    if clock.strikes:
        then = "a bot takes over" if clock.then == "bot" else "the others vote on how to go on"
        strikes = "one missed deadline" if clock.strikes == 1 else f"{clock.strikes} missed deadlines in a row"
        said += f" After {strikes} {then}."
    return said
