-- Purpose: settlements of wagers that were never placed, by dealer.
-- Innocent: a wager that the table system missed when it was placed, or a settlement recorded twice.
-- Param: min_minor int = 1 | least amount, in either direction, in minor units
SELECT table_id, gaming_day, round, seat, player, dealer, seq, currency, paid_minor, remark
FROM payments
WHERE for_nothing AND abs(paid_minor) >= $min_minor
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
ORDER BY dealer NULLS LAST, gaming_day, table_id, seq
