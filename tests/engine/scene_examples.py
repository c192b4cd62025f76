"""The empty map of Paris Paris, as a board and as it must look, so that the scene is tested without the game."""

from __future__ import annotations

import itertools

from engine.scene import Board, Card, Columns, Hand, Line, Link, Mark, Panel, Point, Scene, Span

STATIONS: dict[str, tuple[Point, Point]] = {
    "Montmartre": ((68, 1), (63, 0)),
    "Gare du Nord": ((86, 1), (80, 0)),
    "Bourse": ((68, 4), (60, 4)),
    "Gare de l'Est": ((92, 4), (77, 4)),
    "Opéra": ((36, 7), (39, 7)),
    "Les Halles": ((68, 7), (56, 7)),
    "République": ((92, 7), (80, 7)),
    "Étoile": ((7, 10), (10, 10)),
    "St-Nicolas": ((80, 11), (75, 12)),
    "Pompidou": ((68, 11), (58, 12)),
    "Champs-Élysées": ((7, 16), (9, 15)),
    "Concorde": ((21, 16), (17, 17)),
    "Louvre": ((36, 16), (38, 15)),
    "Pont Neuf": ((52, 16), (54, 15)),
    "Hôtel de Ville": ((68, 16), (70, 15)),
    "Bastille": ((88, 16), (84, 17)),
    "Tour Eiffel": ((7, 20), (10, 20)),
    "Notre-Dame": ((68, 20), (71, 20)),
    "Invalides": ((21, 24), (17, 25)),
    "St-Germain": ((36, 24), (38, 23)),
    "Odéon": ((52, 24), (54, 23)),
    "Quartier Latin": ((68, 24), (61, 25)),
    "Panthéon": ((84, 24), (80, 25)),
    "Luxembourg": ((36, 29), (31, 30)),
    "Montparnasse": ((18, 29), (12, 30)),
}

LINES: tuple[tuple[str, int, str], ...] = (
    ("t", 37, "Montmartre, Bourse, Les Halles, Pompidou, Hôtel de Ville, Notre-Dame, Quartier Latin"),
    ("r", 160, "Gare du Nord, Montmartre, Opéra, Louvre, St-Germain, Luxembourg, Montparnasse"),
    ("b", 33, "Gare de l'Est, République, St-Nicolas, Pompidou, Pont Neuf, Odéon, Luxembourg"),
    ("o", 208, "Étoile, Champs-Élysées, Concorde, Louvre, Pont Neuf, Hôtel de Ville, Bastille"),
    ("n", 130, "Panthéon, Quartier Latin, Odéon, St-Germain, Invalides, Tour Eiffel, Champs-Élysées"),
)

BENDS: dict[tuple[str, str], Point] = {
    ("Montmartre", "Opéra"): (36, 1),
    ("République", "St-Nicolas"): (92, 11),
    ("Pompidou", "Pont Neuf"): (52, 11),
    ("Odéon", "Luxembourg"): (52, 29),
    ("Invalides", "Tour Eiffel"): (7, 24),
}

CROSSINGS = frozenset(
    station for station in STATIONS if sum(station in names.split(", ") for _, _, names in LINES) == 2
)

SEATS = {"G": 250, "V": 135, "Y": 226, "E": 40}

MAP = """\
                                                               Montmartre       Gare du Nord
                                    +-----------r-----------------[  ]-------r-------[ ]
                                    |                               |
                                    |                               t
                                    |                       Bourse [ ]       Gare de l'Est [ ]
                                    |                               |                       |
                                    |                               t                       b
                                   [ ] Opéra            Les Halles [ ]          République [ ]
                                    |                               |                       |
                                    |                               t                       |
      [ ] Étoile                    |                               |                       |
       |                            |               +----b--------[  ]----b----[ ]------b---+
       |                            r               |     Pompidou  |      St-Nicolas
       o                            |               |               |
       |                            |               |               t
       | Champs-Élysées             | Louvre        | Pont Neuf     | Hôtel de Ville
     [  ]-----o-----[ ]-----o-----[  ]------o-----[  ]------o-----[  ]--------o--------[ ]
       |         Concorde           |               |               |               Bastille
       n                            |               |               t
       |                            |               |               |
      [ ] Tour Eiffel               r               b              [ ] Notre-Dame
       |                            |               |               |
       |                            |               |               t
       |                            | St-Germain    | Odéon         |
       +----n-------[ ]-----n-----[  ]-----n------[  ]-----n------[  ]------n------[ ]
                 Invalides          |               |        Quartier Latin     Panthéon
                                    |               |
                                    r               |
                                    |               |
                 [ ]------r-------[  ]--------b-----+
            Montparnasse       Luxembourg

"""


def segments() -> tuple[Link, ...]:
    links = []
    for letter, colour, names in LINES:
        stations = names.split(", ")
        for start, end in itertools.pairwise(stations):
            bend = BENDS.get((start, end))
            points = (STATIONS[start][0], *((bend,) if bend else ()), STATIONS[end][0])
            links.append(Link(points, letter, colour))
    return tuple(links)


def paris(shops: dict[str, str] | None = None, tokens: tuple[str, ...] = ()) -> Board:
    """The map with shops (``{"Pompidou": "GV"}``) and with a badge where a token is out."""
    marks = []
    for station, ((column, row), label) in STATIONS.items():
        crossing = station in CROSSINGS
        seats = (shops or {}).get(station, "").ljust(2 if crossing else 1)
        spans: Line = tuple(Span(seat, fill=SEATS.get(seat)) for seat in seats)
        badge = "*" if station in tokens else ""
        marks.append(Mark((column - crossing, row), spans, framed=True, badge=badge, tip=f"{station}: {seats}"))
        marks.append(Mark(label, (station,)))
    return Board(100, 32, segments(), tuple(marks), summary=(("Montmartre: empty",), ("Bourse: empty",)))


def a_table() -> Scene:
    """A position in the middle of a game, with every kind of block."""
    board = paris(
        {"Pompidou": "GV", "Montmartre": "Y", "Opéra": "E", "Louvre": "EE", "Bastille": "G", "Odéon": "YV"},
        ("Pompidou", "Opéra", "Étoile", "Gare de l'Est"),
    )
    tokens: Line = (
        Span("pompidou/teal", fill=37),
        "  ",
        Span("opera/red", fill=160),
        "  ",
        Span("etoile/orange", fill=208),
        "  ",
        Span("gare-de-l-est/blue", fill=33),
    )
    return Scene(
        "Paris Paris, round 7 of 12",
        (
            board,
            Panel("Tokens out", (tokens,)),
            Panel("Parked", ((Span("odeon/blue", fill=33), " since round 3"), (Span("louvre/red", fill=160),))),
            Columns(
                "Scores",
                ("player", "shops", "visits", "total"),
                (
                    (Span("Ada", fill=250), "14", "3", Span("12", bold=True)),
                    (Span("Grace", fill=135), "15", "2", Span("9", bold=True)),
                    (Span("Edsger", fill=226), "15", "5", Span("8", bold=True)),
                    (Span("Barbara", fill=40), "13", "1", Span("17", bold=True)),
                ),
                right=(1, 2, 3),
            ),
            Panel(
                "Bus",
                (("The bus stands with ", Span("Grace", fill=135), "."), (Span("12 piles are left.", dim=True),)),
            ),
            Hand("Your marker", (Card("teal", 37, "final excursion"), Card("onion soup", note="2 points"))),
        ),
    )
