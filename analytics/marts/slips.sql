-- Slips: fills and credits, and whether each is valid (stands). A void cancels the last valid fill or credit before it with
-- the same number at that table in the same books, if there is one. So a slip is valid if from there on its number was
-- never voided more often than used. Null where that depends on an unreadable number: a void without a number may be of
-- any number, and a slip without one may be cancelled by any void.
-- Unit: minor units.  Grain: fill or credit.
WITH moved AS (
    SELECT *
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided')
),
-- For each number the movements that may have it: its own, and those with an unreadable number.
of_number AS (
    SELECT *, slip AS number
    FROM moved
    WHERE slip IS NOT NULL
    UNION ALL
    SELECT m.*, n.slip
    FROM moved AS m
    JOIN (SELECT DISTINCT table_id, gaming_day, stretch, slip FROM moved) AS n USING (table_id, gaming_day)
    WHERE m.slip IS NULL AND m.stretch IS NOT DISTINCT FROM n.stretch
),
-- The number of valid slips of a number: at least (unreadable voids are of it, unreadable slips are not) and at most (the
-- reverse).
piles AS (
    SELECT
        table_id, gaming_day, stretch, seq, number,
        sum(CASE WHEN kind = 'SlipVoided' THEN -1 WHEN slip = number THEN 1 ELSE 0 END) OVER in_order AS at_least,
        sum(CASE WHEN kind <> 'SlipVoided' THEN 1 WHEN slip = number THEN -1 ELSE 0 END) OVER in_order AS at_most
    FROM of_number
    WINDOW in_order AS (PARTITION BY table_id, gaming_day, stretch, number ORDER BY seq)
),
kept AS (
    SELECT
        table_id, gaming_day, seq,
        min(at_least) OVER afterwards >= at_least AS surely,
        min(at_most) OVER afterwards >= at_most AS possibly
    FROM piles
    WINDOW afterwards AS (
        PARTITION BY table_id, gaming_day, stretch, number ORDER BY seq ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING
    )
)
SELECT moved.*, CASE WHEN bool_and(surely) THEN true WHEN NOT bool_or(possibly) THEN false END AS stands
FROM moved
JOIN kept USING (table_id, gaming_day, seq)
WHERE kind IN ('ChipsFilled', 'ChipsCredited')
GROUP BY ALL
