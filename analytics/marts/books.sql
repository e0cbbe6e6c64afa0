-- Books: the books of a table-day reconciled with the win booked in them: the first ones (stretch 1), and those of each time that
-- the table was opened again. The files expected_closing, the variances, win_accounted and custody_gap define these columns; they
-- are null where a count or amount that they need is missing. Books are complete when opening, closing and drop were counted and
-- all amounts are known.
-- Unit: minor units of the books' own currency.  Grain: books of a table-day.
SELECT
    counts.*,
    coalesce(winnings.win_booked_minor, 0) AS win_booked_minor,
    opening_minor + fills_minor - credits_minor - buyins_minor + coalesce(winnings.win_booked_minor, 0) AS expected_closing_minor,
    closing_minor - expected_closing_minor AS inventory_variance_minor,
    drop_minor - buyins_minor AS drop_variance_minor,
    closing_minor + credits_minor + drop_minor - opening_minor - fills_minor AS win_accounted_minor,
    win_accounted_minor - coalesce(winnings.win_booked_minor, 0) AS custody_gap_minor,
    win_accounted_minor IS NOT NULL AND buyins_minor IS NOT NULL AS complete,
    concat_ws(
        ', ',
        CASE WHEN opening_minor IS NULL THEN 'opening' END,
        CASE WHEN closing_minor IS NULL THEN 'closing' END,
        CASE WHEN drop_minor IS NULL THEN 'drop' END,
        CASE WHEN fills_minor IS NULL THEN 'amount of a fill' END,
        CASE WHEN credits_minor IS NULL THEN 'amount of a credit' END,
        CASE WHEN buyins_minor IS NULL THEN 'amount of a buy-in' END
    ) AS not_counted
FROM counts
LEFT JOIN winnings USING (table_id, gaming_day, stretch)
