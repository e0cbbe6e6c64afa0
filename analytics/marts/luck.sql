-- Luck: win due less theoretical win, over the same wagers, and the standard deviation by which to judge it. The
-- deviation takes wagers as independent, so it is somewhat small where one hand carries several; it is null where the
-- variance of some wager is not known.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    (sum(due_minor) - sum(expected_minor))::BIGINT AS luck_minor,
    CASE WHEN count(variance) = count(*) THEN sqrt(sum(variance)) END AS luck_deviation_minor
FROM table_days
LEFT JOIN expectations USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
