-- Opening: the table inventory counted when the table opened. Null where the table's first count is no opening.
-- Unit: minor units.  Grain: table-day.
SELECT table_id, gaming_day, CASE WHEN kind = 'TableOpened' THEN amount_minor END AS opening_minor
FROM table_days
LEFT JOIN (
    SELECT table_id, gaming_day, kind, amount_minor
    FROM custody
    WHERE kind IN ('TableOpened', 'TableClosed') AND stretch IS NULL
    QUALIFY row_number() OVER (PARTITION BY table_id, gaming_day ORDER BY seq) = 1
) USING (table_id, gaming_day)
