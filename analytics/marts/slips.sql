-- Slips: fills and credits, and whether each stands. A voided slip takes back the last fill or credit before it that
-- bears its number at that table and stands in the same books; it takes nothing back where none does.
-- So slips of one number lie on a pile, and one of them stands where the pile is never again as low as below it.
-- Unit: minor units.  Grain: fill or credit.
WITH balance AS (
    SELECT *, sum(CASE kind WHEN 'SlipVoided' THEN -1 ELSE 1 END) OVER one_number AS difference
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided') AND slip IS NOT NULL
    WINDOW one_number AS (PARTITION BY table_id, gaming_day, stretch, slip ORDER BY seq)
),
pile AS (
    SELECT *, difference - least(min(difference) OVER one_number, 0) AS height
    FROM balance
    WINDOW one_number AS (PARTITION BY table_id, gaming_day, stretch, slip ORDER BY seq)
)
SELECT custody.*, coalesce(stands, true) AS stands
FROM custody
LEFT JOIN (
    SELECT
        table_id, gaming_day, seq,
        min(height) OVER (
            PARTITION BY table_id, gaming_day, stretch, slip ORDER BY seq ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
        ) >= height AS stands
    FROM pile
) USING (table_id, gaming_day, seq)
WHERE kind IN ('ChipsFilled', 'ChipsCredited')
