-- Purpose: wagers settled at another stake than they were placed at, won and lost apart.
-- Innocent: chips miscounted at either moment go up as often as down; up on winners and down on losers is the exception.
SELECT
    f.table_id, f.gaming_day, f.round, f.seq, w.seat, w.player, w.dealer, w.wager, w.currency, w.stake_minor, w.paid_minor,
    CASE WHEN w.paid_minor > 0 THEN 'won' WHEN w.paid_minor < 0 THEN 'lost' ELSE 'neither' END AS result,
    f.message
FROM findings AS f
LEFT JOIN wagers AS w ON (w.table_id, w.gaming_day, w.settled_seq) = (f.table_id, f.gaming_day, f.seq)
WHERE f.code = 'STAKE_CHANGED'
    AND ($first IS NULL OR f.gaming_day >= $first) AND ($last IS NULL OR f.gaming_day <= $last)
ORDER BY f.gaming_day, f.table_id, f.seq
