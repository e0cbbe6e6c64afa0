-- Question: Who bets after the bets were closed?
-- Purpose: wagers placed after the bets were closed, and what became of them.
-- Innocent: a close called before a player's hand was off the chips, or a close recorded early; look at seconds_late.
-- Param: min_seconds number = 0 | least time after the close, by the table's clock; what has none is always listed
SELECT
    -- From the finding: a wager that adds to a stake has no row of its own.
    f.table_id, f.gaming_day, f.round, f.seq, f.seat, f.player, f.dealer, w.wager, r.currency, f.amount_minor AS stake_minor,
    -- Null where it is unknown: no close was recorded, or the first card, dealt before it, was the close.
    CASE WHEN f."at" >= r.closed_at THEN (epoch_us(f."at") - epoch_us(r.closed_at)) / 1e6 END AS seconds_late,
    w.paid_minor, f.article, f.message
FROM findings AS f
LEFT JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq) = (f.table_id, f.gaming_day, f.seq)
LEFT JOIN rounds AS r ON (r.table_id, r.gaming_day, r.round) = (f.table_id, f.gaming_day, f.round)
WHERE f.code = 'WAGER_AFTER_CLOSE'
    AND ($first IS NULL OR f.gaming_day >= $first) AND ($last IS NULL OR f.gaming_day <= $last)
    AND (seconds_late IS NULL OR seconds_late >= $min_seconds)
ORDER BY f.gaming_day, f.table_id, f.seq
