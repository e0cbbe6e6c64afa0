-- Settlement causes: the payments that make up the settlement gap; their effects add up to it exactly.
--   error     paid another amount than was due
--   nothing   paid for a wager that was never placed
--   unmatched paid for a wager that cannot be identified, as events are missing
--   unjudged  paid, but the due is unknown
--   rounding  due a fraction of a minor unit, and paid the nearest amount in chips
-- Unit: minor units; effect_minor is what the payment adds to the gap.  Grain: settlement.
-- corrected_by is a correction of the payment entered after the books were closed: it changes nothing.
SELECT
    payments.* EXCLUDE (for_nothing, unmatched, currency), corrected_by,
    CASE
        WHEN for_nothing THEN 'nothing'
        WHEN unmatched THEN 'unmatched'
        WHEN due_minor IS NULL THEN 'unjudged'
        WHEN delta_minor <> 0 THEN 'error'
        ELSE 'rounding'
    END AS cause,
    coalesce(due_minor, 0) - paid_minor AS effect_minor
FROM payments
JOIN table_days USING (table_id, gaming_day)
LEFT JOIN (
    SELECT table_id, gaming_day, seq, min(corrected_by) AS corrected_by
    FROM findings
    WHERE corrected_by IS NOT NULL
    GROUP BY table_id, gaming_day, seq
) USING (table_id, gaming_day, seq)
WHERE paid_minor <> coalesce(due_minor, 0) AND (payments.currency <> table_days.currency) IS NOT TRUE
