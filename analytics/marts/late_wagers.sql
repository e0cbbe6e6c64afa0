-- Late wagers: those placed after the bets were closed, with the wager of the lake that each is part of (placed_seq): itself, or
-- the stake that its chips were laid on, where the log settled both in one amount. Null where the bettor has several on the seat
-- that it may be.
-- Unit: minor units.  Grain: wager placed late.
SELECT
    f.table_id, f.gaming_day, f.round, f.seq, f."at", f.seat, f.player, f.dealer, f.amount_minor, f.article, f.message,
    CASE WHEN bool_or(w.placed_seq = f.seq) OR count(w.placed_seq) = 1 THEN max(w.placed_seq) END AS placed_seq
FROM findings AS f
LEFT JOIN wagers AS w
    ON (w.table_id, w.gaming_day, w.round, w.seat) = (f.table_id, f.gaming_day, f.round, f.seat)
        AND (
            w.placed_seq = f.seq
            OR (
                w.player IS NOT DISTINCT FROM f.player AND w.stake_minor > f.amount_minor
                AND f.seq > w.placed_seq AND f.seq < w.settled_seq
            )
        )
WHERE f.code = 'WAGER_AFTER_CLOSE'
GROUP BY ALL
