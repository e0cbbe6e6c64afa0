-- Rated wagers: those whose house edge is exact, as house_edges.toml says, and that were judged. Left out are
--   stakes that went back, as the round or the hand was void: nothing was won or lost on any cards
--   wagers placed after the close: who placed them may have seen cards
-- A fold beside a Pair Plus, which 97/2008 art. 9(3) forbids, may give one up that would have won; it is among them, is
-- found (F3_FOLD_FORBIDDEN), and is shown beside the luck.
-- Unit: minor units, variance and covariance of one unit staked.  Grain: wager.
SELECT
    table_id, gaming_day, round, seat, regulation, wager, stake_minor, due_minor,
    edge_numerator, edge_denominator, variance, covariance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (table_id, gaming_day, regulation, wager)
WHERE due_minor <> 0 AND wagers.status <> 'void'
    AND NOT EXISTS (
        FROM findings AS f
        WHERE (f.table_id, f.gaming_day) = (wagers.table_id, wagers.gaming_day)
            AND f.code = 'WAGER_AFTER_CLOSE' AND f.seq = wagers.placed_seq
    )
