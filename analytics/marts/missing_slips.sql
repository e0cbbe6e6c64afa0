-- Missing slips: numbers left out between two slips of one series, the property's or a table's, on one gaming day.
-- Slips entered while a table was closed fill no gap. A jump of more than 50 numbers counts as a new pad.
-- Unit: slips.  Grain: gap in a series.
WITH ordered AS (
    SELECT
        gaming_day, series, slip, number, table_id,
        CASE WHEN of_each_table THEN table_id END AS series_table,
        lag(number) OVER one_series AS number_before,
        lag(slip) OVER one_series AS slip_before,
        lag(table_id) OVER one_series AS table_before
    FROM slip_numbers
    WHERE stretch IS DISTINCT FROM 0
    WINDOW one_series AS (
        PARTITION BY gaming_day, series, CASE WHEN of_each_table THEN table_id END ORDER BY number, seq
    )
)
SELECT
    gaming_day, series, series_table, slip_before, table_before, slip AS slip_after, table_id AS table_after,
    (number - number_before - 1)::BIGINT AS missing
FROM ordered
WHERE number - number_before BETWEEN 2 AND 51
