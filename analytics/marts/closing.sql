-- Closing: the table inventory counted when the table closed. Null where the table's last count is no closing.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, CASE WHEN kind = 'TableClosed' THEN amount_minor END AS closing_minor
FROM table_days
LEFT JOIN (
    SELECT table_id, gaming_day, kind, amount_minor
    FROM custody
    WHERE kind IN ('TableOpened', 'TableClosed')
    QUALIFY row_number() OVER (PARTITION BY table_id, gaming_day ORDER BY seq DESC) = 1
) USING (table_id, gaming_day)
