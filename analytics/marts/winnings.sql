-- Winnings: the sums of the settlements by the books in which they were made (stretch; null while the table was closed), in one
-- scan of the payments. The files win_recorded and win_booked define them.
-- Unit: minor units, positive where the house won.  Grain: books of a table-day.
SELECT
    table_id, gaming_day, stretch,
    -coalesce(sum(paid_minor) FILTER ((payments.currency <> table_days.currency) IS NOT TRUE), 0) AS win_recorded_minor,
    -coalesce(sum(paid_minor) FILTER ((payments.currency <> counts.currency) IS NOT TRUE), 0) AS win_booked_minor
FROM payments
JOIN table_days USING (table_id, gaming_day)
LEFT JOIN counts
    ON (counts.table_id, counts.gaming_day) = (payments.table_id, payments.gaming_day)
        AND (opened_seq IS NULL OR payments.seq > opened_seq) AND (closed_seq IS NULL OR payments.seq < closed_seq)
GROUP BY table_id, gaming_day, stretch
