"""Black Jack settled a second time: the one second body of the rules that there may be, and only to be compared.

Written from the articles of 57/2009, 56/2004, 42/2007 and 141/2000 and from the default reading of each doubtful text,
without a look at how the program does it, and kept as plain as the articles are. It knows no log: what it takes is what
a bystander could write down of one seat, the bank's cards, and what the house chose. Every answer is a multiple of the
wager's own stake (+3/2, 0, -1), or None where neither the law nor the cards say what is due.

Article numbers are those of 57/2009; 141/2000 says the same of Black Jack, ties and insurance in its arts. 6 to 8.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

V2000, V2004, V2007, V2009 = "141/2000", "56/2004", "42/2007", "57/2009"

LOST, RETURNED, EVEN = Fraction(-1), Fraction(0), Fraction(1)
HALF = Fraction(1, 2)

Dues = dict[tuple[int, str], Fraction | None]
"""What each wager of a seat is due, by hand and kind: ``(0, "main")``, ``(1, "split")``, ``(0, "double")`` ..."""


@dataclass
class House:
    """The version in force and what the house chose under it."""

    version: str = V2009
    soft17: str = ""
    modes: frozenset[str] = frozenset({"first_two", "split_first_two"})
    offers_double_relief: bool = False
    special_prizes: bool = True
    hidden_card_checked: bool = False
    unseen_card_may_be_valid: bool = False


@dataclass
class Request:
    """Surrender, even money or half for five cards, as it was asked for and accepted.

    ``cards`` are those that the hand had by then; ``stood`` and ``doubled`` whether it had; ``bank_open`` and ``bank_checked``
    whether the bank's second card lay open or had been looked at.
    """

    what: str
    cards: list[str]
    stood: bool
    doubled: bool
    bank_open: bool
    bank_checked: bool


@dataclass
class Hand:
    """A hand: its cards in the order received (a separated card first) and what was asked for on it, in order.

    ``opening`` are its first two cards, or those since it was last separated, whatever became of them; ``doubled_with`` is
    the number of its cards when it was doubled, 0 where it was not. ``of_aces`` is whether it is one of two aces that were
    separated: arts. 6(4)(3), 16(3) and 17(1)(2) speak of separating two aces, not of an ace that came from other cards.
    """

    cards: list[str]
    opening: list[str] = field(default_factory=list)
    split: bool = False
    of_aces: bool = False
    doubled_with: int = 0
    requests: list[Request] = field(default_factory=list)


@dataclass
class Seat:
    """A seat in a round. ``after_split`` is the card that it got next after separating its first two.

    ``sides`` are additional wagers on the seat, ``pairs_on`` the hands on which "any pair" was staked anew after a separation,
    each with the two cards that it had next.
    """

    first: list[str]
    hands: list[Hand]
    after_split: str = ""
    insured: bool = False
    sides: list[str] = field(default_factory=list)
    pairs_on: list[tuple[int, list[str]]] = field(default_factory=list)


# Art. 8


def worth(card: str) -> int:
    """Figures ten, others their pips, the ace one."""
    rank = card[0]
    return 1 if rank == "A" else 10 if rank in "TJQK" else int(rank)


def points(cards: list[str]) -> int:
    """An ace is eleven where that does not go over 21."""
    total = sum(worth(card) for card in cards)
    return total + 10 if any(card[0] == "A" for card in cards) and total + 10 <= 21 else total


def is_black_jack(cards: list[str]) -> bool:
    """Art. 10(1), 10(4): an ace and a ten or a figure, in two cards."""
    return len(cards) == 2 and points(cards) == 21


def natural(hand: Hand) -> bool:
    """Art. 10(1), 10(6): not on bets that were separated."""
    return not hand.split and is_black_jack(hand.cards)


# Art. 6(1), 6(6)


def bank_must_draw(cards: list[str], house: House) -> bool:
    """To 16; since 2007 also on ace and six, if the house did not choose to stand there (BJ-1, BJ-3, BJ-4)."""
    if len(cards) < 2 or points(cards) <= 16:
        return True
    ace_and_six = len(cards) == 2 and {card[0] for card in cards} == {"A", "6"}
    return ace_and_six and house.version in (V2007, V2009) and house.soft17 != "stand"


def bank_hand(dealt: list[str], house: House) -> list[str]:
    """What counts of the cards that the bank took; one not taken is not there (X-5).

    A card taken wrongly is void; the house may hold one that was not shown valid, but as the shoe's next card (BJ-7).
    """
    hand: list[str] = []
    for card in dealt:
        if not bank_must_draw(hand, house):
            break
        hand.append(card)
    return hand


# Arts. 10(3), 15, 18, 19: hands that are settled whatever the bank gets


def closed(hand: Hand, bank: list[str], house: House) -> Fraction | None:
    """What a hand is due that does not wait for the bank; None for one that does.

    The first request that counts ends the hand, and none counts on a doubled one; who stood has played his hand and cannot
    surrender it any more (art. 18(2)), while arts. 10(3) and 19(1) know no end but the bank's second card (BJ-14, BJ-70a). All of
    them must be due by the article that gives them (arts. 10(3), 18(1), 19(2)); by how many cards at other seats a surrender was
    too late makes no difference (BJ-66).
    """
    up = bank[0][0]
    for request in hand.requests:
        if request.doubled or points(request.cards) > 21:
            continue
        known = request.bank_open or request.bank_checked
        if request.what == "surrender":
            played_on = request.stood or len(request.cards) != 2 or hand.split
            if up == "A" or played_on or request.bank_open:  # no right to half: as the cards stand
                continue
            too_early = house.hidden_card_checked and up in "ATJQK" and not request.bank_checked  # BJ-67
            if too_early and is_black_jack(bank[:2]):
                return None
            return -HALF
        if (
            request.what == "even_money"
            and not hand.split
            and is_black_jack(request.cards)
            and up in "ATJQK"
            and not known
        ):
            return EVEN  # BJ-14
        five = len(request.cards) == 5 and points(request.cards) <= 21
        if request.what == "five_card_half" and five and up != "A" and not request.bank_open:
            return HALF  # BJ-69, BJ-70
    if house.special_prizes and earns_special_prize(hand.cards[:3]):
        # BJ-55: in place of the main win, and at once: no card dealt afterwards takes it back. BJ-57: on split hands and
        # doubled ones as well.
        return Fraction(3)
    return None


def earns_special_prize(cards: list[str]) -> bool:
    """Art. 15: six, seven and eight of one suit, or three sevens."""
    ranks = sorted(card[0] for card in cards)
    return ranks == ["7", "7", "7"] or (ranks == ["6", "7", "8"] and len({card[1] for card in cards}) == 1)


# Arts. 7, 9, 10, 11, 12, 16, 17: the main wager and the stakes added to it


def double_mode(hand: Hand, house: House) -> str:
    """Art. 17(1): in which mode a hand was doubled; empty where in none.

    Without authorisation it is the mode of its cards (X-3); on more than two cards, or on split aces in 2009, it is none.
    """
    if hand.doubled_with > 2:
        return ""
    if hand.split:
        return "" if hand.of_aces and house.version == V2009 else "split_first_two"
    two = hand.cards[:2]
    eleven = sum(worth(card) for card in two) == 11 and not is_black_jack(two) and "eleven" in house.modes  # BJ-65
    return "eleven" if eleven and "first_two" not in house.modes else "first_two"


def stakes_of(number: int, hand: Hand) -> list[tuple[int, str]]:
    """The wagers that ride on a hand."""
    first = (number, "main" if number == 0 else "split")
    return [first, (number, "double")] if hand.doubled_with else [first]


def play_dues(seat: Seat, dealt: list[str], house: House) -> Dues:
    """Main wager, splits and doubles of a seat."""
    dues: Dues = {}
    bank = bank_hand(dealt, house)
    live: list[tuple[int, Hand]] = []
    bust: list[tuple[int, Hand]] = []
    for number, hand in enumerate(seat.hands):
        due = closed(hand, dealt, house)
        if due is not None:
            dues |= dict.fromkeys(stakes_of(number, hand), due)
        elif points(hand.cards) > 21:  # art. 7(2): whatever the bank gets
            dues |= dict.fromkeys(stakes_of(number, hand), LOST)
            bust.append((number, hand))
        else:
            live.append((number, hand))
    if is_black_jack(bank):
        return dues | against_black_jack(live, bust, house)
    for number, hand in live:
        dues |= dict.fromkeys(stakes_of(number, hand), against_points(hand, bank))
    return dues


def against_points(hand: Hand, bank: list[str]) -> Fraction | None:
    """A hand not over 21 against a bank without Black Jack."""
    if len(bank) < 2:
        no_chance = worth(bank[0]) not in (1, 10)
        return Fraction(3, 2) if natural(hand) and no_chance else None
    if natural(hand):
        return Fraction(3, 2)  # art. 10(2), 10(5)
    own, other = points(hand.cards), points(bank)
    if other > 21 or own > other:
        return EVEN  # arts. 9, 10(4), X-4
    return LOST if own < other else RETURNED  # arts. 9, 11(1)(2)


def may_come_back(stake: tuple[int, str], hand: Hand, house: House) -> bool:
    """Whether a stake is one that arts. 10(7), 16(6) or 17(3) spare against the bank's Black Jack."""
    if stake[1] == "double" and house.offers_double_relief and house.version != V2000:
        return True
    if house.version not in (V2007, V2009):  # BJ-75
        return False
    return stake[1] == "split" or (
        stake[1] == "double" and double_mode(hand, house) in ("first_two", "split_first_two")
    )


def against_black_jack(live: list[tuple[int, Hand]], bust: list[tuple[int, Hand]], house: House) -> Dues:
    """Art. 12(2): the bank collects from hands without Black Jack; but only the initial bet where a stake is spared."""
    dues: Dues = {(number, "main"): RETURNED for number, hand in live if natural(hand)}  # art. 11(1)(1)
    losing = [(stake, hand) for number, hand in live if not natural(hand) for stake in stakes_of(number, hand)]
    for stake, hand in losing:
        dues[stake] = RETURNED if may_come_back(stake, hand, house) else LOST
    if house.version in (V2007, V2009):  # the initial bet is lost once: what has bust counts towards it (BJ-12)
        gone = [(stake, hand) for number, hand in bust for stake in stakes_of(number, hand)]
        once = [stake for stake, hand in losing if stake == (0, "main") or may_come_back(stake, hand, house)]
        already = any(stake == (0, "main") or may_come_back(stake, hand, house) for stake, hand in gone)
        for stake in once:
            dues[stake] = RETURNED if already else LOST
            already = True
    return dues


# Art. 12


def insurance_due(dealt: list[str], house: House) -> Fraction | None:
    """Two to one where the bank has Black Jack under an ace, lost where it has not."""
    if dealt[0][0] != "A":
        return None
    bank = bank_hand(dealt, house)
    if len(bank) < 2:
        return None
    return Fraction(2) if is_black_jack(bank) else LOST


# Arts. 13, 14


def side_due(kind: str, cards: list[str], next_card: str, house: House) -> Fraction | None:
    """An additional wager on two cards, and for sevens on the one that came next after these were separated.

    None for a wager that the version does not have.
    """
    if house.version == V2000 or (kind == "perfect_pair" and house.version != V2009):
        return None
    (rank1, suit1), (rank2, suit2) = cards
    pair = rank1 == rank2
    colours = {suit in "hd" for suit in suit1 + suit2}
    total = worth(cards[0]) + worth(cards[1])
    odds = -1
    if kind == "any_pair" and pair:
        odds = 11
    elif kind == "perfect_pair" and pair:
        odds = 25 if suit1 == suit2 else 12 if len(colours) == 1 else 5  # BJ-44
    elif kind == "sevens" and rank1 == rank2 == "7":
        odds = 150 if suit1 == suit2 else 50
        if next_card[:1] == "7":  # BJ-39, BJ-40, BJ-41
            odds = 5000 if suit1 == suit2 == next_card[1] else 500
    elif (kind == "over_13" and total > 13) or (kind == "under_13" and total < 13):
        odds = 1  # BJ-43
    return Fraction(odds)


def settle(seat: Seat, dealt: list[str], house: House) -> Dues:
    """What every wager of a seat is due. ``dealt`` are the bank's cards in the order it took them, the open one first."""
    dues = play_dues(seat, dealt, house)
    if seat.insured:
        dues[0, "insurance"] = insurance_due(dealt, house)
    for kind in seat.sides:
        dues[0, kind] = side_due(kind, seat.first, seat.after_split, house)
    for number, cards in seat.pairs_on:
        dues[number, "any_pair"] = side_due("any_pair", cards, "", house)  # BJ-38
    return dues


# Arts. 11(2), 13(5), 14(5), 16(7), 18(3): winning streaks

STREAK_PAYS = {2: 3, 3: 8, 4: 18, 5: 38}


def round_result(seat: Seat, dealt: list[str], house: House) -> str:
    """How a seat's round counts for its streaks: W won, L lost, S given up, T neither."""
    if any(closed(hand, dealt, house) == -HALF for hand in seat.hands):
        return "S"
    dues = play_dues(seat, dealt, house)
    bank = bank_hand(dealt, house)
    balance = 0
    for number, hand in enumerate(seat.hands):
        due = dues[stakes_of(number, hand)[0]]
        assert due is not None, "nobody can tell who won"
        beaten = is_black_jack(bank) and not natural(hand) and closed(hand, dealt, house) is None
        balance += -1 if beaten or due < 0 else 1 if due > 0 else 0
    return "W" if balance > 0 else "L" if balance < 0 else "T"


def streak_due(rounds: int, results: str) -> Fraction | None:
    """What a streak wager is due after ``results``, one letter a round from the one it was placed before; None: it runs.

    Beside the letters of ``round_result``: A the player did not bet (BJ-51), a small letter or E that he bet on other seats
    only (BJ-46), V void (BJ-54), C the table was closed.
    """
    won = 0
    for letter in results:
        if letter == "W":
            won += 1
        if won == rounds:
            return Fraction(STREAK_PAYS[rounds])
        if letter in "LSAE" or letter.islower():
            return LOST
        if letter == "C":
            return RETURNED
    return None
