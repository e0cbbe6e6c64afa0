-- Rated wagers: judged wagers whose house edge is exact (house_edges.toml). Left out are
--   stakes returned as the round or the hand was void: no cards decided them
--   wagers placed after the close, and amounts added to a stake then, as the bettor may have seen cards; also every stake that
--   may be the one to which an amount was added
--   all wagers of a kind of a table-day that has one without its cards in a complete round: which hands a log shows may depend on
--   their cards, so the expectation over the hands shown is unknown
-- Included is a Pair Plus given up by a fold that 97/2008 art. 9(3) forbids, though it might have won: the fold is a finding
-- (F3_FOLD_FORBIDDEN) and is shown next to the luck.
-- Unit: minor units, variance and covariance of one unit staked.  Grain: wager.
WITH chosen AS (
    SELECT DISTINCT table_id, gaming_day, wager
    FROM wagers
    JOIN rounds USING (table_id, gaming_day, round)
    WHERE due_minor IS NULL AND rounds.status NOT IN ('incomplete', 'unjudged')
),
late AS (
    SELECT table_id, gaming_day, round, seat, player, seq, amount_minor
    FROM findings
    WHERE code = 'WAGER_AFTER_CLOSE'
),
-- An amount added to a stake has no row among the wagers. The lake does not tell which of the bettor's stakes it is part of: one
-- of those that are larger.
added AS (
    SELECT late.table_id, late.gaming_day, late.round, late.seat, late.player, sum(amount_minor) AS added_minor
    FROM late
    ANTI JOIN wagers AS w ON (w.table_id, w.gaming_day, w.placed_seq) = (late.table_id, late.gaming_day, late.seq)
    GROUP BY ALL
),
raised AS (
    SELECT
        w.table_id, w.gaming_day, w.placed_seq, added_minor,
        count(*) OVER (PARTITION BY w.table_id, w.gaming_day, w.round, w.seat, w.player) AS stakes
    FROM added
    JOIN wagers AS w
        ON (w.table_id, w.gaming_day, w.round, w.seat) = (added.table_id, added.gaming_day, added.round, added.seat)
            AND w.player IS NOT DISTINCT FROM added.player AND w.stake_minor > added_minor
    WHERE w.wager <> 'raise' -- is decided on the cards, after the close
)
SELECT
    table_id, gaming_day, round, seat, regulation, wager,
    (stake_minor - coalesce(added_minor, 0))::BIGINT AS stake_minor,
    (due_minor * (stake_minor - coalesce(added_minor, 0)) // stake_minor)::BIGINT AS due_minor,
    edge_numerator, edge_denominator, variance, covariance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (table_id, gaming_day, regulation, wager)
ANTI JOIN chosen
    ON (chosen.table_id, chosen.gaming_day) = (wagers.table_id, wagers.gaming_day)
        AND chosen.wager IN (wagers.wager, 'all', 'hand') -- a settlement in one amount may include any wager
LEFT JOIN raised USING (table_id, gaming_day, placed_seq)
WHERE due_minor <> 0 AND wagers.status <> 'void' AND coalesce(stakes, 1) = 1
    -- not as an anti join, for which the database would keep all wagers in memory in place of the late ones
    AND (table_id, gaming_day, placed_seq) NOT IN (SELECT (table_id, gaming_day, seq) FROM late)
