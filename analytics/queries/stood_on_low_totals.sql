-- Question: Who stood on 12 against a ten?
-- Purpose: known players who stood on a hand that nobody who plays for himself stands on, and how often the bank then bust; rounds played to their end only.
-- Innocent: a timid player stands against every card and loses by it; a share of busts far above chance (about 21 in 100 against a ten) is the exception.
-- Param: total int = 12 | points of the hand when he stood
-- Param: upcard_value int = 10 | points of the bank's open card, 11 for an ace
-- Param: min_count int = 1 | such hands that a player needs to be listed
SELECT
    player, dealer, currency,
    count(*) AS stood,
    count(*) FILTER (bank = 'bust') AS bank_bust,
    count(*) FILTER (bank = 'bust') / count(*) AS bank_bust_share,
    count(*) FILTER (result = 'won') AS won,
    sum(stake_minor) AS stake_minor,
    min(gaming_day) AS first_day,
    max(gaming_day) AS last_day
FROM hands
JOIN (SELECT table_id, gaming_day, round, currency, bank FROM rounds WHERE status = 'played') USING (table_id, gaming_day, round)
WHERE total = $total AND upcard_value = $upcard_value AND decisions LIKE '%stand' AND NOT soft AND player IS NOT NULL
    AND ($first IS NULL OR gaming_day >= $first) AND ($last IS NULL OR gaming_day <= $last)
GROUP BY player, dealer, currency
HAVING stood >= $min_count
ORDER BY stood DESC, bank_bust_share DESC, player, dealer, currency
