-- Payments: every settlement on the log as the player's net, with the due where it could be judged.
-- A settlement of a wager that was never placed, or that cannot be identified because events are missing, moved chips too, but
-- has no due. Where a later part of the log has the wager, the settlement belongs to it.
-- currency is that of the payment; a table may be opened again for another currency than the table-day's.
-- at_micros is when the wager was placed, or the round ended where there is no wager (UTC).
-- Unit: minor units.  Grain: settlement.
SELECT
    table_id, gaming_day, round, seat, hand, wager, player, dealer, settled_seq AS seq,
    epoch_us(placed_at) AS at_micros, stake_minor,
    paid_minor, due_minor, due_exact, delta_minor, article, rulings, reason AS remark,
    false AS for_nothing, false AS unmatched, coalesce(wagers.currency, table_days.currency) AS currency
FROM wagers
JOIN table_days USING (table_id, gaming_day)
WHERE paid_minor IS NOT NULL
UNION ALL
SELECT
    f.table_id, f.gaming_day, f.round, f.seat, NULL, NULL, f.player, f.dealer, f.seq,
    epoch_us(r.ended_at), NULL, f.delta_minor, NULL, NULL, NULL, f.article, NULL, f.message,
    f.code = 'SETTLED_NOTHING', f.code = 'SETTLEMENT_UNMATCHED', coalesce(r.currency, table_days.currency)
FROM (
    SELECT table_id, gaming_day, round, seat, player, dealer, seq, code, article, message, delta_minor
    FROM findings
    WHERE code = 'SETTLED_NOTHING'
    UNION ALL
    SELECT table_id, gaming_day, round, seat, player, dealer, seq, code, article, message, delta_minor
    FROM advisories
    WHERE code = 'SETTLEMENT_UNMATCHED'
) AS f
JOIN table_days USING (table_id, gaming_day)
LEFT JOIN rounds AS r USING (table_id, gaming_day, round)
ANTI JOIN wagers AS w ON (w.table_id, w.gaming_day, w.settled_seq) = (f.table_id, f.gaming_day, f.seq)
WHERE f.delta_minor IS NOT NULL
