-- Expectations: wagers with a known house edge that were judged, void ones left out: their stakes, what the house must
-- expect to win of them, what it was due, and the variance of that. The expectation is the stakes times an exact
-- fraction, rounded once, halves away from nought.
-- Unit: minor units, variance in their squares.  Grain: table-day, regulation and kind of wager.
SELECT
    table_id, gaming_day, regulation, wager,
    sum(stake_minor)::BIGINT AS stake_minor,
    (
        sign(edge_numerator)
        * ((2 * sum(stake_minor)::HUGEINT * abs(edge_numerator) + edge_denominator) // (2 * edge_denominator))
    )::BIGINT AS expected_minor,
    -sum(due_minor)::BIGINT AS due_minor,
    sum(stake_minor::DOUBLE * stake_minor) * variance AS variance
FROM wagers
JOIN rounds USING (table_id, gaming_day, round)
JOIN house_edges USING (regulation, wager)
WHERE due_minor IS NOT NULL AND wagers.status <> 'void'
GROUP BY table_id, gaming_day, regulation, wager, edge_numerator, edge_denominator, variance
