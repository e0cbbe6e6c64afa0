-- Purpose: wrong payments by dealer and hour of the day, that of UTC unless utc_offset_hours is given, with the number of wagers settled in it; one row a currency. What was settled while no dealer was entered at the table is of dealer null.
-- Innocent: tiredness late in a shift; exposure is wagers, not minutes.
-- Param: utc_offset_hours hours = 0 | added to UTC for the clock on the wall (Macau is 8)
SELECT
    dealer, gaming_day, currency,
    extract(hour FROM (settled_at AT TIME ZONE 'UTC') + to_hours($utc_offset_hours)) AS hour,
    count(*) AS wagers,
    count(*) FILTER (delta_minor > 0) AS overpaid_count,
    count(*) FILTER (delta_minor < 0) AS underpaid_count,
    sum(delta_minor) AS net_minor
FROM wagers
WHERE delta_minor IS NOT NULL
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
GROUP BY dealer, gaming_day, currency, hour
HAVING overpaid_count + underpaid_count > 0
ORDER BY dealer, gaming_day, min(settled_at), currency
