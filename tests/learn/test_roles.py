"""Roles that stand beside a name."""

import pytest

from memdir.learn.reading import roles


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("The price of supplier Kolb is 3", "The price of Kolb is 3"),
        ("Supplier Kolb is late", "Kolb is late"),
        ("Our good old landlord Meier rang", "Meier rang"),
        ("The payment term our supplier Kolb gives", "The payment term Kolb gives"),
        ("我们客户霍夫曼的账期", "霍夫曼的账期"),
        ("供应商 Kolb 给我们", "Kolb 给我们"),
        # no name behind it, or a name of which it is a part
        ("The supplier is late", "The supplier is late"),
        ("The Supplier Portal is down", "The Supplier Portal is down"),
        ("the bank North is shut", "the bank North is shut"),
        ("供应商编号是 K-12", "供应商编号是 K-12"),
        ("客户账期是 30 天", "客户账期是 30 天"),
    ],
)
def test_a_role_is_no_part_of_a_name(text: str, bare: str) -> None:
    assert roles.without(text, ["Bank North", "Kolb"]) == bare
