-- Purpose: numbers left out of the day's series of fill and credit slips.
-- Innocent: a slip spoiled and kept without being recorded as void; the pad shows it.
SELECT *
FROM missing_slips
WHERE ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
ORDER BY gaming_day, series, slip_after, table_after
