-- House reconciliation: the sums over the tables of a gaming day, one row a currency.
-- Custody measures (accounted, custody gap, variances, drop, hold) are sums over the complete table-days only;
-- win_booked_minor is the win booked of these table-days, so that the identity holds for the house too.
-- The currency is that of the tables' sums: rounds, wagers and unjudged_count include those in another currency, for which
-- a table was opened again.
-- Unit: minor units.  Grain: gaming day and currency.
SELECT
    gaming_day, currency,
    count(*) AS tables,
    count(*) FILTER (NOT complete) AS incomplete,
    sum(rounds)::BIGINT AS rounds,
    sum(wagers)::BIGINT AS wagers,
    sum(handle_minor) AS handle_minor,
    sum(win_due_minor) AS win_due_minor,
    sum(win_recorded_minor) AS win_recorded_minor,
    sum(win_booked_minor) FILTER (complete) AS win_booked_minor,
    sum(win_accounted_minor) FILTER (complete) AS win_accounted_minor,
    sum(settlement_gap_minor) AS settlement_gap_minor,
    sum(custody_gap_minor) FILTER (complete) AS custody_gap_minor,
    sum(inventory_variance_minor) FILTER (complete) AS inventory_variance_minor,
    sum(drop_variance_minor) FILTER (complete) AS drop_variance_minor,
    sum(drop_minor) FILTER (complete) AS drop_minor,
    sum(win_accounted_minor) FILTER (complete)::DOUBLE / nullif(sum(drop_minor) FILTER (complete), 0) AS hold,
    sum(theoretical_win_minor) AS theoretical_win_minor,
    sum(theoretical_stake_minor) AS theoretical_stake_minor,
    sum(theoretical_stake_minor)::DOUBLE / nullif(sum(handle_minor), 0) AS theoretical_share,
    sum(luck_minor) AS luck_minor,
    round(sqrt(sum(luck_deviation_minor ** 2)), 2) AS luck_deviation_minor,
    sum(overpaid_count)::BIGINT AS overpaid_count,
    sum(overpaid_minor) AS overpaid_minor,
    sum(underpaid_count)::BIGINT AS underpaid_count,
    sum(underpaid_minor) AS underpaid_minor,
    sum(unsettled_count)::BIGINT AS unsettled_count,
    sum(unsettled_due_minor) AS unsettled_due_minor,
    sum(unjudged_count)::BIGINT AS unjudged_count
FROM table_reconciliation
GROUP BY gaming_day, currency
