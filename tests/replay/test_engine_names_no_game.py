"""The engine names no game, no wager kind and no decision of one: those are facts of each game's record. It imports none.

Nor do the verdicts, but for the descriptions of the lake's columns, or the explanation.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

import replayer.engine
import replayer.explanation
import replayer.verdicts
from replayer.contract.game import Game
from replayer.law.calendar import games
from schemas.event import BODY_TYPES

ROOT = Path(__file__).parents[2]
MODULES = [
    *sorted(Path(*replayer.engine.__path__).glob("*.py")),
    *sorted(each for each in Path(*replayer.verdicts.__path__).glob("*.py") if each.stem != "tables"),
    Path(replayer.explanation.__file__),
]


def words_of(game: Game) -> Iterator[str]:
    """A game's name, its wager kinds and the decisions in its record."""
    kinds, actions, shared = game.wagers, game.actions, game.shared_seats
    yield game.name
    yield from kinds.base | kinds.seat | kinds.play | kinds.first_cards | kinds.carried | kinds.settled_alone
    yield from actions.timed | actions.aside | actions.standing | actions.separating | actions.closing
    yield from shared.claims | shared.followed if shared else ()


FIELDS = {field.name for body in BODY_TYPES.values() for field in fields(body)}
"""What events have in any game, such as a player, though a game may call a wager so."""
WORDS = {word.replace("_", " ") for game in games().values() for word in words_of(game)} - FIELDS
NAMED = re.compile(rf"\b({'|'.join(sorted(WORDS))})\b", re.IGNORECASE)


def named_in(source: str) -> set[str]:
    """The words in a module's texts and docstrings; an ordinary verb counts only where it is the whole text."""
    constants = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    texts = [" ".join(text.replace("_", " ").split()) for text in constants if isinstance(text, str)]
    return {word for text in texts for word in NAMED.findall(text) if word != "stand" or text == word}


def test_the_words_are_those_of_every_game() -> None:
    assert {"black jack", "fortune 3 card poker", "insurance", "split", "stand", "surrender", "ante", "fold"} <= WORDS
    assert named_in('if kind == "insurance":\n    """Even money."""') == {"insurance", "Even money"}
    assert named_in('"""A second card of Black\n    Jack."""') == {"Black Jack"}
    assert named_in('"""What stands may stand."""\nsome = action == "stand"') == {"stand"}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_a_module_of_the_engine_names_none_of_them(module: Path) -> None:
    assert named_in(module.read_text()) == set()


def test_no_game_may_be_imported() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (forbidden,) = [each["forbidden_modules"] for each in contracts if each["name"] == "The engine names no game"]
    assert {*forbidden} == {f"replayer.law.{name}" for name in games()}
