"""What the command line prints of contacts."""

from modia3d.cli.table import contact_summary, contact_table

ROWS = [
    {"pair": ["ball", "floor"], "begin": 0.4515236, "end": 0.4521, "largest_force": 812.345678, "impulse": 0.91234},
    {"pair": ["hand.finger", "ball"], "begin": 1.0, "end": None, "largest_force": 12.5, "impulse": 3.0},
]


def test_one_line_says_how_many_and_how_strong():
    expected = "2 contacts, 1 of them to the end, the largest force 812.346 N between ball and floor"
    assert contact_summary(ROWS) == expected
    assert contact_summary([ROWS[0] | {"largest_force": 0.0}]) == "1 contact"


def test_one_line_for_each_contact():
    lines = contact_table(ROWS).splitlines()
    assert lines[0].split() == ["begins", "[s]", "ends", "[s]", "force", "[N]", "impulse", "[N.s]", "between"]
    assert lines[1].split() == ["0.4515236", "0.4521", "812.346", "0.91234", "ball", "and", "floor"]
    assert lines[2].split() == ["1", "12.5", "3", "hand.finger", "and", "ball"]
    assert len({line.index(word) for line, word in zip(lines, ("between", "ball", "hand"), strict=True)}) == 1
