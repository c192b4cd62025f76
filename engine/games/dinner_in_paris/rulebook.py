"""The rules by name: the headings of the rulebook (§) and our rulings where it is silent or has gaps (R)."""

from __future__ import annotations

from engine.cited_rules import Rule, Rulebook

SETUP = Rule(
    "§3",
    "Setup",
    "Four cards form the river, everybody takes four cards and has an income of 1. Of two objectives each keeps one "
    "in secret, all at the same time; the others become the common row. One majority card lies face up.",
)
TURN = Rule(
    "§4",
    "The turn",
    "Draw a card, then take exactly two actions: draw, open a restaurant, build terraces, claim an objective. An "
    "action may be taken twice, except building.",
)
DRAW = Rule(
    "§5",
    "Draw",
    "Take a card of the river or the top of the deck; the river is refilled. When three cards of the river show one "
    "ingredient it is dealt anew. More than seven cards in hand are discarded; an empty deck is made of the discards.",
)
OPEN = Rule(
    "§6.1",
    "Open",
    "Pay the ingredients with cards that match them one to one and put the restaurant on free cells of the line, along "
    "one side. Its income counts at once.",
)
BUILD = Rule(
    "§6.2",
    "Build",
    "Spend your income on terraces, always the next tile of the restaurant's track. The first touches the restaurant, "
    "each further one a terrace of it, and none touches a terrace of another restaurant, your own included.",
)
PIGEONS = Rule(
    "§6.3",
    "Pigeons",
    "A terrace on a pigeon draws a pigeon card. Two resources and the free terrace act at once; the others are kept "
    "and used in a later turn. With a neighbours card one restaurant may touch terraces of others and cover two.",
)
OBJECTIVES = Rule(
    "§7",
    "Objectives",
    "Claim an objective of your hand or of the common row that is fulfilled now. For one from your hand you draw "
    "another, to be kept or shared. A pigeon card may bring a second claim.",
)
NO_CARDS = Rule(
    "R6",
    "No cards to draw",
    "The cards never run out. Were there none, the deck could not be drawn from, slots of the river would stay empty, "
    "and a draw without any card would be skipped.",
)
MONEY = Rule(
    "R8",
    "Coins where they are needed",
    "Coins and two-coins cards are spent with the terrace that needs them, and none of them may be superfluous; change "
    "stays in the purse until the action ends.",
)
CONNECTED = Rule(
    "R9",
    "One connected terrace",
    "A restaurant that shows a terrace grows from it; another cell in front of the restaurant will not do.",
)
LATER = Rule("R11", "A later turn", "A kept pigeon card can never be used in the turn in which it was drawn.")
FREE_TERRACE = Rule(
    "R13",
    "The free terrace",
    "It must be placed. It may be skipped only if there is no cell for it without playing a neighbours card, and is "
    "then lost.",
)
NEIGHBOURS = Rule(
    "R14",
    "Neighbours",
    "The card is for one restaurant of yours and one action, whoever the neighbours are; your own terraces are never "
    "covered. Another such card on the same restaurant allows two more covers.",
)
LINK = Rule(
    "R15",
    "The link to the restaurant",
    "A terrace may be covered if every other one of its restaurant still reaches it, in one part or in several. Even "
    "the last may go; the restaurant then begins again in front.",
)
BONUS = Rule(
    "R19",
    "The second claim",
    "One in a claim action, even with the objective just drawn. The same terraces may serve several objectives. When "
    "the deck of objectives is empty nothing is drawn, and the pigeon card cannot be played for one.",
)

_HEADINGS = (
    Rule(
        "§1",
        "The square",
        "A ring of cells is the construction line: the outermost with four players, the next with three, the third "
        "with two. Inside it terraces stand, but never on the decor. Halves are zones, two halves meet in a quarter.",
    ),
    Rule(
        "§2",
        "Components",
        "48 resource cards, 18 restaurants, 52 terraces for each player on four tracks, 24 pigeon cards, 24 objectives "
        "and 8 majority cards. A card with several ingredients pays for one of them.",
    ),
    SETUP,
    TURN,
    DRAW,
    OPEN,
    BUILD,
    PIGEONS,
    OBJECTIVES,
    Rule(
        "§8",
        "End and scoring",
        "When 11, 13 or 15 restaurants stand (with 2, 3 or 4 players), a player has emptied two tracks, or nothing "
        "more fits, the round is finished. Restaurants, tracks, majorities and claimed objectives score; objectives "
        "left in hand are subtracted.",
    ),
    Rule(
        "§9",
        "Hidden things",
        "Hands, kept pigeon cards and secret objectives are their owner's; of all of them everybody sees the number. "
        "At the end they are shown.",
    ),
    Rule(
        "§10",
        "Notation",
        "Slots are counted from 1, and the first cell of a restaurant is enough to name it.",
    ),
)

_RULINGS = (
    Rule("R1", "Corners of the line", "They are out of play, and no restaurant goes round one."),
    Rule("R2", "Who starts", "Seat 0: the order of seats is the table's affair."),
    Rule("R3", "No passing", "Two actions are taken every turn; there is always a card to draw."),
    Rule(
        "R4",
        "Similar ingredients",
        "A card with several counts once for each of its ingredients, coins count for none. The river is dealt anew at "
        "most ten times in a row, at setup too.",
    ),
    Rule("R5", "Refill, then discard", "The river is refilled and renewed before cards too many are put down."),
    NO_CARDS,
    Rule("R7", "Income of a restaurant", "It counts for a build later in the same turn; a + only from the next on."),
    MONEY,
    CONNECTED,
    Rule("R10", "No empty build", "A build action begins with its first terrace."),
    LATER,
    Rule(
        "R12",
        "Two resources",
        "The hand is limited after both cards, for they are one effect; coins drawn may be spent in this build.",
    ),
    FREE_TERRACE,
    NEIGHBOURS,
    LINK,
    Rule("R16", "A covered pigeon", "Covering a terrace on a pigeon draws no card."),
    Rule(
        "R17",
        "Covered terraces",
        "They count as placed, for tracks, the end and ties, but are not seen: not in a zone, a shape or a majority.",
    ),
    Rule("R18", "Shapes", "A shape may be turned but not flipped, and may be part of a larger area."),
    BONUS,
    Rule(
        "R20",
        "Nothing more fits",
        "No restaurant of the supply has a site and nobody has a cell for a terrace, money and pigeon cards aside. "
        "What brought the end stands; there is no other limit to the number of turns.",
    ),
    Rule(
        "R21", "Majorities of none", "Who has no such terrace takes no rank; no restaurant or pigeon card still does."
    ),
    Rule("R22", "Tied majorities", "Tied seats share the points of their ranks, which always come out even."),
    Rule("R23", "Ties", "More terraces placed win, covered ones included; else the victory is shared."),
    Rule("R24", "The end of the gauge", "Income goes beyond the 26 that are printed."),
    Rule("R25", "What lies open", "Discards lie face up; kept pigeon cards are held in hand."),
    Rule("R26", "Copies of resource cards", "As in the published online version; the rulebook has only their total."),
    Rule(
        "R27",
        "A missed free terrace",
        "When a deadline passes it goes to the first cell that needs no neighbours card: no card is spent unasked.",
    ),
    Rule(
        "R28",
        "Which copy is put down",
        "Of two equal cards in hand the newer one goes; it only matters for what the newest card is.",
    ),
)

SUMMARY = """\
You open restaurants round a new square in Paris and fill it with their terraces.

Every turn you draw a card and then take two actions. Drawing takes another card. Opening pays the ingredients of a
restaurant and puts it on the line round the square, which raises your income. Building, once a turn, spends your
income on terraces: the first in front of its restaurant, the next beside it, and never next to a terrace of another
restaurant. Claiming shows that an objective is fulfilled, one of your own or of the common row.

The further your tracks are emptied the more points they show, and some cells raise your income for good. Pigeons on
the square bring cards: more resources, a free terrace, money, an objective, a cheaper restaurant, or leave to build
next to your neighbours and even on top of them.

When enough restaurants stand, or someone has emptied two tracks, the round is finished. Then restaurants, tracks,
objectives and the three majorities of the card are counted; objectives left in hand cost their points. Most points
win."""

RULEBOOK = Rulebook(
    title="Dinner in Paris",
    byline="Funnyfox",
    summary=SUMMARY,
    rules=_HEADINGS + _RULINGS,
)
