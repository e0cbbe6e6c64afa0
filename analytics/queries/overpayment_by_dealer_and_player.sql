-- Question: Which dealer and which player meet when the house pays too much?
-- Purpose: dealer and player pairs in which the house paid too much, beside what the same dealer does with everyone else; one row a currency. What was settled while no dealer was entered at the table is of dealer null.
-- Innocent: a dealer who errs often errs with whoever sits there longest; compare the pair's rate with others_rate.
-- Param: min_count int = 2 | overpayments in the currency that a pair needs to be listed
WITH pairs AS (
    SELECT
        dealer, player, currency,
        count(*) AS wagers,
        count(*) FILTER (delta_minor > 0) AS overpaid_count,
        sum(delta_minor) FILTER (delta_minor > 0) AS overpaid_minor,
        count(*) FILTER (delta_minor < 0) AS underpaid_count,
        sum(delta_minor) AS net_minor
    FROM wagers
    WHERE delta_minor IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    GROUP BY dealer, player, currency
),
compared AS (
    SELECT
        *,
        overpaid_count / wagers AS rate,
        -- Unknown players form no pair, but belong to everyone else.
        (sum(overpaid_count) OVER one_dealer - overpaid_count)
        / nullif(sum(wagers) OVER one_dealer - wagers, 0) AS others_rate
    FROM pairs
    WINDOW one_dealer AS (PARTITION BY dealer, currency)
)
SELECT *
FROM compared
WHERE player IS NOT NULL AND overpaid_count >= greatest($min_count, 1)
ORDER BY overpaid_minor DESC, dealer, player, currency
