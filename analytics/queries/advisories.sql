-- Purpose: every advisory by itself; the table-day has one finding for all of a code, which says how many these are.
-- Innocent: an advisory is no fault: it says how sure an amount is, or what the log does not show.
-- Param: code text = none | only this code, LAW_TEXT_UNVERIFIED say
-- Param: table text = none | only this table
SELECT
    a.table_id, a.gaming_day, a.round, a.seq, a.seat, a.code, w.wager,
    -- The dealer of a wager's settlement; where no wager is concerned, who is named and who dealt at the event.
    CASE WHEN w.placed_seq IS NULL THEN a.player ELSE w.player END AS player,
    CASE WHEN w.placed_seq IS NULL THEN a.dealer ELSE w.dealer END AS dealer,
    r.currency, a.stake_minor, w.due_minor, a.article, a.message
FROM advisories AS a
-- An advisory on a round that begins with a wager concerns no seat.
LEFT JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq, w.seat) = (a.table_id, a.gaming_day, a.seq, a.seat)
LEFT JOIN rounds AS r ON (r.table_id, r.gaming_day, r.round) = (a.table_id, a.gaming_day, a.round)
WHERE ($first IS NULL OR a.gaming_day >= $first) AND ($last IS NULL OR a.gaming_day <= $last)
    AND ($code IS NULL OR a.code = $code) AND ($table IS NULL OR a.table_id = $table)
ORDER BY a.gaming_day, a.table_id, a.seq, a.code
