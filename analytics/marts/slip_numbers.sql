-- Slip numbers: each fill, credit and void on a slip that ends in a number, with its series: the text before the number
-- (F-0012: series F-), and whether each table has its own of that name (of_each_table) or the property has one, in which a
-- number is used once. The log does not say; the numbers of the gaming day do. Series of the tables overlap, so that two numbers,
-- with none used between them, stand at several tables; or they are short and begin with the same number, so that only the longest
-- has numbers that stand at no other table.
-- Unit: none.  Grain: movement on a numbered slip.
WITH numbered AS (
    SELECT
        table_id, gaming_day, seq, stretch, slip,
        regexp_extract(slip, '^(.*?)(\d+)$', 1) AS series,
        try_cast(regexp_extract(slip, '^(.*?)(\d+)$', 2) AS HUGEINT) AS number
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided') AND regexp_matches(slip, '\d$')
),
numbers AS (
    SELECT
        gaming_day, series, min(table_id) AS one_table, count(DISTINCT table_id) > 1 AS shared,
        lag(shared) OVER (PARTITION BY gaming_day, series ORDER BY number) AS shared_before
    FROM numbered
    GROUP BY gaming_day, series, number
),
series_of_day AS (
    SELECT
        gaming_day, series,
        bool_or(shared) AND (bool_or(shared AND shared_before) OR count(DISTINCT one_table) FILTER (NOT shared) < 2) AS of_each_table
    FROM numbers
    GROUP BY gaming_day, series
)
SELECT *
FROM numbered
JOIN series_of_day USING (gaming_day, series)
