-- Rated wagers: those whose house edge is exact, as house_edges.toml says, and that were judged. Left out are
--   stakes that went back, as the round or the hand was void: nothing was won or lost on any cards
--   wagers placed after the close, and what was added to a stake then: who placed them may have seen cards
--   all of a table-day where the cards of one are not told, though its round is whole: which hands a log shows may hang on
--   what they were, and of those that it shows nobody can say what the house had to expect
-- A fold beside a Pair Plus, which 97/2008 art. 9(3) forbids, may give one up that would have won; it is among them, is
-- found (F3_FOLD_FORBIDDEN), and is shown beside the luck.
-- Unit: minor units, variance and covariance of one unit staked.  Grain: wager.
WITH chosen AS (
    SELECT DISTINCT table_id, gaming_day, wager
    FROM wagers
    JOIN rounds USING (table_id, gaming_day, round)
    WHERE due_minor IS NULL AND rounds.status NOT IN ('incomplete', 'unjudged')
),
late AS (
    SELECT table_id, gaming_day, round, seat, player, seq, amount_minor
    FROM findings
    WHERE code = 'WAGER_AFTER_CLOSE'
),
-- What was added to a stake has no row of its own among the wagers. Which of the bettor's stakes it is part of, the lake does
-- not tell: it is taken for one of any that is larger.
added AS (
    SELECT late.table_id, late.gaming_day, late.round, late.seat, late.player, sum(amount_minor) AS added_minor
    FROM late
    ANTI JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq) = (late.table_id, late.gaming_day, late.seq)
    GROUP BY ALL
)
SELECT
    table_id, gaming_day, round, wagers.seat, regulation, wager,
    (wagers.stake_minor - coalesce(added_minor, 0))::BIGINT AS stake_minor,
    (due_minor * (wagers.stake_minor - coalesce(added_minor, 0)) // wagers.stake_minor)::BIGINT AS due_minor,
    edge_numerator, edge_denominator, variance, covariance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (table_id, gaming_day, regulation, wager)
ANTI JOIN chosen
    ON (chosen.table_id, chosen.gaming_day) = (wagers.table_id, wagers.gaming_day)
        AND chosen.wager IN (wagers.wager, 'all', 'hand') -- what is settled in one amount may be any of them
ANTI JOIN late ON (late.table_id, late.gaming_day, late.seq) = (wagers.table_id, wagers.gaming_day, wagers.placed_seq)
LEFT JOIN added
    ON (added.table_id, added.gaming_day, added.round, added.seat) = (wagers.table_id, wagers.gaming_day, wagers.round, wagers.seat)
        AND added.player IS NOT DISTINCT FROM wagers.player AND added_minor < wagers.stake_minor
WHERE due_minor <> 0 AND wagers.status <> 'void'
