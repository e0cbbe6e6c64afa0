-- Purpose: players who bet on a seat where somebody else decided, and were paid otherwise than was due; where the log does not tell who decided, those who stand behind the seat. Player null are those whom it does not name. One row a currency.
-- Innocent: shared seats are allowed, and their payments, in several stacks, are the ones most often miscounted.
-- Param: min_count int = 1 | wrong payments that a player needs to be listed
WITH deciders AS (
    SELECT table_id, gaming_day, round, seat, list(DISTINCT player) AS players
    FROM decisions
    -- Each bettor insures and claims for himself: who does so decides nothing on the seat.
    WHERE action NOT IN ('insurance', 'even_money', 'five_card_half', 'special_prize', 'decline_special_prize')
    GROUP BY table_id, gaming_day, round, seat
    HAVING count(player) > 0
)
SELECT
    w.table_id, w.gaming_day, w.player, w.dealer, w.currency,
    count(*) AS wagers_behind,
    count(*) FILTER (w.delta_minor <> 0) AS wrong_count,
    coalesce(sum(w.delta_minor) FILTER (w.delta_minor > 0), 0) AS overpaid_minor,
    -coalesce(sum(w.delta_minor) FILTER (w.delta_minor < 0), 0) AS underpaid_minor,
    sum(w.paid_minor) AS paid_minor
FROM wagers AS w
LEFT JOIN deciders AS d USING (table_id, gaming_day, round, seat)
WHERE coalesce(NOT list_contains(d.players, w.player), w.position > 0)
    AND ($first IS NULL OR w.gaming_day >= $first) AND ($last IS NULL OR w.gaming_day <= $last)
GROUP BY w.table_id, w.gaming_day, w.player, w.dealer, w.currency
HAVING wrong_count >= $min_count
ORDER BY overpaid_minor + underpaid_minor DESC, w.table_id, w.gaming_day, w.player, w.dealer, w.currency
