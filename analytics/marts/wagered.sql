-- Wagered: the sums of a table-day's wagers for several measures, in one scan. The files handle, win_due, overpaid, underpaid,
-- unsettled and unjudged define its columns.
-- Stakes in another currency than the table-day's, placed when the table was opened again for it, are in no sum; these wagers are
-- not judged and count as unjudged.
-- Unit: wagers, minor units.  Grain: table-day.
SELECT
    table_id, gaming_day,
    coalesce(sum(stake_minor) FILTER (same_currency), 0) AS handle_minor,
    -coalesce(sum(due_minor), 0) AS win_due_minor,
    count(*) FILTER (delta_minor > 0) AS overpaid_count,
    coalesce(sum(delta_minor) FILTER (delta_minor > 0), 0) AS overpaid_minor,
    count(*) FILTER (delta_minor < 0) AS underpaid_count,
    -coalesce(sum(delta_minor) FILTER (delta_minor < 0), 0) AS underpaid_minor,
    count(placed_seq) FILTER (status = 'unsettled') AS unsettled_count,
    coalesce(sum(due_minor) FILTER (status = 'unsettled'), 0) AS unsettled_due_minor,
    count(stake_minor) FILTER (due_minor IS NULL) AS unjudged_count,
    coalesce(sum(stake_minor) FILTER (due_minor IS NULL AND same_currency), 0) AS unjudged_stake_minor,
    coalesce(sum(paid_minor) FILTER (due_minor IS NULL AND same_currency), 0) AS unjudged_paid_minor
FROM (
    SELECT
        table_id, gaming_day, placed_seq, status, stake_minor, paid_minor, due_minor, delta_minor,
        (wagers.currency <> table_days.currency) IS NOT TRUE AS same_currency
    FROM table_days
    LEFT JOIN wagers USING (table_id, gaming_day)
)
GROUP BY table_id, gaming_day
