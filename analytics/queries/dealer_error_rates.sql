-- Purpose: how often each dealer pays too much and too little, with Wilson intervals, so that short shifts do not rank first; one row a currency. What was settled while no dealer was entered at the table is of dealer null.
-- Innocent: errors go both ways with tiredness, difficult games and busy tables; one direction only is the exception. A round that was paid though it was void is as many errors as it had wagers, and the intervals, too narrow then, take each for one of its own.
-- Param: min_wagers int = 1 | settled wagers in the currency that a dealer needs to be listed
-- Param: z number = 1.96 | width of the interval in standard deviations (1.96 for 95 %)
WITH counted AS (
    SELECT
        dealer, currency,
        count(*) AS wagers,
        count(*) FILTER (delta_minor > 0) AS overpaid_count,
        count(*) FILTER (delta_minor < 0) AS underpaid_count,
        coalesce(sum(delta_minor) FILTER (delta_minor > 0), 0) AS overpaid_minor,
        -coalesce(sum(delta_minor) FILTER (delta_minor < 0), 0) AS underpaid_minor
    FROM wagers
    WHERE delta_minor IS NOT NULL
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    GROUP BY dealer, currency
),
rated AS (
    SELECT *, overpaid_count / wagers AS over_rate, underpaid_count / wagers AS under_rate, $z ** 2 / wagers AS z2n
    FROM counted
    WHERE wagers >= $min_wagers
)
SELECT
    dealer, currency, wagers, overpaid_count, underpaid_count, overpaid_minor, underpaid_minor,
    over_rate,
    (over_rate + z2n / 2 - sqrt(z2n * (over_rate * (1 - over_rate) + z2n / 4))) / (1 + z2n) AS over_low,
    (over_rate + z2n / 2 + sqrt(z2n * (over_rate * (1 - over_rate) + z2n / 4))) / (1 + z2n) AS over_high,
    under_rate,
    (under_rate + z2n / 2 - sqrt(z2n * (under_rate * (1 - under_rate) + z2n / 4))) / (1 + z2n) AS under_low,
    (under_rate + z2n / 2 + sqrt(z2n * (under_rate * (1 - under_rate) + z2n / 4))) / (1 + z2n) AS under_high
FROM rated
ORDER BY over_low DESC, dealer, currency
