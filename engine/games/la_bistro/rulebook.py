"""The rules by name: the headings of the rulebook (§) and our rulings where it is silent (R)."""

from __future__ import annotations

from engine.cited_rules import Rule, Rulebook
from engine.games.la_bistro.chart import compact_chart
from engine.games.la_bistro.components import EDITIONS

CHOICE = Rule(
    "§3.2",
    "Choice of option",
    "All players choose at the same time, in secret, one of seven options for this phase. In the very first phase of "
    "the game everybody has the realtor.",
)
NO_EFFECT = Rule(
    "R5",
    "Choices without effect",
    "The realtor needs a building for sale and room for a restaurant, the chef a restaurant and his fee, the Jobs "
    "Board and the renovations a restaurant. Passing time, the banker and the ad agency are always open.",
)
REALTOR = Rule(
    "§3.3.0",
    "Realtor",
    "In order, each puts up a building for auction at its list price or more, among all who chose the realtor and have "
    "neither bought nor declined. A nominator who is outbid goes again; alone, you pay the list price. Nobody ever has "
    "more than two restaurants, and none is sold or closed.",
)
CHEF = Rule(
    "§3.3.1",
    "Chef and accountant",
    "Richest first, each sets cuisine and price of one restaurant and pays 1. The level of the price must be one that "
    "the cuisine and the building both allow.",
)
BANKER = Rule(
    "§3.3.3", "Banker", "Take one loan of 10, or pay back as many as you can afford, 10 each. All answer in secret."
)
AD_AGENCY = Rule(
    "§3.3.4",
    "Ad agency",
    "Points of Ads for one of your restaurants at 2 each, sealed when several chose it; zero is allowed.",
)
JOBS_BOARD = Rule(
    "§3.3.5",
    "Jobs Board",
    "Hire one employee whose box has a die, for its list price. When several want to, they bid for the right to choose "
    "next. A listed job is taken once in a restaurant, an unlimited one as often as you like, and a unique one exists "
    "once: who wants it from its employer bids against him.",
)
RENOVATIONS = Rule(
    "§3.3.6",
    "Renovations",
    "Buy one renovation for its list price, as on the Jobs Board. An item is closed once the time has reached its "
    "cut-off, and each is sold once a phase.",
)
OPEN_AUCTION = Rule(
    "§6.1",
    "Open auction",
    "In turn each seat still in bids more or passes for good; who leads is not asked, and who cannot afford the next "
    "bid passes by itself. The last one left pays the highest bid.",
)
SEALED_PROXY = Rule(
    "§6.2",
    "Sealed proxy",
    "All who take part name a limit in secret, and the open auction is then played out for them: everybody bids as "
    "little as possible within the limit. Who put the lot up is bound to the list price.",
)
ONE_OF_EACH = Rule(
    "R30",
    "One of each renovation",
    "A restaurant has an item once at most; two of one owner may have one each.",
)
AFFORD = Rule("R16", "No debts", "No bid and no purchase may exceed your money; debts come from loans alone.")

_HEADINGS = (
    Rule(
        "§1",
        "Components",
        "Six zones with buildings, eight cuisines, prices in three levels, a Jobs Board, a Renovations Chart, a Time "
        "Track and a Payouts Chart. An employee or renovation counts while its condition holds. What the rulebook does "
        "not state of them is a reconstruction, and the edition file says of every figure where it comes from.",
    ),
    Rule(
        "§2",
        "Setup",
        "Everybody has 30 money, or 45 with two players, one die, no loans and no restaurant. The game has four turns, "
        "with two players five. Inflation and time begin at 0.",
    ),
    Rule(
        "§3",
        "A turn",
        "Preparation phases of four steps each (employees appear, options are chosen, carried out, time passes), then "
        "one earning phase.",
    ),
    Rule(
        "§3.1",
        "Employees appear",
        "Three times a row and a column of the Jobs Board are rolled and a die is put on that box. When fewer than "
        "three dice are unused, all are taken back and the earning phase begins.",
    ),
    CHOICE,
    Rule(
        "§3.3",
        "Options",
        "They are carried out in their order: realtor, chef, time, banker, ads, jobs, renovations. Richest first means "
        "by money, equals in a random order; clockwise is the order of the seats.",
    ),
    REALTOR,
    CHEF,
    Rule("§3.3.2", "Passing time", "Each seat that chose it adds a die when time passes."),
    BANKER,
    AD_AGENCY,
    JOBS_BOARD,
    RENOVATIONS,
    Rule(
        "§3.4",
        "Time passes",
        "One die, and one more for each who is passing time, moves the cube along the Time Track. If it leaves the "
        "track, the earning phase begins; the next turn starts from 0.",
    ),
    Rule(
        "§4.1",
        "Placing the diners",
        "Fifteen dice are rolled; their sum names the first box, or the next one whose column is among the dice. From "
        "there row by row one die is placed in the column of its value, always the next higher value that is left, and "
        "after the highest the lowest.",
    ),
    Rule(
        "§4.2",
        "Handing out the diners",
        "Diners on mauve boxes come first, then the others, by box number. The restaurants with a menu and a free seat "
        "are compared by the four criteria of the box until one is left; mauve boxes compare real values, the others "
        "tiers. A gold box pays 5 more. If several are left, each is paid a share of its price and no seat is filled.",
    ),
    Rule(
        "§4.3",
        "Afterwards",
        "Ads fall to 0, Novelty falls by the diners served, the best attended gain Fame, every diner pays Inflation "
        "and the price, loans cost 1 each, and the new Inflation is rolled.",
    ),
    Rule(
        "§5",
        "End",
        "In the last turn every loan costs 11 instead of 1, below zero if need be. Most money wins; among equals "
        "whoever owns the most famous restaurant; else the victory is shared.",
    ),
    Rule("§6", "Auctions by mail", "A table plays its auctions open, as in the rulebook, or by sealed proxy."),
    OPEN_AUCTION,
    SEALED_PROXY,
    Rule(
        "§7",
        "At this table",
        "Only sealed answers are hidden, until all have answered. When a deadline passes, the ad agency is chosen and "
        "nothing spent, nothing bought and no bid made; a menu that is missing is filled in, and a loan repaid if it "
        "can be, else taken.",
    ),
    Rule(
        "§8",
        "Notation",
        "One line a move, such as choose jobs, auction B14 18, set 0 italian 6, hire 5,1 0, renovate patio 1; your "
        "restaurants are 0 and 1.",
    ),
)

_RULINGS = (
    Rule(
        "R1",
        "Novelty once",
        "Novelty that something adds is added when it is bought, and only by things without a condition.",
    ),
    Rule("R2", "A box that is taken", "Such an attempt places nothing; its die stays unused."),
    Rule("R3", "Dice of the hired", "They are set aside until the earning phase, and the box may be rolled again."),
    Rule("R4", "The first phase", "Only the very first preparation phase is without a choice, not the first turn."),
    NO_EFFECT,
    Rule(
        "R6",
        "When the order is fixed",
        "At the start of realtor and chef; an auction for the right to choose looks at the money of the moment.",
    ),
    Rule("R7", "Who begins", "Seat 0, and clockwise from there, in the first phase."),
    Rule(
        "R8",
        "Declining",
        "Who declines to put up a building is out of the realtor's auctions for this phase.",
    ),
    Rule("R9", "Bankers together", "Loans do not affect each other, so all bankers answer at once, in secret."),
    Rule("R10", "Ads add up", "Points bought in several phases of a turn add up; one choice serves one restaurant."),
    Rule("R11", "Who takes part", "At the Jobs Board and the renovations only those who could buy something now."),
    Rule(
        "R12",
        "The right to choose",
        "Its price comes on top of the list price. The first bid may be 0, the opener may pass, and the last one left "
        "has the right.",
    ),
    Rule(
        "R13",
        "Conditions",
        "Something conditional may be bought early; it counts only while its condition holds, and again later.",
    ),
    Rule("R14", "An employer who wins", "He pays his bid to the bank and keeps the employee where it is."),
    Rule("R15", "Closed or sold", "A cut-off lasts for the turn, a sale blocks the item for the phase only."),
    AFFORD,
    Rule("R17", "The end of the track", "The last box is still on it: the cube has to pass it."),
    Rule("R18", "The next higher die", "Strictly higher: equal dice wait for the next pass."),
    Rule("R19", "Full houses", "A full restaurant is treated as absent; if all are, the diner is lost."),
    Rule("R20", "Split dice", "Nobody receives a split die, so it counts for nothing and pays no bonus."),
    Rule("R21", "Distance", "The difference between the die and the number of the zone; 1 and 6 are not neighbours."),
    Rule("R22", "Ranking for Fame", "Numbers are ranked, not restaurants: equals gain alike, and no diners, no Fame."),
    Rule("R23", "Too poor for interest", "You pay what you have, and the rest is forgiven."),
    Rule("R24", "Inflation", "The table's value replaces the old one, and serves from the next turn on."),
    Rule("R25", "Ranks", "Who ends below zero ranks by that number. After Fame there is no further tie-break."),
    Rule("R26", "Limits are shown", "After all have answered, everybody sees all limits, the winner's too."),
    Rule("R27", "Large", "A building with ten printed seats; what is added later does not count."),
    Rule("R28", "White cubes", "They only remind of added seats, and never run out."),
    Rule("R29", "The lowest tier of Quality", "It reaches from 0 to 2."),
    ONE_OF_EACH,
)

SUMMARY = f"""\
You open a restaurant, or two, and the richest restaurateur wins.

Each of the four turns (five with two players) is a series of preparation phases and then one evening of diners. In a
phase three jobs are posted on the Jobs Board, and everybody secretly chooses one option:

  0 realtor      buy a building by auction          4 ads          2 money a point
  1 chef         set cuisine and price, for 1       5 jobs         hire from the Jobs Board
  2 time         let more time pass                 6 renovations  until their cut-off
  3 banker       borrow or repay 10

Kitchen staff improve Quality, wait staff Service, renovations Ambiance. The phase ends with a roll on the Time Track;
past its end, or when the dice run out, the diners come.

Fifteen dice are placed on the Payouts Chart. Each box asks four questions in turn, and the restaurants that answer best
stay in until one is left, which gets the diner: a seat is filled, and its price is paid. Refined diners (mauve) come
first and look at real figures; to the others everything within a tier is the same. Gold boxes pay 5 more. Then Ads are
gone, Novelty wears off, the fullest houses become famous, and loans cost interest: 1 each, at the end 11.

The Payouts Chart, box by box (* mauve, $ gold):

{compact_chart(EDITIONS["reconstruction-1"])}"""

RULEBOOK = Rulebook(
    title="La Bistro",
    byline="Rick Heli, Up & Away Games 2017",
    summary=SUMMARY,
    rules=_HEADINGS + _RULINGS,
)
