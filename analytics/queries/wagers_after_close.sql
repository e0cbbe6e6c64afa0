-- Question: Who bets after the bets were closed?
-- Purpose: wagers placed after the bets were closed, and what became of them: chips laid on a stake and settled with it have what the whole stake (whole_minor) was paid.
-- Innocent: a close called before a player's hand was off the chips, or a close recorded early; look at seconds_late.
-- Param: min_seconds number = 0 | least time after the close, by the table's clock; what has none is always listed
SELECT
    l.table_id, l.gaming_day, l.round, l.seq, l.seat, l.player, l.dealer, w.wager, r.currency, l.amount_minor AS stake_minor,
    -- Null where it is unknown: no close was recorded, or the first card, dealt before it, was the close.
    CASE WHEN l."at" >= r.closed_at THEN (epoch_us(l."at") - epoch_us(r.closed_at)) / 1e6 END AS seconds_late,
    w.stake_minor AS whole_minor, w.paid_minor, l.article, l.message
FROM late_wagers AS l
LEFT JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq) = (l.table_id, l.gaming_day, l.placed_seq)
LEFT JOIN rounds AS r ON (r.table_id, r.gaming_day, r.round) = (l.table_id, l.gaming_day, l.round)
WHERE ($first IS NULL OR l.gaming_day >= $first) AND ($last IS NULL OR l.gaming_day <= $last)
    AND (seconds_late IS NULL OR seconds_late >= $min_seconds)
ORDER BY l.gaming_day, l.table_id, l.seq
