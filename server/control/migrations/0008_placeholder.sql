-- Keeps the numbers without a gap until the rows of hosted sites come in this place.

SELECT 1;
