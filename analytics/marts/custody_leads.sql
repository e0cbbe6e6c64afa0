-- Custody leads: where to look first when chips or cash do not agree: facts on the log that would explain the variance if
-- they were false, repeated or left out, then facts that may be missing from the log. None is proof, and no lead reduces
-- the gap. stretch tells the books of the table-day that have the variance (1: the first ones).
-- Unit: minor units.  Grain: lead, for books with a variance.
WITH variance AS (
    SELECT
        table_id, gaming_day, stretch, opened_seq, closed_seq,
        inventory_variance_minor AS inventory, drop_variance_minor AS boxes
    FROM books
    WHERE inventory_variance_minor <> 0 OR drop_variance_minor <> 0
),
moved AS (
    SELECT * REPLACE (coalesce(stretch, 1) AS stretch)
    FROM slips
),
repeated AS (
    SELECT table_id, gaming_day, stretch, kind, slip, max(seq) AS seq, max(amount_minor) AS amount_minor
    FROM moved
    WHERE stands
    GROUP BY table_id, gaming_day, stretch, kind, slip
    HAVING count(*) > 1
)
SELECT
    table_id, gaming_day, stretch, seq, slip, amount_minor, 'the same slip is on the log more than once' AS lead
FROM repeated
JOIN variance USING (table_id, gaming_day, stretch)
UNION ALL
SELECT
    table_id, gaming_day, stretch, seq, slip, amount_minor,
    CASE
        WHEN NOT stands THEN 'voided, and just the variance: did its chips move all the same?'
        WHEN kind = 'ChipsFilled' THEN 'a fill of just what is missing: did its chips arrive?'
        ELSE 'a credit of just what is left over: did its chips leave?'
    END
FROM moved
JOIN variance USING (table_id, gaming_day, stretch)
WHERE amount_minor = CASE WHEN stands = (kind = 'ChipsFilled') THEN -inventory WHEN stands IS NOT NULL THEN inventory END -- voided, the other way round
UNION ALL
SELECT
    v.table_id, v.gaming_day, v.stretch, seq, NULL, amount_minor,
    'a buy-in of just what the box lacks: did its cash go into the box?'
FROM custody AS c
JOIN variance AS v
    ON (v.table_id, v.gaming_day, v.stretch) = (c.table_id, c.gaming_day, coalesce(c.stretch, 1))
WHERE kind = 'CashBoughtIn' AND amount_minor = -boxes
UNION ALL
SELECT
    table_id, gaming_day, stretch, NULL, NULL, boxes,
    'the box holds as much more as the tray lacks: a buy-in that is not on the log?'
FROM variance
WHERE boxes > 0 AND boxes = -inventory
UNION ALL
SELECT
    table_id, gaming_day, stretch, NULL, NULL, -sum(due_minor),
    count(*) || if(count(*) = 1, ' wager has', ' wagers have') || ' no settlement on the log: paid as due, the tray changes by this'
FROM wagers
JOIN variance USING (table_id, gaming_day)
WHERE status = 'unsettled' AND inventory <> 0
    AND (opened_seq IS NULL OR placed_seq > opened_seq) AND (closed_seq IS NULL OR placed_seq < closed_seq)
GROUP BY table_id, gaming_day, stretch
UNION ALL
SELECT table_id, gaming_day, stretch, seq, NULL, NULL, message
FROM findings
JOIN variance USING (table_id, gaming_day)
WHERE (
        code IN ('SEQUENCE_GAP', 'SEQUENCE_CONFLICT', 'EVENT_MALFORMED', 'VALUE_OUT_OF_BOUNDS', 'CORRECTION_DANGLING')
        OR (
            round IS NULL
            AND code IN ('EVENT_CORRECTED', 'CORRECTION_LATE', 'ENTERED_LATE', 'CLOSED_AGAIN', 'DROP_COUNTED_AGAIN')
        )
    )
    AND (opened_seq IS NULL OR seq IS NULL OR seq > opened_seq)
    AND NOT (code = 'CLOSED_AGAIN' AND seq IS NOT DISTINCT FROM closed_seq) -- the closing of these books
UNION ALL
SELECT
    v.table_id, v.gaming_day, v.stretch, NULL, m.slip_before, NULL,
    m.missing || if(m.missing = 1, ' slip number', ' slip numbers') || ' missing between ' || m.slip_before || ' (' || m.table_before || ') and '
    || m.slip_after || ' (' || m.table_after || ')'
FROM missing_slips AS m
JOIN variance AS v ON v.gaming_day = m.gaming_day AND (m.series_table IS NULL OR m.series_table = v.table_id)
WHERE v.inventory <> 0
UNION ALL
SELECT
    table_id, gaming_day, stretch, NULL, NULL, abs(inventory),
    CASE
        WHEN inventory > 0 THEN 'not on the log: a fill of this amount would leave it over; compare the slips of the cage'
        ELSE 'not on the log: a credit of this amount would leave it missing; compare the slips of the cage'
    END
FROM variance
WHERE inventory <> 0
UNION ALL
SELECT
    table_id, gaming_day, stretch, NULL, NULL, -boxes,
    'not on the log: cash missing from the box; count the box again, then the buy-ins'
FROM variance
WHERE boxes < 0
