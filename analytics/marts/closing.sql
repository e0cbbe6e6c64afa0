-- Closing: the table inventory counted when the table first closed. Nothing that comes later changes it.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, seq AS closed_seq, amount_minor AS closing_minor
FROM table_days
LEFT JOIN (
    SELECT table_id, gaming_day, seq, amount_minor
    FROM custody
    WHERE kind = 'TableClosed' AND stretch IS NULL
    QUALIFY row_number() OVER (PARTITION BY table_id, gaming_day ORDER BY seq) = 1
) USING (table_id, gaming_day)
