-- Settlement causes: the payments, and the wagers without one, that make up the settlement gap; their effects add up to it exactly.
--   error     paid another amount than was due
--   nothing   paid for a wager that was never placed
--   unmatched paid for a wager that cannot be identified, as events are missing
--   unsettled due, and never settled
--   untold    due, and perhaps settled in events that are missing
--   unjudged  paid, but the due is unknown
--   rounding  due a fraction of a minor unit, and paid the nearest amount in chips
-- Unit: minor units; effect_minor is what the payment, or its lack, adds to the gap.  Grain: settlement, or wager without one.
-- corrected_by is a correction of the payment entered after the books were closed: it changes nothing.
SELECT
    settlements.* EXCLUDE (for_nothing, unmatched, currency), corrected_by,
    CASE
        WHEN for_nothing THEN 'nothing'
        WHEN unmatched THEN 'unmatched'
        WHEN paid_minor IS NULL AND never_settled THEN 'unsettled'
        WHEN paid_minor IS NULL THEN 'untold'
        WHEN due_minor IS NULL THEN 'unjudged'
        WHEN delta_minor <> 0 THEN 'error'
        ELSE 'rounding'
    END AS cause,
    coalesce(due_minor, 0) - coalesce(paid_minor, 0) AS effect_minor
FROM (
    FROM payments
    UNION ALL
    SELECT
        table_id, gaming_day, round, seat, hand, wager, player, dealer, placed_seq, epoch_us(placed_at), stake_minor,
        NULL, due_minor, due_exact, NULL, article, rulings, reason, false, false, currency
    FROM wagers
    WHERE status = 'unsettled'
) AS settlements
JOIN table_days USING (table_id, gaming_day)
LEFT JOIN (
    SELECT table_id, gaming_day, seq, true AS never_settled
    FROM findings
    WHERE code = 'WAGER_UNSETTLED'
) USING (table_id, gaming_day, seq)
LEFT JOIN (
    SELECT table_id, gaming_day, seq, min(corrected_by) AS corrected_by
    FROM findings
    WHERE corrected_by IS NOT NULL
    GROUP BY table_id, gaming_day, seq
) USING (table_id, gaming_day, seq)
WHERE coalesce(paid_minor, 0) <> coalesce(due_minor, 0) AND (settlements.currency <> table_days.currency) IS NOT TRUE
