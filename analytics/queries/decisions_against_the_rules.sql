-- Question: Who surrendered without the right to it, and what did the dealer take?
-- Ask: action=surrender
-- Purpose: decisions that the rules forbid, with the result of the seat; the message says which were not carried out.
-- Innocent: a signal read wrongly or recorded at the wrong hand; the dealer's other errors tell which.
-- Param: dealer text = none | one dealer only
-- Param: action text = none | one kind of decision only: hit, stand, double, split, surrender, ...
WITH seats AS (
    -- What was paid on a wager that was never placed is among it: a double without its stake may be paid all the same.
    SELECT table_id, gaming_day, round, seat, sum(paid_minor) AS paid_minor
    FROM payments
    GROUP BY table_id, gaming_day, round, seat
)
SELECT
    f.table_id, f.gaming_day, f.round, f.seq, d.seat, d.hand, d.action, d.player, d.dealer,
    f.code, f.article, f.message, r.currency, seats.paid_minor AS seat_net_minor
FROM findings AS f
JOIN decisions AS d USING (table_id, gaming_day, seq)
LEFT JOIN rounds AS r ON (r.table_id, r.gaming_day, r.round) = (d.table_id, d.gaming_day, d.round)
LEFT JOIN seats ON (seats.table_id, seats.gaming_day, seats.round, seats.seat)
    = (d.table_id, d.gaming_day, d.round, d.seat)
WHERE f.severity <> 'integrity'
    -- A dealer's breach found at a decision, such as a hole card not checked, names no seat and is left out, and so are those
    -- that name one; the order of decisions concerns the whole round.
    AND (f.seat = d.seat OR starts_with(f.code, 'DECISION_')) AND f.code NOT IN ('CARD_NOT_GIVEN', 'TOTAL_NOT_CALLED')
    AND ($first IS NULL OR f.gaming_day >= $first) AND ($last IS NULL OR f.gaming_day <= $last)
    AND ($dealer IS NULL OR d.dealer = $dealer)
    AND ($action IS NULL OR d.action = $action)
ORDER BY f.gaming_day, f.table_id, f.seq, f.code
