-- Purpose: wagers that were never settled on the log, among them losers that may not have been collected, with the variance of the chips in the books of each.
-- Innocent: a settlement that the table system missed; the table's inventory variance tells whether chips moved.
-- Param: min_stake_minor int = 0 | least stake in minor units
SELECT
    w.table_id, w.gaming_day, round, seat, hand, wager, player, dealer, placed_seq AS seq, w.currency, stake_minor, due_minor, article,
    -- Of the books of the wager: a table may be opened again, also for another currency.
    b.inventory_variance_minor
FROM wagers AS w
LEFT JOIN books AS b
    ON (b.table_id, b.gaming_day) = (w.table_id, w.gaming_day) AND b.currency IS NOT DISTINCT FROM w.currency
        AND (opened_seq IS NULL OR placed_seq > opened_seq) AND (closed_seq IS NULL OR placed_seq < closed_seq)
WHERE (
        status = 'unsettled'
        OR (w.table_id, w.gaming_day, placed_seq) IN (
            SELECT (table_id, gaming_day, seq) FROM findings WHERE code = 'WAGER_UNSETTLED'
        )
    )
    AND stake_minor >= $min_stake_minor
    AND ($first IS NULL OR w.gaming_day >= $first) AND ($last IS NULL OR w.gaming_day <= $last)
ORDER BY stake_minor DESC, w.gaming_day, w.table_id, placed_seq
