-- Wagered: what all measures of a table-day's wagers take from them, in one reading of the wagers. handle, win_due, overpaid,
-- underpaid, unsettled and unjudged say what its columns mean.
-- Unit: wagers, minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    coalesce(sum(stake_minor), 0) AS handle_minor,
    -coalesce(sum(due_minor) FILTER (paid_minor IS NOT NULL), 0) AS win_due_minor,
    count(*) FILTER (delta_minor > 0) AS overpaid_count,
    coalesce(sum(delta_minor) FILTER (delta_minor > 0), 0) AS overpaid_minor,
    count(*) FILTER (delta_minor < 0) AS underpaid_count,
    -coalesce(sum(delta_minor) FILTER (delta_minor < 0), 0) AS underpaid_minor,
    count(placed_seq) FILTER (status = 'unsettled') AS unsettled_count,
    coalesce(sum(due_minor) FILTER (status = 'unsettled'), 0) AS unsettled_due_minor,
    count(stake_minor) FILTER (due_minor IS NULL) AS unjudged_count,
    coalesce(sum(stake_minor) FILTER (due_minor IS NULL), 0) AS unjudged_stake_minor,
    coalesce(sum(paid_minor) FILTER (due_minor IS NULL), 0) AS unjudged_paid_minor
FROM table_days
LEFT JOIN wagers USING (table_id, gaming_day)
GROUP BY table_id, gaming_day
