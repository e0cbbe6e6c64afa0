-- Payments: every settlement on the log as the player's net, with what was due where that could be judged.
-- A settlement of a wager that was never placed, or cannot be identified because events are missing, moved chips as well; it
-- is due nothing that could be named.
-- same_currency is whether it was paid in the table-day's; a table may be opened again for another one, which adds to no sum in it.
-- at_micros is when the wager was placed, or the round ended where none was (UTC).
-- Unit: minor units.  Grain: settlement.
SELECT
    table_id, gaming_day, round, seat, hand, wager, player, dealer, settled_seq AS seq,
    epoch_us(placed_at) AS at_micros, stake_minor,
    paid_minor, due_minor, due_exact, delta_minor, article, rulings, reason AS remark,
    false AS for_nothing, false AS unmatched, (wagers.currency <> table_days.currency) IS NOT TRUE AS same_currency
FROM wagers
JOIN table_days USING (table_id, gaming_day)
WHERE paid_minor IS NOT NULL
UNION ALL
SELECT
    f.table_id, f.gaming_day, f.round, f.seat, NULL, NULL, NULL, r.dealer, f.seq,
    epoch_us(r.ended_at), NULL, f.delta_minor, NULL, NULL, NULL, f.article, NULL, f.message,
    f.code = 'SETTLED_NOTHING', f.code = 'SETTLEMENT_UNMATCHED', (r.currency <> table_days.currency) IS NOT TRUE
FROM findings AS f
JOIN table_days USING (table_id, gaming_day)
LEFT JOIN rounds AS r USING (table_id, gaming_day, round)
WHERE f.code IN ('SETTLED_NOTHING', 'SETTLEMENT_UNMATCHED') AND f.delta_minor IS NOT NULL
