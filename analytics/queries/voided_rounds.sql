-- Question: Which rounds were voided, by whom, and how much stood on them?
-- Purpose: voided rounds with the dealer of their last hand, decision or settlement in the lake, their stakes against the median round of the table, and the house's win in the rounds before; one that the law voids though nobody declared it was often paid all the same (house_win_minor).
-- Innocent: a misdeal is voided whatever stands on it; voids of one dealer that fall on large stakes or after losses are the exception.
-- Param: before int = 10 | rounds before the voided one over which the house's win is added up
-- Param: times number = 0 | stakes as a multiple of the table's usual round, at least
WITH dealt_last AS (
    SELECT table_id, gaming_day, round, arg_max_null(dealer, seq) AS dealer
    FROM dealing
    GROUP BY table_id, gaming_day, round
),
-- By the round of the payment: a wager on several rounds may have been placed in an earlier one.
paid AS (
    SELECT p.table_id, p.gaming_day, coalesce(d.round, p.round) AS round, -sum(p.paid_minor) AS house_win_minor
    FROM payments AS p
    LEFT JOIN dealing AS d ON (d.table_id, d.gaming_day, d.seq) = (p.table_id, p.gaming_day, p.seq)
    GROUP BY p.table_id, p.gaming_day, coalesce(d.round, p.round)
),
staked AS (
    SELECT
        r.table_id, r.gaming_day, r.round, d.dealer, r.currency, r.status, r.seats, r.started_at,
        coalesce(sum(w.stake_minor), 0) AS stake_minor,
        coalesce(any_value(paid.house_win_minor), 0) AS house_win_minor
    FROM rounds AS r
    LEFT JOIN dealt_last AS d USING (table_id, gaming_day, round)
    LEFT JOIN paid USING (table_id, gaming_day, round)
    LEFT JOIN wagers AS w USING (table_id, gaming_day, round)
    WHERE ($first IS NULL OR r.gaming_day >= $first) AND ($last IS NULL OR r.gaming_day <= $last)
    GROUP BY r.table_id, r.gaming_day, r.round, d.dealer, r.currency, r.status, r.seats, r.started_at
),
compared AS (
    SELECT
        *,
        median(stake_minor::DECIMAL(38, 1)) FILTER (status = 'played') OVER one_table AS usual_minor,
        CASE WHEN dealer IS NULL THEN NULL ELSE count(*) FILTER (status = 'void') OVER one_dealer END AS voided_by_dealer,
        CASE WHEN dealer IS NULL THEN NULL ELSE count(*) OVER one_dealer END AS rounds_of_dealer,
        sum(house_win_minor) OVER (
            PARTITION BY table_id, gaming_day, currency ORDER BY round ROWS BETWEEN $before PRECEDING AND 1 PRECEDING
        ) AS house_win_before_minor
    FROM staked
    WINDOW one_table AS (PARTITION BY table_id, gaming_day, currency), one_dealer AS (PARTITION BY dealer)
)
SELECT
    table_id, gaming_day, round, started_at, dealer, currency, seats, stake_minor,
    stake_minor / nullif(usual_minor, 0) AS times_usual,
    house_win_minor, house_win_before_minor, voided_by_dealer, rounds_of_dealer
FROM compared
WHERE status = 'void' AND stake_minor >= $times * coalesce(usual_minor, 0)
ORDER BY times_usual DESC NULLS LAST, gaming_day, table_id, round
