-- Purpose: register of voided slips: what was moved on each (kind, amount_minor) and the void, when and under which dealer, with the variance of the chips in the books. Kind is null where nothing on the number was left in the books to void: a slip spoiled before use, say.
-- Innocent: a slip written wrongly, for which another stands; where the books vary by its amount, its chips moved all the same.
-- Param: table text = none | only this table
WITH slipped AS (
    SELECT
        * REPLACE (coalesce(stretch, 1) AS stretch),
        sum(CASE WHEN kind = 'SlipVoided' THEN -1 ELSE 1 END) OVER (
            PARTITION BY table_id, gaming_day, stretch, slip ORDER BY seq
        ) AS standing
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided')
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
        AND ($table IS NULL OR table_id = $table)
)
SELECT
    v.table_id, v.gaming_day, v.slip, m.kind, v.currency, m.amount_minor, m."at" AS moved_at, m.dealer AS moved_by, m.seq AS moved_seq,
    v.amount_minor AS voided_minor, v."at" AS voided_at, v.dealer AS voided_by, v.seq, b.inventory_variance_minor
FROM (SELECT * FROM slipped WHERE kind = 'SlipVoided') AS v
-- A void is of the last slip that stands on the number: as many stood after that one as before the void.
ASOF LEFT JOIN (SELECT * FROM slipped WHERE kind <> 'SlipVoided') AS m
    ON (m.table_id, m.gaming_day, m.stretch, m.slip, m.standing) = (v.table_id, v.gaming_day, v.stretch, v.slip, v.standing + 1)
        AND m.seq < v.seq
LEFT JOIN books AS b ON (b.table_id, b.gaming_day, b.stretch) = (v.table_id, v.gaming_day, v.stretch)
ORDER BY v.gaming_day, v.table_id, v.seq
