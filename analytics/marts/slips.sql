-- Slips: fills and credits, and whether each stands. A voided slip takes back the last fill or credit before it that
-- bears its number at that table and stands in the same books.
-- Unit: minor units.  Grain: fill or credit.
WITH voided AS (
    SELECT s.table_id, s.gaming_day, s.seq, v.seq AS voided_by
    FROM custody AS v
    JOIN custody AS s USING (table_id, gaming_day, slip)
    WHERE v.kind = 'SlipVoided' AND s.kind IN ('ChipsFilled', 'ChipsCredited') AND s.seq < v.seq
        AND s.stretch IS NOT DISTINCT FROM v.stretch
    QUALIFY row_number() OVER (PARTITION BY v.table_id, v.gaming_day, v.seq ORDER BY s.seq DESC) = 1
)
SELECT c.*, voided_by IS NULL AS stands
FROM custody AS c
LEFT JOIN (
    SELECT table_id, gaming_day, seq, min(voided_by) AS voided_by FROM voided GROUP BY table_id, gaming_day, seq
) USING (table_id, gaming_day, seq)
WHERE c.kind IN ('ChipsFilled', 'ChipsCredited')
