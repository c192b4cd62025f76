"""Moves and the one-line text people type: one mechanism for every game.

A game declares a :class:`Form` for each kind of move, a template with the words each field may take. Writing fills the
template, which gives every move exactly one canonical text. Reading never guesses: every word that was typed is a word
of the move, in its place, and no other legal move has them all. Case, accents and punctuation do not count, the
beginning of a word will do, and whatever only one legal move could mean may be left out (all but the first word).

>>> from msgspec import Struct
>>> class Take(Struct, frozen=True):
...     station: str
...     evict: int | None = None
>>> stations = Words({"les-halles": "les-halles", "louvre": "louvre"})
>>> forms = [Form(Take, "take {station} [evict {evict}]", station=stations, evict=Words({0: "grey"}, seats=True))]
>>> write(forms, Take("louvre", 0))
'take louvre evict grey'
>>> read(forms, "TAKE Louv", [Take("les-halles"), Take("louvre", 0)])
Take(station='louvre', evict=0)
"""

from __future__ import annotations

from engine.notation.form import Form as Form
from engine.notation.reader import LONGEST_TEXT as LONGEST_TEXT
from engine.notation.reader import read as read
from engine.notation.reader import separated as separated
from engine.notation.reader import usage as usage
from engine.notation.reader import write as write
from engine.notation.vocabulary import Number as Number
from engine.notation.vocabulary import Several as Several
from engine.notation.vocabulary import Words as Words
