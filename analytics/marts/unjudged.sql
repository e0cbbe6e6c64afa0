-- Unjudged: wagers of which nobody could say what they were due, their stakes, and what was paid on them.
-- Unit: wagers, minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    count(stake_minor) AS unjudged_count,
    coalesce(sum(stake_minor), 0) AS unjudged_stake_minor,
    coalesce(sum(paid_minor), 0) AS unjudged_paid_minor
FROM table_days
LEFT JOIN (SELECT * FROM wagers WHERE due_minor IS NULL) USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
