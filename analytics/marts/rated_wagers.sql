-- Rated wagers: those whose house edge is exact, as house_edges.toml says, and that were judged. Left out are
--   stakes that went back, as the round or the hand was void: nothing was won or lost on any cards
--   wagers placed after the close, and what was added to a stake then: who placed them may have seen cards; and a stake of which
--   nobody can say whether it was that one
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
-- not tell: it is one of those that are larger.
added AS (
    SELECT late.table_id, late.gaming_day, late.round, late.seat, late.player, sum(amount_minor) AS added_minor
    FROM late
    ANTI JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq) = (late.table_id, late.gaming_day, late.seq)
    GROUP BY ALL
),
raised AS (
    SELECT
        w.table_id, w.gaming_day, w.placed_seq, added_minor,
        count(*) OVER (PARTITION BY w.table_id, w.gaming_day, w.round, w.seat, w.player) AS stakes
    FROM added
    JOIN wagers AS w
        ON (w.table_id, w.gaming_day, w.round, w.seat) = (added.table_id, added.gaming_day, added.round, added.seat)
            AND w.player IS NOT DISTINCT FROM added.player AND w.stake_minor > added_minor
    WHERE w.wager <> 'raise' -- which is decided on the cards, and comes after the close
)
SELECT
    table_id, gaming_day, round, seat, regulation, wager,
    (stake_minor - coalesce(added_minor, 0))::BIGINT AS stake_minor,
    (due_minor * (stake_minor - coalesce(added_minor, 0)) // stake_minor)::BIGINT AS due_minor,
    edge_numerator, edge_denominator, variance, covariance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (table_id, gaming_day, regulation, wager)
ANTI JOIN chosen
    ON (chosen.table_id, chosen.gaming_day) = (wagers.table_id, wagers.gaming_day)
        AND chosen.wager IN (wagers.wager, 'all', 'hand') -- what is settled in one amount may be any of them
ANTI JOIN late ON (late.table_id, late.gaming_day, late.seq) = (wagers.table_id, wagers.gaming_day, wagers.placed_seq)
LEFT JOIN raised USING (table_id, gaming_day, placed_seq)
WHERE due_minor <> 0 AND wagers.status <> 'void' AND coalesce(stakes, 1) = 1
