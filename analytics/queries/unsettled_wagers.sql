-- Purpose: wagers that were never settled on the log, among them losers that may not have been collected.
-- Innocent: a settlement that the table system missed; the table's inventory variance tells whether chips moved.
-- Param: first date = none | first gaming day
-- Param: last date = none | last gaming day
-- Param: min_stake_minor int = 0 | least stake in minor units
SELECT
    table_id, gaming_day, round, seat, hand, wager, player, dealer, placed_seq AS seq, stake_minor, due_minor, article,
    i.inventory_variance_minor
FROM wagers
LEFT JOIN inventory_variance AS i USING (table_id, gaming_day)
WHERE (
        status = 'unsettled'
        OR (table_id, gaming_day, placed_seq) IN (
            SELECT (table_id, gaming_day, seq) FROM findings WHERE code = 'WAGER_UNSETTLED'
        )
    )
    AND stake_minor >= $min_stake_minor
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
ORDER BY stake_minor DESC, gaming_day, table_id, placed_seq
