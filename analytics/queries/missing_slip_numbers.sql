-- Purpose: numbers left out of the day's series of fill and credit slips. The log does not say whose a series is: it is taken as each table's own where two numbers in a row stand at several tables, or no two tables have numbers that stand at one table only; else as the property's, in which a number is used once.
-- Innocent: a slip spoiled and kept without being recorded as void; the pad shows it.
SELECT *
FROM missing_slips
WHERE ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
ORDER BY gaming_day, series, slip_after, table_after
