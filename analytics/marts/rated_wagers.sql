-- Rated wagers: those with a known house edge that were judged, void ones left out.
-- Unit: minor units, variance of one unit staked.  Grain: wager.
SELECT
    table_id, gaming_day, round, regulation, wager, stake_minor, due_minor,
    edge_numerator, edge_denominator, variance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (regulation, wager)
WHERE due_minor IS NOT NULL AND wagers.status <> 'void'
