-- Table reconciliation: all measures of a table-day in one row. Chips and cash are those of the first books; measures are
-- null where a count that they need is missing. Theoretical win, luck and its deviation are over the wagers with an exact
-- edge; theoretical_share is their share of the handle.
-- rounds, wagers and unjudged_count cover all currencies, amounts only the table-day's.
-- A table-day that a measure lacked would have nulls, not be left out; and joined so, no order of joins is searched.
-- Unit: minor units.  Grain: table-day.
SELECT
    table_id, gaming_day, game, table_days.currency, rounds, wagers,
    handle_minor, win_due_minor, win_recorded_minor, win_booked_minor, win_accounted_minor,
    settlement_gap_minor, custody_gap_minor, inventory_variance_minor, drop_variance_minor,
    opening_minor, fills_minor, credits_minor, buyins_minor, drop_minor, closing_minor, expected_closing_minor,
    hold, theoretical_win_minor, theoretical_stake_minor,
    theoretical_stake_minor::DOUBLE / nullif(handle_minor, 0) AS theoretical_share, luck_minor, luck_deviation_minor,
    overpaid_count, overpaid_minor, underpaid_count, underpaid_minor,
    unsettled_count, unsettled_due_minor, unjudged_count, unjudged_stake_minor, unjudged_paid_minor,
    complete, not_counted
FROM table_days
LEFT JOIN wagered USING (table_id, gaming_day)
LEFT JOIN first_books USING (table_id, gaming_day)
LEFT JOIN win_recorded USING (table_id, gaming_day)
LEFT JOIN settlement_gap USING (table_id, gaming_day)
LEFT JOIN hold USING (table_id, gaming_day)
LEFT JOIN theoretical_win USING (table_id, gaming_day)
LEFT JOIN luck USING (table_id, gaming_day)
LEFT JOIN luck_deviation USING (table_id, gaming_day)
