-- Rated wagers: those whose house edge is exact, as house_edges.toml says, and that were judged. Left out are
--   stakes that went back, as the round or the hand was void: nothing was won or lost on any cards
--   wagers placed after the close: who placed them may have seen cards
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
)
SELECT
    table_id, gaming_day, round, seat, regulation, wager, stake_minor, due_minor,
    edge_numerator, edge_denominator, variance, covariance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (table_id, gaming_day, regulation, wager)
ANTI JOIN chosen
    ON (chosen.table_id, chosen.gaming_day) = (wagers.table_id, wagers.gaming_day)
        AND chosen.wager IN (wagers.wager, 'all', 'hand') -- what is settled in one amount may be any of them
WHERE due_minor <> 0 AND wagers.status <> 'void'
    AND NOT EXISTS (
        FROM findings AS f
        WHERE (f.table_id, f.gaming_day) = (wagers.table_id, wagers.gaming_day)
            AND f.code = 'WAGER_AFTER_CLOSE' AND f.seq = wagers.placed_seq
    )
