"""A scene looks the same in every medium, fits where it is put, and does no harm whoever wrote its words."""

from __future__ import annotations

import io
import re
import unicodedata
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from engine.scene import (
    Block,
    Board,
    Card,
    Columns,
    Hand,
    Line,
    Link,
    Mark,
    Panel,
    Point,
    Scene,
    Span,
    svg,
    terminal,
    text,
)
from engine.scene.canvas import clean, contrast, drawn, fold, ink, lettered, measure, plain, rgb
from tests.engine.scene_examples import MAP, SEATS, STATIONS, a_table, paris

HOSTILE = (
    "<script>alert(1)</script>",
    "]]> <![CDATA[ &amp; &nbsp; \" ' <!--",
    "[bold red]loud[/bold red] [/] [link=http://example.org]here[/link]",
    "\x1b[2J\x1b[31mred\x1b]0;title\x07\x9b31m",
    "one\ntwo\r\nthree\tfour\x0b\x0c\x85\u2028\u2029five",
    "\u202egnp.exe\u202c \u2066\u2067\u2069 \u200f\u200e \u200b\ufeff\u2060",
    "\ud800 \ufffe \uffff \U000e0041 \ue000 \x00\x08\x7f",
    "e" + "\u0301" * 50,
)


def picture(scene: Scene) -> ElementTree.Element:
    return ElementTree.fromstring(svg.draw(scene))  # noqa: S314  it is our own output, and cannot declare entities


def printed(scene: Scene, width: int, *, colour: bool = False) -> str:
    """What a console of that width receives."""
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="256" if colour else None,
        legacy_windows=False,
        _environ={},
    )
    console.print(terminal.draw(scene, width))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def unpadded(page: str) -> str:
    return "\n".join(line.rstrip(" ") for line in page.split("\n")).strip("\n") + "\n"


def on_grid(board: Board) -> list[str]:
    return [plain(row) for row in drawn(board)]


# --- the map of Paris ---


def test_the_empty_map_is_the_one_in_the_specification() -> None:
    assert "\n".join(on_grid(paris())) + "\n" == MAP


def test_a_badge_follows_the_bracket_and_moves_no_letter() -> None:
    rows = on_grid(paris(tokens=("Pompidou", "Opéra")))
    assert rows[11][52:93] == "+----b--------[  ]*---b----[ ]------b---+"
    assert rows[7][35:44] == "[ ]*Opéra"


def test_seats_stand_between_the_brackets() -> None:
    assert on_grid(paris({"Pompidou": "GV", "Bourse": "E"}))[11][66:70] == "[GV]"
    assert on_grid(paris({"Pompidou": "GV", "Bourse": "E"}))[4][67:70] == "[E]"


def test_the_map_survives_all_three_media() -> None:
    scene = Scene("", (paris(),))
    assert text.draw(scene) == MAP.rstrip("\n") + "\n"
    assert unpadded(printed(scene, 100)) == text.draw(scene)
    words = {"".join(element.itertext()) for element in picture(scene).iter("{http://www.w3.org/2000/svg}text")}
    assert words >= STATIONS.keys()


# --- links ---


def a_board(*links: Link, marks: tuple[Mark, ...] = (), width: int = 9, height: int = 5) -> Board:
    return Board(width, height, links, marks)


def test_a_link_turns_with_a_plus_and_its_letter_never_hides_the_turn() -> None:
    bent = Link(((0, 0), (4, 0), (4, 4)), "x")
    assert on_grid(a_board(bent)) == ["----+", "    x", "    |", "    |", "    |"]


def test_links_that_cross_on_an_empty_cell_share_a_plus() -> None:
    across, down = Link(((0, 2), (8, 2))), Link(((4, 0), (4, 4)))
    assert on_grid(a_board(across, down))[2] == "----+----"
    assert on_grid(a_board(across, down, marks=(Mark((4, 2), ("o",)),)))[2] == "----o----"


def test_links_along_the_same_way_stay_straight() -> None:
    assert on_grid(a_board(Link(((0, 0), (8, 0))), Link(((2, 0), (5, 0)))))[0] == "---------"


def test_the_letter_stands_in_the_middle_of_what_the_frames_leave_visible() -> None:
    ends = (Mark((1, 0), (" ",), framed=True), Mark((7, 0), (" ",), framed=True))
    link = Link(((1, 0), (7, 0)), "x")
    assert on_grid(a_board(link, marks=ends))[0] == "[ ]-x-[ ]"
    # Words and badges that stand on the link do not count, so a token laid out moves no letter.
    assert on_grid(a_board(link, marks=(*ends, Mark((3, 0), ("o",)))))[0] == "[ ]ox-[ ]"


def test_a_link_that_is_wholly_covered_has_no_letter() -> None:
    board = a_board(Link(((1, 0), (3, 0)), "x"), marks=(Mark((1, 0), ("   ",), framed=True),))
    assert list(lettered(board)) == []


def test_a_diagonal_link_is_refused() -> None:
    with pytest.raises(ValueError, match="rows and columns"):
        drawn(a_board(Link(((0, 0), (3, 3)))))


def test_what_falls_off_the_board_is_not_drawn() -> None:
    marks = (Mark((-2, 0), ("abc",)), Mark((7, 0), ("xyz",)), Mark((0, 9), ("low",)), Mark((0, -1), ("high",)))
    assert on_grid(a_board(Link(((-5, 1), (20, 1))), marks=marks, height=2)) == ["c      xy", "---------"]


def test_half_a_wide_character_is_none() -> None:
    wide = Mark((0, 0), ("漢字!",))
    assert on_grid(a_board(marks=(wide, Mark((1, 0), ("x",))), height=1)) == [" x字!"]
    assert on_grid(a_board(marks=(wide, Mark((2, 0), ("x",))), height=1)) == ["漢x !"]
    assert on_grid(a_board(marks=(Mark((8, 0), ("漢",)),), height=1)) == [""]


# --- fitting ---


def test_a_board_too_wide_gives_way_to_its_summary() -> None:
    page = text.draw(a_table(), 99)
    assert "Montmartre: empty\nBourse: empty\n" in page
    assert "[ ]-" not in page
    assert "[ ]-" in text.draw(a_table(), 100)
    assert unpadded(printed(a_table(), 99)) == page


def test_a_board_too_wide_without_summary_says_so() -> None:
    assert text.draw(Scene("", (Board(50, 2),)), 40) == "The board is drawn from 50 columns on.\n"


def test_lines_are_folded_at_spaces_and_the_rest_hangs() -> None:
    panel = Panel("Bus", (("The bus stands ", Span("with Grace", bold=True), " until the next round."),))
    page = "Bus\n  The bus stands\n    with Grace\n    until the next\n    round.\n"
    assert text.draw(Scene("", (panel,)), 19) == page


def test_folding_keeps_the_style_of_every_word() -> None:
    red = Span("red words here", colour=160)
    assert fold(("some ", red), 9) == [
        (Span("some "), Span("red ", colour=160)),
        (Span("words ", colour=160),),
        (Span("here", colour=160),),
    ]


def test_a_table_has_columns_and_its_figures_stand_to_the_right() -> None:
    table = Columns(
        "Scores", ("player", "total"), (("Ada", "9"), (Span("Grace", fill=135), "12"), ("none",)), right=(1,)
    )
    assert text.draw(Scene("", (table,))) == (
        "Scores\n  player  total\n  ------  -----\n  Ada         9\n  Grace      12\n  none\n"
    )


def test_a_table_too_wide_folds_its_widest_column() -> None:
    table = Columns("", ("seat", "what"), (("Ada", "took the token of Pompidou"),))
    assert text.draw(Scene("", (table,)), 20) == (
        "  seat  what\n  ----  ------------\n  Ada   took the\n        token of\n        Pompidou\n"
    )


def test_cards_flow_side_by_side() -> None:
    hand = Hand("Hand", (Card("leek", 40), Card("onion soup", note="2 points"), Card("fig")))
    assert text.draw(Scene("", (hand,)), 40) == "Hand\n  [ leek ]  [ onion soup ] 2 points\n  [ fig ]\n"
    assert text.draw(Scene("", (Hand("Hand", ()),))) == "Hand\n  (none)\n"


def test_columns_are_counted_as_terminals_count_them() -> None:
    for sample in ("Opéra", "Ope\u0301ra", "漢字", "ｆｕｌｌ", "🍷 vin", "żółć", "ไทย"):
        assert measure((sample,)) == cell_len(clean(sample))


# --- colour ---


def test_colours_are_those_of_the_terminal() -> None:
    assert [rgb(number) for number in (0, 1, 7, 8, 9, 15)] == [
        (0, 0, 0), (128, 0, 0), (192, 192, 192), (128, 128, 128), (255, 0, 0), (255, 255, 255),
    ]  # fmt: skip
    assert [rgb(number) for number in (16, 33, 226, 231, 232, 255)] == [
        (0, 0, 0), (0, 135, 255), (255, 255, 0), (255, 255, 255), (8, 8, 8), (238, 238, 238),
    ]  # fmt: skip


@given(st.integers(0, 255))
def test_ink_reads_on_every_colour(fill: int) -> None:
    assert contrast(ink(fill), fill) >= 4.5


def test_a_terminal_with_colour_shows_lines_shops_and_badges_in_theirs() -> None:
    page = printed(Scene("", (paris({"Pompidou": "GV"}, ("Pompidou",)),)), 100, colour=True)
    assert "\x1b[38;5;16;48;5;250mG\x1b[0m\x1b[38;5;16;48;5;135mV\x1b[0m]\x1b[1;38;5;16;48;5;213m*" in page
    assert "\x1b[38;5;33m+----\x1b[0m\x1b[1;38;5;33mb\x1b[0m" in page


def test_a_picture_has_a_piece_for_every_shop_and_a_tip_for_every_station() -> None:
    root = picture(Scene("Paris", (paris({"Louvre": "EE", "Odéon": "Y"}, ("Odéon",)),)))
    green, yellow = ("#{:02x}{:02x}{:02x}".format(*rgb(SEATS[seat])) for seat in "EY")
    fills = [element.get("fill") for element in root.iter()]
    assert (fills.count(green), fills.count(yellow)) == (2, 1)
    tips = [element.text for element in root.iter("{http://www.w3.org/2000/svg}title")]
    assert tips[0] == "Paris"
    assert "Louvre: EE" in tips
    assert root.get("role") == "img"


def test_no_pale_ink_on_paper() -> None:
    yellow = Span("yellow", colour=226)
    scene = Scene("", (Board(9, 1, marks=(Mark((0, 0), (yellow,)),)), Panel("", ((yellow,),))))
    inks = {element.get("fill") for element in picture(scene).iter("{http://www.w3.org/2000/svg}text")}
    assert inks == {"#000000"}


# --- whatever anybody writes ---

words = st.text(st.characters(), max_size=30) | st.sampled_from(HOSTILE)
hues = st.none() | st.integers(0, 255)
spans = st.builds(Span, words, hues, hues, st.booleans(), st.booleans()) | words
lines: st.SearchStrategy[Line] = st.lists(spans, max_size=4).map(tuple)
points: st.SearchStrategy[Point] = st.tuples(st.integers(-3, 45), st.integers(-3, 14))


@st.composite
def links(draw: st.DrawFn) -> Link:
    way = [draw(points)]
    for step in draw(st.lists(st.tuples(st.booleans(), st.integers(-12, 12)), max_size=4)):
        (column, row), (along, by) = way[-1], step
        way.append((column + by, row) if along else (column, row + by))
    return Link(tuple(way), draw(words), draw(hues))


boards = st.builds(
    Board,
    st.integers(1, 40),
    st.integers(1, 12),
    st.lists(links(), max_size=4).map(tuple),
    st.lists(st.builds(Mark, points, lines, st.booleans(), words, words), max_size=6).map(tuple),
    st.lists(lines, max_size=3).map(tuple),
    st.sampled_from([(9, 18), (24, 24)]),
)
rows = st.lists(lines, max_size=4).map(tuple)
tables = st.builds(Columns, words, st.lists(words, max_size=5).map(tuple), rows, st.sets(st.integers(0, 5)).map(tuple))
hands = st.builds(Hand, words, st.lists(st.builds(Card, words, hues, words), max_size=6).map(tuple))
blocks: st.SearchStrategy[Block] = boards | st.builds(Panel, words, rows) | tables | hands
scenes = st.builds(Scene, words, st.lists(blocks, max_size=4).map(tuple))

DRAWN = {"svg", "title", "g", "rect", "circle", "polyline", "text"}
DESCRIBED = re.compile(
    "role|width|height|viewBox|x|y|rx|cx|cy|r|points|transform|fill|stroke(-width|-linecap|-linejoin)?"
    "|font-(size|family|weight)|text-anchor"
)


def harmless(page: str) -> bool:
    return all(letter == "\n" or unicodedata.category(letter) not in ("Cc", "Cf", "Cs", "Zl", "Zp") for letter in page)


@given(scenes, st.integers(1, 120))
@settings(deadline=None)
def test_text_fits_and_is_nothing_but_text(scene: Scene, width: int) -> None:
    page = text.draw(scene, width)
    assert harmless(page)
    assert page.endswith("\n")
    assert not page.endswith("\n\n")
    for line in page.split("\n"):
        assert measure((line,)) <= width
        assert line == line.rstrip()


@given(scenes, st.integers(20, 120))
@settings(deadline=None)
def test_a_console_shows_the_characters_of_the_text(scene: Scene, width: int) -> None:
    group = terminal.draw(scene, width)
    assert [plain((Span(str(row)),)) for row in group.renderables] == [plain(row) for row in text.lay(scene, width)]
    assert unpadded("\n".join(map(str, group.renderables))) == text.draw(scene, width)
    assert harmless(printed(scene, width))


@given(scenes)
@settings(deadline=None)
def test_a_picture_is_well_formed_and_holds_only_shapes_and_words(scene: Scene) -> None:
    assert harmless(svg.draw(scene))
    for element in picture(scene).iter():
        assert element.tag.removeprefix("{http://www.w3.org/2000/svg}") in DRAWN
        assert all(DESCRIBED.fullmatch(name) for name in element.attrib)
        assert all("url" not in value and "//" not in value for value in element.attrib.values())


@given(boards)
@settings(deadline=None)
def test_a_board_is_exactly_its_grid(board: Board) -> None:
    drawing = drawn(board)
    assert len(drawing) == board.height
    assert {measure(row) for row in drawing} == {board.width}


@given(lines, st.integers(1, 40), st.integers(0, 6))
@example(("0 ", "000000"), 7, 3)
def test_folding_loses_nothing_but_spaces(line: Line, width: int, hang: int) -> None:
    folded = fold(line, width, hang)
    assert all(measure(row) <= width for row in folded)
    whole = "".join(plain(row) for row in fold(line, 10_000))
    if width - hang > 1:  # narrower, a wide character is replaced
        assert "".join(map(plain, folded)).replace(" ", "") == whole.replace(" ", "")


@pytest.mark.parametrize("evil", HOSTILE)
def test_hostile_words_stay_words(evil: str) -> None:
    board = Board(60, 3, (Link(((0, 1), (50, 1)), evil),), (Mark((2, 0), (evil,), framed=True, badge=evil, tip=evil),))
    card, table = Card(evil, 40, evil), Columns(evil, (evil,), ((evil,),))
    scene = Scene(evil, (board, Panel(evil, ((evil,),)), table, Hand(evil, (card,))))
    shown = max(clean(evil).split(" "), key=len)
    assert shown in text.draw(scene, 300)
    assert shown in " ".join(picture(scene).itertext())
    assert re.sub(r"\x1b\[[\d;]*m", "", printed(scene, 300, colour=True)).count("\x1b") == 0
    assert unpadded(printed(scene, 300)) == text.draw(scene, 300)


def test_accents_neither_pile_up_nor_settle_on_a_neighbour() -> None:
    assert clean("x" + "\u0301" * 50 + "y") == "x" + "\u0301" * 3 + "y"
    assert text.draw(Scene("", (Panel("", (("x", Span("\u0301y", bold=True)),)),))) == "  xy\n"


def test_markup_is_shown_as_it_was_written() -> None:
    page = printed(Scene("[bold]x[/bold]", (Panel("", (("[red]", Span("[/red]", colour=160)),)),)), 80)
    assert "[bold]x[/bold]" in page
    assert "[red][/red]" in page
