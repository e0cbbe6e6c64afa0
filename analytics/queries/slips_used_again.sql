-- Purpose: fills and credits on a slip number that was already in use on the gaming day (at table_before), with the variance of the chips in the books of the later one. The log does not say whose a series is: it is taken as each table's own where two numbers in a row stand at several tables, or no two tables have numbers that stand at one table only; else as the property's, in which a number is used once.
-- Innocent: a slip entered twice, of which the chips moved once: the books then vary by its amount; where they agree, chips moved twice on one slip, or two pads bear the same numbers.
WITH used AS (
    SELECT
        s.*, lag(s.table_id) OVER one_slip AS table_before, lag(s.seq) OVER one_slip AS seq_before,
        lag(s.amount_minor) OVER one_slip AS amount_before_minor
    FROM slips AS s
    LEFT JOIN slip_numbers AS n USING (table_id, gaming_day, seq)
    WHERE s.stands IS DISTINCT FROM false AND s.slip IS NOT NULL
        AND ($first IS NULL OR s.gaming_day >= $first) AND ($last IS NULL OR s.gaming_day <= $last)
    WINDOW one_slip AS (
        PARTITION BY s.gaming_day, s.kind, s.slip, CASE WHEN coalesce(n.of_each_table, true) THEN s.table_id END
        ORDER BY s."at", s.table_id, s.seq
    )
)
SELECT
    u.table_id, u.gaming_day, u.seq, u.kind, u.slip, u.dealer, u.currency, u.amount_minor,
    u.table_before, u.seq_before, u.amount_before_minor, b.inventory_variance_minor
FROM used AS u
LEFT JOIN books AS b ON (b.table_id, b.gaming_day, b.stretch) = (u.table_id, u.gaming_day, coalesce(u.stretch, 1))
WHERE u.seq_before IS NOT NULL
ORDER BY u.amount_minor DESC NULLS LAST, u.gaming_day, u.table_id, u.seq
