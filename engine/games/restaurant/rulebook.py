"""The rules by name: the headings of the rulebook (§) and our rulings where it is silent (R)."""

from __future__ import annotations

from engine.cited_rules import Rule, Rulebook

ORDERS = Rule(
    "§3",
    "Orders",
    "Seats play in ascending order. A turn is one card taken from a table, whatever that card brings about, and, if a "
    "card came that others may not see, a moment to look at it.",
)
TAKING = Rule(
    "§3.1",
    "Taking a card",
    "Take the card of a table that touches the newest marker, and leave your own marker there. The first card of the "
    "game is taken at the edge, and so is the next after a dead end; if none is left there, anywhere.",
)
TURNED = Rule(
    "§3.2",
    "The turned card",
    "A menu is seen by you alone. A plat du jour may be swapped for a card drawn from another hand; a coup double "
    "gives another card next to it, a saut another card from any table. All cards taken stay in hand.",
)
RESERVING = Rule(
    "§3.3",
    "Reserving",
    "Whenever you are asked something during the orders, you may lay a reserved menu (RES) aside, face up, with all "
    "your plain menus face down under it. Nobody can draw from such a packet.",
)
SERVICES = Rule(
    "§4",
    "Services",
    "Seats play in descending order from the first server, each placing cards from the hand face up under markers, "
    "anybody's, of tables that are still open.",
)
SERVING = Rule(
    "§4.1",
    "Serving",
    "The first card goes to the edge, every other one next to the table served last. 600 belongs in the salon, 100 and "
    "200 outside it; 300 and function cards go anywhere, reserved menus like their value.",
)

_HEADINGS = (
    Rule(
        "§1",
        "Tables and cards",
        "60 tables in ten columns and six rows; the outer 28 are the edge, the central 16 the salon. 60 cards: 18 "
        "plats du jour, 7 coups doubles, 3 sauts and 32 menus of 100, 200, 300 and 600, six of them reserved (RES).",
    ),
    Rule(
        "§2", "Setup", "The cards are shuffled and one is laid face down on every table. Seat 0 begins, empty-handed."
    ),
    ORDERS,
    TAKING,
    TURNED,
    RESERVING,
    Rule(
        "§3.4",
        "End of the orders",
        "When a card has had its effect and no card touches the newest marker, the orders are over if at least 30 "
        "cards are taken; otherwise the next seat starts again at the edge.",
    ),
    Rule(
        "§3.5",
        "The count",
        "Everybody's menus, in hand and in packets, are noted at their face value for all to see, and packets return "
        "to hand. The lowest total serves first.",
    ),
    SERVICES,
    SERVING,
    Rule(
        "§4.2",
        "After each card",
        "An empty hand ends the game. A saut gives another card at any open table, a coup double one next to it. If no "
        "open table touches the one just served, the game is over, unless a saut leaves it.",
    ),
    Rule(
        "§4.3",
        "Who cannot serve",
        "Whoever can place a card must. Whoever cannot is passed over; when that befalls everybody, the game is over.",
    ),
    Rule(
        "§5",
        "Scoring",
        "The points noted, plus the menus under your markers, less the menus left in your hand, of which reserved ones "
        "count double. In the scoring “service-only” the points noted do not count. The highest total wins.",
    ),
    Rule(
        "§6",
        "Stairs",
        "With the stairs in play, only the four staircases join the salon to the tables around it, in both phases.",
    ),
    Rule(
        "§7",
        "What is hidden",
        "Nobody knows the cards on the tables, and only you know your hand and the menus in your packets. A function "
        "card is shown when it is turned; of a swap only the two concerned know the card that was drawn.",
    ),
    Rule(
        "§7.1",
        "When a deadline passes",
        "The first table in reading order is taken; a plat du jour is kept; extra moves are declined. The lowest card "
        "is served: a menu under your own marker if possible, a function card under somebody else's.",
    ),
    Rule(
        "§8",
        "Reading the board",
        "`::` is a card face down. A letter is the owner of a marker; after it a dot is an open table, 1, 2, 3 or 6 a "
        "menu, p, d or j a function card. `>` points at the last table; `=` are stairs. "
        "Cards are typed plat, double, jump, 100 to 600 and, if reserved, r100 to r600.",
    ),
)

_RULINGS = (
    Rule(
        "R1",
        "Salon and stairs",
        "The salon is the central block of four by four; the stairs turn round it like a pinwheel, one on each side.",
    ),
    Rule("R2", "Adjoining cards", "The second player, like all who follow, takes a card that touches by a side."),
    Rule(
        "R3",
        "Dead end too early",
        "Below 30 cards a dead end does not end the orders: the next seat starts a new path at the edge.",
    ),
    Rule("R4", "Extra moves are optional", "They may be declined, and they chain without limit."),
    Rule(
        "R5",
        "Near and far",
        "A coup double without a neighbouring card lapses. A saut goes anywhere, next door included.",
    ),
    Rule("R6", "When the dead end is tested", "After the card's effect; only a saut can leave it."),
    Rule("R7", "Only turned cards act", "A card drawn in a swap does nothing, be it a plat du jour."),
    Rule("R8", "Whom to swap with", "Anybody who has a card in hand, packets not counted; every card is as likely."),
    Rule("R9", "When to reserve", "At any decision of one's own turn during the orders, which stays open afterwards."),
    Rule("R10", "What a packet holds", "The reserved menu and all plain menus in hand, no choice; one RES a packet."),
    Rule("R11", "What a packet shows", "The reserved menu lies face up, the others face down."),
    Rule("R12", "Function cards stay", "They are kept when turned, and placed in the services."),
    Rule("R13", "Packets return", "They go back to hand before the services."),
    Rule("R14", "Tie for the lowest count", "The lowest seat serves first."),
    Rule("R15", "Direction", "The orders go up the seats, the services down."),
    Rule("R16", "No passing", "Only who cannot place a card is passed over; there is no choice in it."),
    Rule("R17", "All blocked", "When everybody in turn was passed over, the game is over."),
    Rule("R18", "The last card", "An empty hand ends the game at once, even by a coup double or a saut."),
    Rule("R19", "Declining a saut", "A saut leaves a dead end; if it is declined there, the game is over."),
    Rule("R20", "Whose menu it is", "The owner of the marker scores, whoever served it. RES doubles in both scorings."),
    Rule("R21", "Markers", "Nobody runs out of them."),
    Rule("R22", "Ties", "More menus under one's own markers; else the victory is shared."),
    Rule("R23", "Stairs and sauts", "A saut and a new start pay no heed to the stairs."),
    Rule("R24", "The first service", "The edge rule holds until a card lies, whoever was passed over before."),
    Rule(
        "R25",
        "Room for a saut",
        "Every card in hand once left an open table behind, so a saut that is not one's last card always finds one.",
    ),
)

SUMMARY = """\
First you take the orders, then you serve them.

The orders: in turn everybody takes the face-down card of a table next to the newest marker and leaves a marker of
their own. Menus are secret. A plat du jour may be swapped for a card drawn from another hand; a coup double gives you
another card next door, a saut one from anywhere. Whoever holds a reserved menu may lay it aside with all their plain
menus, where nobody can draw them. Once 30 cards are taken, the next dead end is the end: menus are counted, and whoever
has fewest points serves first.

The services: the other way round, everybody places a card from hand face up under a marker, always next to the table
served last. 600 is for the salon in the middle, 100 and 200 for outside, everything else for anywhere. It is the owner
of the marker who scores the menu, whoever served it.

The game ends when somebody's hand is empty, or when the path comes to a dead end. Menus still in hand cost their value,
reserved ones twice. The highest total wins: points noted, plus menus served, less menus left."""

RULEBOOK = Rulebook(
    title="Restaurant",
    byline="Roland Siegers, Flying Turtle Games 1987",
    summary=SUMMARY,
    rules=_HEADINGS + _RULINGS,
)
