-- Fills: chips brought from the cage, on slips that stand in the first books. Null where a slip has no amount.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    CASE WHEN count(seq) = count(amount_minor) THEN coalesce(sum(amount_minor), 0) END AS fills_minor
FROM table_days
LEFT JOIN (SELECT * FROM slips WHERE kind = 'ChipsFilled' AND stands AND stretch IS NULL) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
