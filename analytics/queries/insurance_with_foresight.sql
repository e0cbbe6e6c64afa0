-- Question: Who takes insurance only when the bank has Black Jack?
-- Purpose: players by how often they insured against an ace that was Black Jack, and against one that was not, once for each ace however many seats they had; one row a currency.
-- Innocent: about 31 of 100 aces are Black Jack (4 ranks of 13), so that a few right guesses prove nothing; a counter insures when tens are left.
-- Param: min_insured int = 1 | insurances that a player needs to be listed
WITH aces AS (
    SELECT table_id, gaming_day, round, outcome = 'natural' AS black_jack
    FROM hands
    WHERE seat IS NULL AND upcard_value = 11 AND outcome <> 'void'
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
),
chances AS (
    SELECT
        table_id, gaming_day, round, player, currency, black_jack,
        count(*) FILTER (wager = 'insurance') > 0 AS taken,
        coalesce(sum(paid_minor) FILTER (wager = 'insurance'), 0) AS won_minor
    FROM wagers
    JOIN aces USING (table_id, gaming_day, round)
    WHERE wager IN ('main', 'insurance')
    GROUP BY table_id, gaming_day, round, player, currency, black_jack
)
SELECT
    player, currency,
    count(*) AS chances,
    count(*) FILTER (taken) AS insured,
    count(*) FILTER (taken AND black_jack) AS insured_right,
    count(*) FILTER (taken AND NOT black_jack) AS insured_wrong,
    count(*) FILTER (NOT taken AND black_jack) AS not_insured_though_black_jack,
    insured_right / insured AS right_share,
    sum(won_minor) AS insurance_net_minor
FROM chances
WHERE player IS NOT NULL
GROUP BY player, currency
HAVING insured >= greatest($min_insured, 1)
-- How far beyond chance, in standard deviations but for a factor: nine right guesses in ten come before one in one.
ORDER BY (insured_right - insured * 4 / 13) / sqrt(insured) DESC, player, currency
