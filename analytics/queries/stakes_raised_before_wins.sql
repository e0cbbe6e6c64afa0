-- Question: Who raises his stake just before he wins?
-- Purpose: players whose raised stakes on the hand win more often than their others, with what the round before had brought; side wagers apart; one row a currency.
-- Innocent: a progression raises after a win or after a loss, whatever comes next; only the result of the raised round itself speaks. Of many players some win all of a few raised rounds by chance.
-- Param: times number = 2 | a stake is raised when it is so many times the one of the player's round before at the table
-- Param: min_raised int = 2 | raised rounds that a player needs to be listed
WITH own AS (
    SELECT
        table_id, gaming_day, round, player, currency,
        sum(stake_minor) FILTER (wager IN ('main', 'ante')) AS stake_minor,
        sum(paid_minor) AS paid_minor
    FROM wagers
    WHERE player IS NOT NULL AND status <> 'void' AND wager IN ('main', 'double', 'split', 'ante', 'raise')
        AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
    GROUP BY table_id, gaming_day, round, player, currency
    HAVING stake_minor > 0 AND count(paid_minor) = count(*)
),
compared AS (
    SELECT
        *,
        stake_minor >= $times * lag(stake_minor) OVER one_player AS raised,
        lag(paid_minor) OVER one_player AS before_minor
    FROM own
    WINDOW one_player AS (PARTITION BY table_id, gaming_day, player, currency ORDER BY round)
)
SELECT
    player, currency,
    count(*) AS rounds,
    count(*) FILTER (raised) AS raised_count,
    count(*) FILTER (raised AND before_minor > 0) AS raised_after_win,
    count(*) FILTER (raised AND before_minor < 0) AS raised_after_loss,
    count(*) FILTER (raised AND paid_minor > 0) / raised_count AS raised_won_share,
    count(*) FILTER (NOT raised AND paid_minor > 0) / nullif(count(*) FILTER (NOT raised), 0) AS others_won_share,
    sum(paid_minor) FILTER (raised) AS raised_net_minor,
    coalesce(sum(paid_minor) FILTER (NOT raised), 0) AS others_net_minor
FROM compared
WHERE raised IS NOT NULL
GROUP BY player, currency
HAVING raised_count >= greatest($min_raised, 1)
-- The difference grows by the rounds that it rests on: eight wins in ten raised rounds come before two in two.
ORDER BY (raised_won_share - others_won_share) * sqrt(raised_count * (rounds - raised_count) / rounds) DESC NULLS LAST, player, currency
