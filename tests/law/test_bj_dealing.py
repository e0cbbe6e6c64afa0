"""Black Jack: every regular round, whole (57/2009 arts. 2, 4, 5, 6(3)); single rounds are in ``cases/dealing.txt``."""

from __future__ import annotations

from itertools import combinations, product

from replayer.law.black_jack import GAME
from tests.law.notation import judge_round
from tests.law.rules import rules


def _regular(procedure, device, seats, later, new, faces, first_pass):
    """A round as the law wants it, written from arts. 2, 4 and 5; independent of the checks."""
    decks = 1 if device == "box" else 6
    face = {1: "-", 2: "+", 3: "-" if faces == "down" else "+"}[procedure]
    hidden = procedure == 3 or device == "box"
    words = []
    if new:
        words.append(f"shuffle:{'auto' if device == 'auto' else 'hand'}:{decks}")
        if device != "auto":
            words.append("cut:player")
        if device == "shoe":
            words.append("white:52")
        words += ["!-"] * decks
    elif later != "none":
        words.append("!-")
    words.append("nomore")
    one_pass = [f"{seat}{face}" for seat in seats]
    if hidden:
        words += [*one_pass, "B+", *one_pass, "B-"]
    elif first_pass:
        words += [*one_pass, "B+", *one_pass]
    else:
        words += [*one_pass, *one_pass, "B+"]
    words += [f"{seat}." for seat in seats]
    if hidden:
        words += ["B^", "B+"]
    else:
        words += ["!-"] if later == "round_start_and_bank_second" and not new else []
        words.append("B+")
    words += [f"{seat}^" for seat in seats] if face == "-" else []
    return " ".join([*words, "pay", "end"])


def test_no_regular_round_is_found_fault_with():
    laters = ("none", "round_start", "round_start_and_bank_second")
    rounds = 0
    for procedure, device, later, new, faces, first_pass in product(
        (1, 2, 3), ("shoe", "auto", "box"), laters, (True, False), ("up", "down"), (True, False)
    ):
        if device == "box" and (procedure == 2 or later != "none" or not new):
            continue
        for count in range(1, 4):
            for seats in combinations((1, 2, 5, 7), count):
                words = _regular(procedure, device, seats, later, new, faces, first_pass)
                settings = {"deal_procedure": str(procedure), "device": device, "burn_later": later}
                if device == "box":
                    settings |= {"decks": "1"}
                    del settings["burn_later"]
                if procedure == 3:
                    settings["p3_player_faces"] = faces
                found = judge_round(GAME, f"w:{','.join(map(str, seats))} {'fresh ' * new}{words}", rules(**settings))
                assert not found.breaches, (settings, words)
                rounds += 1
    assert rounds == (3 * 2 * 3 * 2 * 2 * 2 + 2 * 1 * 1 * 1 * 2 * 2) * 14
