"""Rules as things that have a name: what a refusal cites, what a test proves, what ``poste rules`` lists."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import IllegalMove


@dataclass(frozen=True, slots=True)
class Rule:
    """A heading of the rulebook (``§4.2``) or a ruling of ours where it is silent (``R7``)."""

    key: str
    title: str
    text: str = ""

    @property
    def is_ruling(self) -> bool:
        """Whether this is our reading of a silence rather than a heading of the rulebook."""
        return self.key.startswith("R")


@dataclass(frozen=True, slots=True)
class Rulebook:
    """What a reader needs to play: a summary in our own words, and every rule by its name."""

    title: str
    byline: str
    summary: str
    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        keys = [rule.key for rule in self.rules]
        if len(set(keys)) != len(keys):
            raise ValueError(f"{self.title}: two rules share a key")


def require(holds: bool, rule: Rule, why: str) -> None:
    """Refuse the move under ``rule`` unless ``holds``."""
    if not holds:
        raise IllegalMove(rule, why)
