-- Purpose: cash bought in by one player, as the log spells him, on one gaming day at all tables of a currency, from a reporting threshold on, and each buy-in so large of which the log names no player. What was entered while the books were closed (late_minor) is among it: the cash came all the same.
-- Innocent: a large player, or one whose name the table system did not take; reaching the line is a duty to report, nothing else. Look for days that stop just under it.
-- Param: threshold_minor int = 50000000 | sum in minor units (Macau's line is 500,000 patacas)
SELECT
    gaming_day, player, currency,
    count(*) AS buy_ins,
    count(DISTINCT table_id) AS tables,
    string_agg(DISTINCT table_id, ', ' ORDER BY table_id) AS at_tables,
    min("at") AS first_at,
    sum(amount_minor) AS total_minor,
    coalesce(sum(amount_minor) FILTER (stretch = 0), 0) AS late_minor,
    max(amount_minor) AS largest_minor
FROM custody
WHERE kind = 'CashBoughtIn'
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
-- Those without a name are not known to be of one player.
GROUP BY gaming_day, player, currency, CASE WHEN player IS NULL THEN (table_id, seq) END
HAVING total_minor >= $threshold_minor
ORDER BY total_minor DESC, gaming_day, player, currency, at_tables, min(seq)
