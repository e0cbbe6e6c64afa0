-- Dealing: who dealt at each event that a row of the lake names, and when; null where nobody stood at the table. The first such
-- event of a dealer is the nearest that the lake has to his coming.
-- Unit: none.  Grain: event.
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
    SELECT table_id, gaming_day, coalesce(settled_seq, placed_seq), coalesce(settled_at, placed_at), round, dealer
    FROM wagers
    UNION ALL
    SELECT table_id, gaming_day, seq, "at", NULL, dealer
    FROM custody
)
WHERE seq IS NOT NULL
GROUP BY table_id, gaming_day, seq
