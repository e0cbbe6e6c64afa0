-- Winnings: what the settlements of a table-day come to, in one reading of its payments. win_recorded and win_booked say what
-- its columns mean.
-- Unit: minor units, positive where the house won.  Grain: table-day.
SELECT
    table_id, gaming_day,
    -coalesce(sum(paid_minor) FILTER (same_currency), 0) AS win_recorded_minor,
    -coalesce(sum(paid_minor) FILTER (same_currency AND (closed_seq IS NULL OR seq < closed_seq)), 0) AS win_booked_minor
FROM books
LEFT JOIN payments USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
