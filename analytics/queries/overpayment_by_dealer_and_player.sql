-- Purpose: dealer and player pairs in which the house paid too much, beside what the same dealer does with everyone else.
-- Innocent: a dealer who errs often errs with whoever sits there longest; compare the pair's rate with others_rate.
-- Param: first date = none | first gaming day
-- Param: last date = none | last gaming day
-- Param: min_count int = 2 | overpayments that a pair needs to be listed
WITH judged AS (
    SELECT dealer, player, delta_minor
    FROM wagers
    WHERE delta_minor IS NOT NULL AND dealer IS NOT NULL AND player IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
dealers AS (
    SELECT dealer, count(*) AS all_wagers, count(*) FILTER (delta_minor > 0) AS all_overpaid FROM judged GROUP BY dealer
)
SELECT
    dealer, player,
    count(*) AS wagers,
    count(*) FILTER (delta_minor > 0) AS overpaid_count,
    (sum(delta_minor) FILTER (delta_minor > 0))::BIGINT AS overpaid_minor,
    count(*) FILTER (delta_minor < 0) AS underpaid_count,
    sum(delta_minor)::BIGINT AS net_minor,
    count(*) FILTER (delta_minor > 0) / count(*) AS rate,
    (all_overpaid - count(*) FILTER (delta_minor > 0)) / nullif(all_wagers - count(*), 0) AS others_rate
FROM judged
JOIN dealers USING (dealer)
GROUP BY dealer, player, all_wagers, all_overpaid
HAVING overpaid_count >= greatest($min_count, 1)
ORDER BY overpaid_minor DESC, dealer, player
