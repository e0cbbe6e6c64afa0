-- Purpose: wagers settled at another stake than they were placed at, or whose stake was corrected once cards were out (where the result is null, it was corrected to no stake, or chips laid on a stake were, and the lake has no row of these), won and lost apart.
-- Innocent: chips miscounted at either moment go up as often as down; up on winners and down on losers is the exception.
WITH cards_out AS (
    SELECT table_id, gaming_day, round, min(first_seq) AS first_seq
    FROM hands
    GROUP BY table_id, gaming_day, round
),
changed AS (
    SELECT f.*, try_cast(regexp_extract(f.message, '^WagerPlaced at seq (\d+)', 1) AS BIGINT) AS corrected_seq
    FROM findings AS f
    LEFT JOIN cards_out AS c USING (table_id, gaming_day, round)
    WHERE f.code = 'STAKE_CHANGED'
        OR (f.code = 'EVENT_CORRECTED' AND corrected_seq IS NOT NULL AND contains(f.after, 'stake ') AND f.seq > c.first_seq)
)
SELECT
    f.table_id, f.gaming_day, f.round, f.seq, w.seat, coalesce(w.player, f.player) AS player, coalesce(w.dealer, f.dealer) AS dealer,
    w.wager, w.currency, w.stake_minor, w.paid_minor,
    CASE
        WHEN w.paid_minor > 0 THEN 'won'
        WHEN w.paid_minor < 0 THEN 'lost'
        WHEN w.wager IS NOT NULL THEN 'neither'
    END AS result,
    f.message
FROM changed AS f
LEFT JOIN wagers AS w
    ON (w.table_id, w.gaming_day) = (f.table_id, f.gaming_day)
        AND CASE WHEN f.code = 'STAKE_CHANGED' THEN w.settled_seq = f.seq ELSE w.placed_seq = f.corrected_seq END
WHERE ($first IS NULL OR f.gaming_day >= $first) AND ($last IS NULL OR f.gaming_day <= $last)
ORDER BY f.gaming_day, f.table_id, f.seq
