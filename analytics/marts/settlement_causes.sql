-- Settlement causes: the payments that the settlement gap is made of; their effects add up to it exactly.
--   error     paid something else than was due
--   nothing   paid for a wager that was never placed
--   unmatched paid for a wager that cannot be told, as events are missing
--   unjudged  paid, but what was due could not be said
--   rounding  due a part of a minor unit, and paid as near to it as chips come
-- Unit: minor units; effect_minor is what the payment adds to the gap.  Grain: settlement.
SELECT
    * EXCLUDE (for_nothing, unmatched),
    CASE
        WHEN for_nothing THEN 'nothing'
        WHEN unmatched THEN 'unmatched'
        WHEN due_minor IS NULL THEN 'unjudged'
        WHEN delta_minor <> 0 THEN 'error'
        ELSE 'rounding'
    END AS cause,
    coalesce(due_minor, 0) - paid_minor AS effect_minor
FROM payments
WHERE paid_minor <> coalesce(due_minor, 0)
