-- Slips: fills and credits, and whether each stands. A voided slip takes back the last fill or credit before it that
-- bears its number at that table and stands in the same books; it takes nothing back where none does. So a slip stands
-- where, from there on, its number was never voided more often than used. Null where that hangs on a number that nobody
-- can read: a void without one may be of every number, and a slip without one may be what any void took back.
-- Unit: minor units.  Grain: fill or credit.
WITH moved AS (
    SELECT *
    FROM custody
    WHERE kind IN ('ChipsFilled', 'ChipsCredited', 'SlipVoided')
),
-- Under each number the moves that may be of it: its own, and those whose number nobody can read.
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
-- What lies on the pile of a number: at least, where what cannot be read is a void of it and no slip, and at most, where it is a
-- slip of it and no void.
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
