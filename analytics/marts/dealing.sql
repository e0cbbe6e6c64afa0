-- Dealing: the dealer and time of each event that a row of the lake names; null where no dealer was at the table. A dealer's
-- first such event is the closest that the lake has to his arrival. round is the one in which the event happened: a wager on
-- several rounds is settled in a later round than it was placed in.
-- Unit: none.  Grain: event.
WITH placed AS (
    SELECT
        w.table_id, w.gaming_day, coalesce(w.settled_seq, w.placed_seq) AS seq, coalesce(w.settled_at, w.placed_at) AS dealt_at,
        w.round, r.last_seq, w.dealer
    FROM wagers AS w
    LEFT JOIN rounds AS r USING (table_id, gaming_day, round)
)
SELECT table_id, gaming_day, seq, min(dealt_at) AS dealt_at, min(round) AS round, min(dealer) AS dealer
FROM (
    SELECT table_id, gaming_day, first_seq AS seq, started_at AS dealt_at, round, dealer
    FROM rounds
    UNION ALL
    SELECT table_id, gaming_day, first_seq, started_at, round, dealer
    FROM hands
    UNION ALL
    SELECT table_id, gaming_day, seq, "at", round, dealer
    FROM decisions
    UNION ALL
    SELECT
        w.table_id, w.gaming_day, w.seq, w.dealt_at, CASE WHEN w.seq > w.last_seq THEN later.round ELSE w.round END, w.dealer
    FROM placed AS w
    ASOF LEFT JOIN rounds AS later
        ON (later.table_id, later.gaming_day) = (w.table_id, w.gaming_day) AND later.first_seq <= w.seq
    UNION ALL
    SELECT table_id, gaming_day, seq, "at", NULL, dealer
    FROM custody
)
WHERE seq IS NOT NULL
GROUP BY table_id, gaming_day, seq
