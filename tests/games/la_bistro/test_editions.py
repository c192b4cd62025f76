"""An edition file is data: another may be put beside it, and one that cannot be played is refused line by line."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any, cast

import pytest

from engine.chance import Chance
from engine.games import la_bistro
from engine.games.la_bistro import GAME, Options
from engine.games.la_bistro.chart import SOURCES, compact_chart, criterion_name, payouts_chart, provenance
from engine.games.la_bistro.checks import BadEdition
from engine.games.la_bistro.components import EDITIONS, Edition, load
from engine.games.la_bistro.lines import Lines
from engine.scene import svg, text
from tests.games.la_bistro.golden import keen
from tests.games.la_bistro.positions import BOX

FILE = "reconstruction-1.toml"
SOURCE = (Path(la_bistro.__file__).parent / "editions" / FILE).read_text(encoding="utf-8")


def changed(old: str, new: str) -> str:
    """The good file with its first ``old`` replaced."""
    assert old in SOURCE
    return SOURCE.replace(old, new, 1)


def line_of(fragment: str, source: str = SOURCE) -> int:
    """The first line that contains this."""
    return next(number for number, line in enumerate(source.splitlines(), 1) if fragment in line)


def refusal(source: str, file: str = FILE) -> str:
    with pytest.raises(BadEdition) as refused:
        load(source, file)
    return str(refused.value)


B3 = 'id = "B3", street = "Boardwalk", price = 10, seats = 10, ambiance = 2, levels = ["low", "high"]'
FAULTS: dict[str, tuple[str, str, str]] = {
    # what is said: what is replaced, by what, and what the line named contains
    "min_unused_dice": ("min_unused_dice = 3", "min_unused_dice = 0", "min_unused_dice"),
    "8 dice leave 6 players no preparation phase": ("dice = 15", "dice = 8", "dice = 8"),
    "a phase may find only 3 unused dice": (
        "jobs_dice_per_phase = 3",
        "jobs_dice_per_phase = 4",
        "jobs_dice_per_phase",
    ),
    "chef must be 0 or more, not -1": ("chef = 1", "chef = -1", "chef = -1"),
    "ad_point must cost something": ("ad_point = 2", "ad_point = 0", "ad_point"),
    "a negative award, -2": ("awards = [3, 2, 1]", "awards = [3, -2, 1]", "awards"),
    "players_5: Inflation cannot be negative": ("players_5 = [1, 2, 3]", "players_5 = [-1, 2, 3]", "players_5"),
    "Inflation cannot be negative": ("start = 0", "start = -1", "start = -1"),
    "needs a box after START": ("boxes = 15 ", "boxes = 0 ", "boxes = 0"),
    "Industrial Zone is numbered 3 and not 2": ("number = 2", "number = 3", "number = 3"),
    "two buildings are called B1": ('id = "B2"', 'id = "B1"', 'street = "Ocean Avenue"'),
    "building 'pier' must be called by letters and a number": ('id = "B1"', 'id = "pier"', 'id = "pier"'),
    "building B3: seats must be 1 or more, not 0": (B3, B3.replace("seats = 10", "seats = 0"), "Boardwalk"),
    "building B3: price must be 0 or more": (B3, B3.replace("price = 10", "price = -1"), "Boardwalk"),
    "building B3: there is no level 'hgih'": (B3, B3.replace('"high"', '"hgih"'), "Boardwalk"),
    "building B3: the level low is there twice": (B3, B3.replace('"high"', '"low"'), "Boardwalk"),
    "building B3 must allow two levels, not 1": (B3, B3.replace(', "high"', ""), "Boardwalk"),
    "level affordable must begin at 4, not 5": ("from = 4", "from = 5", "from = 5"),
    "level high ends before it begins": ("from = 7, to = 8", "from = 7, to = 6", "from = 7"),
    "two cuisines are called asian": ('id = "american"', 'id = "asian"', 'name = "Asian"'),
    "cuisine american has no level": (
        'name = "American", levels = ["low", "affordable", "high"]',
        'name = "American", levels = []',
        'name = "American"',
    ),
    "tiers of service must begin at 0 and rise": ("from = [0, 3, 9]", "from = [0, 9, 3]", "[0, 9, 3]"),
    "two employees are called sous-chef": ('id = "line-cook"', 'id = "sous-chef"', 'id = "sous-chef"'),
    "employee sous-chef: the price is negative": (
        'name = "Sous Chef"\nkind = "listed"\nprice = 6',
        'name = "Sous Chef"\nkind = "listed"\nprice = -6',
        "price = -6",
    ),
    "employee saucier: there is no cuisine 'frnch'": (
        'needs = { cuisine = ["french"] }',
        'needs = { cuisine = ["frnch"] }',
        "frnch",
    ),
    "employee bartender: there is no renovation 'pub'": (
        'needs = { renovation = "bar" }',
        'needs = { renovation = "pub" }',
        '"pub"',
    ),
    "employee saucier: an empty condition": ('needs = { cuisine = ["french"] }', "needs = {}", "needs = {}"),
    r"what adds Novelty can have no condition \(R1\)": (
        "effect = { ambiance = 1, novelty = 4 }",
        "effect = { ambiance = 1, novelty = 4 }\nneeds = { large = true }",
        "novelty = 4",
    ),
    "employee head-chef needs a short name": ('short = "Head Chef"', "", "Head/Master Chef"),
    "cut-off must be 1 to 16 .never., not 40": ("cutoff = 4", "cutoff = 40", "cutoff = 40"),
    "box 1,6 of the Jobs Board: no employee 'comis'": (
        '"line-cook", "saucier", "commis"]',
        '"line-cook", "saucier", "comis"]',
        "comis",
    ),
    "row 1 of the Jobs Board must have 6 boxes, not 5": (
        '"line-cook", "saucier", "commis"]',
        '"line-cook", "saucier"]',
        '["head-chef", "head-chef"',
    ),
    "employee host is nowhere on the Jobs Board": (
        '"bartender", "host"',
        '"bartender", "caller"',
        "[[jobs.employees]]",
    ),
    "a row for each of the 15 dice": ("rows = 15", "rows = 14", "rows = 14"),
    "a column for each side": ("columns = 6", "columns = 5", "columns = 5"),
    "the chart must have 90 boxes, not 89": (re.search(r".*box = 90,.*\n", SOURCE)[0], "", "boxes = [\n"),  # type: ignore[index]
    "box 9 stands where box 8 should be": ("box = 8,", "box = 9,", "box = 9,"),
    "box 8: there is no criterion 'vibes'": (
        '["ambiance", "service", "price", "fame"]',
        '["vibes", "service", "price", "fame"]',
        "vibes",
    ),
    "box 8 asks twice for service": (
        '["ambiance", "service", "price", "fame"]',
        '["service", "service", "price", "fame"]',
        "box = 8,",
    ),
    "box 8 must have four criteria, not 3": (
        '["ambiance", "service", "price", "fame"]',
        '["ambiance", "service", "price"]',
        "box = 8,",
    ),
    "where start.novelty comes from is not said": (', novelty = "reconstructed"', "", "novelty = 12"),
    "the edition deluxe must be in a file of that name": ('id = "reconstruction-1"', 'id = "deluxe"', '"deluxe"'),
    # what the types catch
    "costs.loan: Expected `int`, got `str`": ("loan = 10", 'loan = "ten"', 'loan = "ten"'),
    "unknown field `titel`": ("title =", "titel =", "titel ="),
    "board.zones.0.buildings.2: Object missing required field `price`": (
        B3,
        B3.replace("price = 10, ", ""),
        "Boardwalk",
    ),
    "Invalid enum value 'guessed'": ('source = "rulebook"', 'source = "guessed"', '"guessed"'),
    "Invalid enum value 'pink'": ('colour = "mauve"', 'colour = "pink"', '"pink"'),
    "format: Invalid enum value 2": ("format = 1", "format = 2", "format = 2"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_named_with_its_line(fault: str) -> None:
    old, new, where = FAULTS[fault]
    source = changed(old, new)

    said = refusal(source).splitlines()

    matching = [line for line in said if re.search(fault, line)]
    assert matching, said
    named = re.match(rf"{FILE}, line (\d+): ", matching[0])
    assert named, matching
    if where == "[[jobs.employees]]":
        assert source.splitlines()[int(named[1])] == 'id = "host"'
    elif where == "boxes = [\n":
        assert source.splitlines()[int(named[1]) - 1] == "boxes = ["
    else:
        assert where in source.splitlines()[int(named[1]) - 1] or int(named[1]) == line_of(where, source)


@pytest.mark.parametrize("first", range(0, len(SOURCE.splitlines()), 61))
def test_whatever_line_is_missing_the_file_is_read_or_refused_with_a_line(first: int) -> None:
    """Every fourth line of a stretch is left out, one at a time; nothing but BadEdition may come of it."""
    lines = SOURCE.splitlines(keepends=True)
    for number in range(first, min(first + 61, len(lines)), 4):
        said = ""
        try:
            load("".join(lines[:number] + lines[number + 1 :]), FILE)
        except BadEdition as refused:
            said = str(refused)
        assert all(re.match(rf"{FILE}, (line \d+|end of document)", line) for line in said.splitlines())


def test_there_are_three_levels_and_every_building_can_be_cooked_in() -> None:
    without_high = "\n".join(line for line in SOURCE.splitlines() if 'id = "high"' not in line)
    levels = line_of('id = "low"') - 1
    assert f"line {levels}: there must be three levels, not 2" in refusal(without_high)

    low_only = re.sub(r'(\{ id = "[a-z-]+", name = "[A-Za-z ]+", levels = )\[[^]]*\]', r'\1["low"]', SOURCE)
    assert f"line {line_of('Pier Street')}: building B1: no cuisine is sold at its levels" in refusal(low_only)


def test_there_are_six_zones() -> None:
    six = SOURCE.index("[[board.zones]]\nnumber = 6")
    source = SOURCE[:six] + SOURCE[SOURCE.index("# ------", six) :]

    assert f"line {line_of('[[board.zones]]')}: there must be six zones, not 5" in refusal(source)


def test_all_faults_are_told_at_once_in_the_order_of_the_file() -> None:
    source = changed("chef = 1", "chef = -1").replace("cutoff = 4", "cutoff = 40").replace("box = 8,", "box = 9,", 1)

    said = refusal(source).splitlines()

    assert [re.sub(r".*: ", "", line)[:12] for line in said] == ["chef must be", "the cut-off ", "box 9 stands"]
    lines = [int(re.findall(r"line (\d+)", line)[0]) for line in said]
    assert lines == sorted(lines)


def test_what_is_not_toml_is_refused_with_its_line() -> None:
    assert re.match(rf"{FILE}, line {line_of('[costs]')}, column \d+: ", refusal(changed("[costs]", "[costs")))
    assert re.match(rf"{FILE}, end of document: ", refusal(SOURCE.rstrip()[:-1]))


def test_lines_are_found_in_any_toml_we_would_write() -> None:
    source = (
        'a = 1 # [x]\n"b c" = """\ntwo\nlines"""\n[t.u] # note\nk = { x = [1,\n  2], y = "}" }\n'
        "[[t.v]]\nn = 1\n[[t.v]]\n[t.v.w]\nz = 'it''s'\n"
    )

    lines = Lines(source)

    places = {
        ("a",): 1,
        ("b c",): 2,
        ("t", "u"): 5,
        ("t", "u", "k", "x", 1): 7,
        ("t", "u", "k", "y"): 7,
        ("t", "v", 0, "n"): 9,
        ("t", "v", 1): 10,
        ("t", "v", 1, "w", "z"): 12,
        ("t", "v", 1, "nothing", "there"): 10,
        ("nowhere",): 1,
    }
    assert {path: lines.at(path) for path in places} == places


def another_edition() -> Edition:
    """Somebody has entered printed figures: other buildings in a zone, prices, a chart box, a cut-off."""
    source = changed('id = "reconstruction-1"', 'id = "printed-1"')
    for old, new in (
        ('title = "Reconstruction"', 'title = "Printed figures"'),
        ('source = { number = "rulebook", name = "rulebook", buildings = "reconstructed" }', 'source = "printed"'),
        (
            '  { id = "B1", street = "Pier Street", price = 11,',
            '  { id = "S9", street = "A street with a name that is rather too long", price = 1,',
        ),
        ("novelty = 12 ", "novelty = 9 "),
        ("boxes = 15 ", "boxes = 20 "),
        ("cutoff = 15", "cutoff = 21"),
        ('{ box = 90, colour = "plain"', '{ box = 90, colour = "gold"'),
        ("gold_bonus = 5", "gold_bonus = 7"),
    ):
        assert old in source
        source = source.replace(old, new, 1)
    return load(source, "printed-1.toml")


@pytest.mark.parametrize("players", [2, 6])
def test_another_file_is_another_edition_without_touching_code(players: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Any]", EDITIONS), "printed-1", another_edition())
    options, chance, entry = Options(edition="printed-1"), Chance(bytes(32)), 0
    state = GAME.deal(players, options, chance).state
    while waiting := GAME.waiting(state):
        entry += 1
        seat = min(waiting)
        move = keen(GAME, GAME.view(state, seat), GAME.legal(state, seat), Chance(b"mind", entry))
        state = GAME.play(state, seat, move, chance.at(entry)).state
    drawn = text.draw(GAME.scene(GAME.view(state, None), ["ann", "bob", "cy", "dee", "eve", "fay"][:players]))

    assert GAME.components(options)["edition"]["title"] == "Printed figures"
    assert any(score.parts["gold"] % 5 for score in GAME.standing(state).scores)
    assert "S9 A street with a" in drawn
    assert max(map(len, drawn.splitlines())) <= 100


def test_what_the_documentation_shows_is_so() -> None:
    page = Path(__file__).parents[3] / "docs" / "games" / "la-bistro.md"

    tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")

    assert (tried.failed, tried.attempted > 0) == (0, True)


def test_the_file_we_have_is_good() -> None:
    assert load(SOURCE, FILE) == BOX


@pytest.mark.cites("§1")
def test_where_every_figure_comes_from_is_counted() -> None:
    table = provenance(BOX)

    assert table.header == ("figures of", *SOURCES)
    counts = {str(row[0]): row[1:] for row in table.rows}
    assert counts["costs"] == ("6", "-", "-", "-")
    assert counts["time track"] == ("-", "-", "1", "-")
    assert counts["payouts"] == ("4", "6", "181", "-")
    attested = provenance(another_edition())
    assert {str(row[0]): row[4] for row in attested.rows}["board"] == "22"


def test_the_payouts_chart_can_be_looked_up() -> None:
    chart = compact_chart(BOX)

    assert chart.splitlines()[0].startswith(" 1*Se Px Pr Am   2 Px Se fr Fa")
    assert chart.splitlines()[14].endswith("90 Se Ad Pr Px")
    assert max(map(len, chart.splitlines())) <= 100
    assert chart in GAME.rulebook.summary
    drawn = text.draw(payouts_chart(BOX))
    assert "54 Pr Px Am Ad" in drawn
    assert "Where the figures come from" in drawn
    assert svg.draw(payouts_chart(BOX)).startswith("<svg")


def test_two_cuisines_that_begin_alike_have_different_codes() -> None:
    source = changed('id = "asian", name = "Asian"', 'id = "american-2", name = "New American"')
    source = source.replace('"cuisine:asian"', '"cuisine:american-2"').replace('["asian"]', '["american-2"]')

    chart = compact_chart(load(source, FILE))

    assert "am American, a2 New American" in chart
    assert criterion_name("cuisine:fast-food") == "Fast Food cuisine"
