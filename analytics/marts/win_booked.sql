-- Win booked: the part of the win recorded that was paid and collected until the table first closed: all of it, unless the
-- table was opened again. The chips counted at that closing are held against it.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT table_id, gaming_day, -coalesce(sum(paid_minor), 0) AS win_booked_minor
FROM table_days
LEFT JOIN (
    SELECT table_id, gaming_day, paid_minor
    FROM payments
    JOIN closing USING (table_id, gaming_day)
    WHERE closed_seq IS NULL OR seq < closed_seq
) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
