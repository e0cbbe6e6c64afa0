-- Missing slips: numbers left out between two slips of one series on one gaming day. A series is the text before the
-- number (F-0012: series F-). Where several tables use the same number, each table has its own series.
-- Slips entered while a table was closed fill no gap. A jump of more than 50 numbers counts as a new pad.
-- Unit: slips.  Grain: gap in a series.
WITH numbered AS (
    SELECT
        table_id, gaming_day, slip, seq,
        regexp_extract(slip, '^(.*?)(\d+)$', 1) AS series,
        try_cast(regexp_extract(slip, '^(.*?)(\d+)$', 2) AS HUGEINT) AS number
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided') AND regexp_matches(slip, '\d$')
        AND stretch IS DISTINCT FROM 0
),
shared AS (
    SELECT gaming_day, series, max(tables) > 1 AS of_each_table
    FROM (
        SELECT gaming_day, series, number, count(DISTINCT table_id) AS tables
        FROM numbered
        GROUP BY gaming_day, series, number
    )
    GROUP BY gaming_day, series
),
ordered AS (
    SELECT
        gaming_day, series, slip, number, table_id,
        CASE WHEN of_each_table THEN table_id END AS series_table,
        lag(number) OVER one_series AS number_before,
        lag(slip) OVER one_series AS slip_before,
        lag(table_id) OVER one_series AS table_before
    FROM numbered
    JOIN shared USING (gaming_day, series)
    WINDOW one_series AS (
        PARTITION BY gaming_day, series, CASE WHEN of_each_table THEN table_id END ORDER BY number, seq
    )
)
SELECT
    gaming_day, series, series_table, slip_before, table_before, slip AS slip_after, table_id AS table_after,
    (number - number_before - 1)::BIGINT AS missing
FROM ordered
WHERE number - number_before BETWEEN 2 AND 51
