"""The rules by name: the headings of the rulebook (§) and our rulings where it is silent (R)."""

from __future__ import annotations

from engine.cited_rules import Rule, Rulebook

OPEN_SHOPS = Rule(
    "§4.2",
    "Open shops",
    "From the first player clockwise everybody takes one token that is laid out and opens a shop at its station. A "
    "plain station holds one shop and a crossing two; at a full station you choose one shop, of anybody, that has to "
    "go: another player's into the bag (with two players back to its owner), your own back to your supply.",
)
EMPTY_SUPPLY = Rule(
    "R7",
    "Empty supply",
    "Who has no shop left, which only happens with two players at the very end, takes a token all the same but opens "
    "nothing and evicts nobody.",
)

_HEADINGS = (
    Rule(
        "§1",
        "The map",
        "Five lines of seven stations cross at ten of their 25 stations. Neighbours are stations that follow each "
        "other on a line. The map is a reconstruction: the printed board was not at hand.",
    ),
    Rule(
        "§2",
        "Components",
        "Twenty shops in each of four colours, sixty station tokens, a bag, the bus, and a final-excursion marker for "
        "each line. A station has as many tokens as neighbours.",
    ),
    Rule(
        "§3",
        "Setup",
        "One shop keeps the score, the other nineteen are your supply. The tokens form face-down piles of one more "
        "than there are players; everybody secretly gets one marker, and with two players a third lies face up.",
    ),
    Rule("§4.1", "Lay out", "The next pile is turned up, each token beside its station."),
    OPEN_SHOPS,
    Rule(
        "§5",
        "Visit",
        "One token is left over and its station is visited. Every shop there scores 1; if there is none, every shop at "
        "the nearest station or stations along its line or lines scores 1.",
    ),
    Rule(
        "§6",
        "Discard and excursion",
        "The token left over is parked. Once two of one colour are parked, the bus drives that line and both leave the "
        "game. At each crossing of the line whoever has a shop there scores for each own shop there and on its "
        "neighbours.",
    ),
    Rule("§7", "Next round", "The bus, and with it the first turn, passes clockwise, and the next pile is laid out."),
    Rule(
        "§8",
        "End and winner",
        "After the last pile everybody's marker is driven as an excursion for all, with two players the face-up one "
        "too. Whoever alone has most shops in the bag scores 1 for each. The highest total wins; among equals the "
        "fewest shops on the board; else the victory is shared.",
    ),
    Rule(
        "§9",
        "At this table",
        "Everything is open but the piles and the markers of others. When a deadline passes, the first token whose "
        "station has room is taken; if there is none, the first that replaces a shop of your own; else the first.",
    ),
)

_RULINGS = (
    Rule("R1", "Order of the piles", "Piles cannot be told apart, so nobody chooses: they come as shuffled."),
    Rule("R2", "A token's colour", "Tokens of one station in two colours are two choices; two alike are one."),
    Rule(
        "R3",
        "Tokens of a crossing",
        "They are divided between its two colours by its neighbours along each line: twelve of every colour.",
    ),
    Rule("R4", "No passing", "Everybody has to take a token."),
    Rule("R5", "When to evict", "Only at a full station, and then exactly one shop; it may be your own."),
    Rule("R6", "Your own shop", "Evicting your own shop returns it to your supply; it never feeds the bag."),
    EMPTY_SUPPLY,
    Rule("R8", "Visiting a crossing", "Both its lines count, whatever the colour of the token."),
    Rule("R9", "Distance", "It is measured along one line without changing; the nearest over both lines counts."),
    Rule("R10", "Once a visit", "No shop scores twice in one visit."),
    Rule("R11", "Neighbours once", "Two shops of yours at a stop do not count its neighbours twice."),
    Rule("R12", "Visit first", "The visit comes before the excursion, in the last round too."),
    Rule("R13", "Parked tokens", "Up to five colours lie parked; those that are left at the end do nothing."),
    Rule("R14", "Direction", "Where an excursion starts only orders what is told, not what is scored."),
    Rule("R15", "Who reveals first", "The seat that the bus has just reached; it makes no difference to the points."),
    Rule("R16", "Markers in the box", "They are never driven."),
    Rule("R17", "Most in the bag", "More than each rival is enough; an empty bag or a tie for most pays nobody."),
    Rule("R18", "Ties", "Fewest shops on the board orders every rank; the shop that keeps the score does not count."),
    Rule(
        "R19", "Looking into the bag", "The view shows only how many are in it; but whoever watched could count along."
    ),
    Rule("R20", "Tokens to come", "Those that left the game were seen by all, so the view lists what is still unseen."),
)

SUMMARY = """\
You open souvenir shops along five bus lines, where the tourists will come by.

Every round one token more is laid out than there are players. In turn each takes one and opens a shop at its station.
A plain station [ ] holds one shop, a crossing [  ] two; if it is full, you choose a shop that has to make way.

The token nobody took says where the tourists go. Every shop at that station scores 1 point; if there is none, the
shops nearest to it along its line score instead. So mind what you leave behind.

That token is then parked. When a second one of its colour joins it, the bus drives the whole line: at each crossing
where you have a shop you score for your shops there and for those on the stations next to it.

Each player also holds a secret marker. At the end the bus drives all their lines once more, and whoever alone has most
shops in the bag of the evicted gets a point for each. The highest total wins."""

RULEBOOK = Rulebook(
    title="Paris Paris",
    byline="Michael Schacht, Abacusspiele 2003",
    summary=SUMMARY,
    rules=_HEADINGS + _RULINGS,
)
