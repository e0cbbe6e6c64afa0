-- Question: How soon after a dealer came to the table was somebody overpaid, and who?
-- Purpose: the first overpayment that a dealer settled in each of his turns at a table, with the rounds and seconds since he came (the first event that the lake has under him). One who comes back begins a new turn where the lake has an event in between, under another or under nobody.
-- Innocent: a dealer errs most while he finds his way into the table; the same player again and again, at several tables, is the exception.
-- Param: within_rounds int = 20 | rounds since the dealer came, the first is 1
-- Param: min_minor int = 1 | least overpayment in minor units
WITH came AS (
    SELECT
        *,
        lag(dealer IGNORE NULLS) OVER in_order AS relieved,
        dealer IS DISTINCT FROM lag(dealer) OVER in_order AS came
    FROM dealing
    WINDOW in_order AS (PARTITION BY table_id, gaming_day ORDER BY seq)
),
turns AS (
    SELECT *, count(*) FILTER (came) OVER (PARTITION BY table_id, gaming_day ORDER BY seq) AS turn
    FROM came
),
numbered AS (
    SELECT
        table_id, gaming_day, seq, dealer, turn,
        dense_rank() OVER (PARTITION BY table_id, gaming_day, turn ORDER BY round NULLS LAST) AS rounds_since,
        first_value(dealt_at) OVER one_turn AS came_at,
        first_value(relieved) OVER one_turn AS relieved
    FROM turns
    WINDOW one_turn AS (PARTITION BY table_id, gaming_day, turn ORDER BY seq)
)
SELECT
    w.table_id, w.gaming_day, n.dealer, n.relieved, w.round, n.rounds_since,
    (epoch_us(w.settled_at) - epoch_us(n.came_at)) / 1e6 AS seconds_since,
    w.seat, w.wager, w.player, w.currency, w.delta_minor, w.settled_seq AS seq
FROM numbered AS n
JOIN wagers AS w ON (w.table_id, w.gaming_day, w.settled_seq) = (n.table_id, n.gaming_day, n.seq)
WHERE n.dealer IS NOT NULL AND w.delta_minor >= greatest($min_minor, 1)
    AND ($first IS NULL OR w.gaming_day >= $first) AND ($last IS NULL OR w.gaming_day <= $last)
QUALIFY row_number() OVER (PARTITION BY w.table_id, w.gaming_day, n.turn ORDER BY w.settled_seq) = 1
    AND n.rounds_since <= $within_rounds
ORDER BY n.rounds_since, w.gaming_day, w.table_id, w.settled_seq
