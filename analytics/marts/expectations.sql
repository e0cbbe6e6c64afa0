-- Expectations: the stakes of rated wagers, the house's expected win on them, and its due. The expectation is the stakes
-- times an exact fraction, rounded once, halves away from zero.
-- Unit: minor units.  Grain: table-day, regulation and kind of wager.
SELECT
    table_id, gaming_day, regulation, wager,
    sum(stake_minor) AS stake_minor,
    (
        sign(edge_numerator)
        * ((2 * sum(stake_minor) * abs(edge_numerator) + edge_denominator) // (2 * edge_denominator))
    ) AS expected_minor,
    -sum(due_minor) AS due_minor
FROM rated_wagers
GROUP BY table_id, gaming_day, regulation, wager, edge_numerator, edge_denominator
