-- Purpose: fills and credits on a slip number that was already in use at the table on the gaming day, with the variance of the chips in their books.
-- Innocent: a slip entered twice, of which the chips moved once: the books then vary by its amount; where they agree, chips moved twice on one slip, or two pads bear the same numbers.
WITH used AS (
    SELECT *, lag(seq) OVER one_slip AS seq_before, lag(amount_minor) OVER one_slip AS amount_before_minor
    FROM slips
    WHERE stands IS DISTINCT FROM false AND slip IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    WINDOW one_slip AS (PARTITION BY table_id, gaming_day, kind, slip ORDER BY seq)
)
SELECT
    u.table_id, u.gaming_day, u.seq, u.kind, u.slip, u.dealer, u.currency, u.amount_minor,
    u.seq_before, u.amount_before_minor, b.inventory_variance_minor
FROM used AS u
LEFT JOIN books AS b ON (b.table_id, b.gaming_day, b.stretch) = (u.table_id, u.gaming_day, coalesce(u.stretch, 1))
WHERE u.seq_before IS NOT NULL
ORDER BY u.amount_minor DESC NULLS LAST, u.gaming_day, u.table_id, u.seq
