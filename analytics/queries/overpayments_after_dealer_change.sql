-- Question: How soon after a dealer came to the table was somebody overpaid, and who?
-- Purpose: the first overpayment of each turn of a dealer at a table, with the rounds and seconds since he came.
-- Innocent: a dealer errs most while he finds his way into the table; the same player again and again, at several tables, is the exception.
-- Param: first date = none | first gaming day
-- Param: last date = none | last gaming day
-- Param: within_rounds int = 20 | rounds since the dealer came, the first is 1
-- Param: min_minor int = 1 | least overpayment in minor units
WITH came AS (
    SELECT
        table_id, gaming_day, round, dealer, started_at,
        lag(dealer) OVER in_order AS relieved,
        dealer IS DISTINCT FROM lag(dealer) OVER in_order AS came
    FROM rounds
    WINDOW in_order AS (PARTITION BY table_id, gaming_day ORDER BY round)
),
turns AS (
    SELECT *, count(*) FILTER (came) OVER (PARTITION BY table_id, gaming_day ORDER BY round) AS turn
    FROM came
),
numbered AS (
    SELECT
        table_id, gaming_day, round, dealer, turn,
        row_number() OVER one_turn AS rounds_since,
        first_value(started_at) OVER one_turn AS came_at,
        first_value(relieved) OVER one_turn AS relieved
    FROM turns
    WINDOW one_turn AS (PARTITION BY table_id, gaming_day, turn ORDER BY round)
)
SELECT
    w.table_id, w.gaming_day, n.dealer, n.relieved, w.round, n.rounds_since,
    (epoch_us(w.settled_at) - epoch_us(n.came_at)) / 1e6 AS seconds_since,
    w.seat, w.wager, w.player, w.currency, w.delta_minor, w.settled_seq AS seq
FROM numbered AS n
JOIN wagers AS w USING (table_id, gaming_day, round)
WHERE w.delta_minor >= greatest($min_minor, 1) AND n.dealer IS NOT NULL
    AND ($first IS NULL OR w.gaming_day >= $first) AND ($last IS NULL OR w.gaming_day <= $last)
QUALIFY row_number() OVER (PARTITION BY w.table_id, w.gaming_day, n.turn ORDER BY w.settled_seq) = 1
    AND n.rounds_since <= $within_rounds
ORDER BY n.rounds_since, w.gaming_day, w.table_id, w.settled_seq
