-- Folding replaces apostrophes and hyphens, as it removes accents.
UPDATE users SET folded_name = REPLACE(folded_name, '‘', '''') WHERE folded_name LIKE '%‘%';
UPDATE users SET folded_name = REPLACE(folded_name, '’', '''') WHERE folded_name LIKE '%’%';
UPDATE users SET folded_name = REPLACE(folded_name, '‛', '''') WHERE folded_name LIKE '%‛%';
UPDATE users SET folded_name = REPLACE(folded_name, 'ʼ', '''') WHERE folded_name LIKE '%ʼ%';
UPDATE users SET folded_name = REPLACE(folded_name, 'ʻ', '''') WHERE folded_name LIKE '%ʻ%';
UPDATE users SET folded_name = REPLACE(folded_name, '′', '''') WHERE folded_name LIKE '%′%';
UPDATE users SET folded_name = REPLACE(folded_name, '‐', '-') WHERE folded_name LIKE '%‐%';
UPDATE users SET folded_name = REPLACE(folded_name, '‒', '-') WHERE folded_name LIKE '%‒%';
UPDATE users SET folded_name = REPLACE(folded_name, '–', '-') WHERE folded_name LIKE '%–%';
UPDATE users SET folded_name = REPLACE(folded_name, '—', '-') WHERE folded_name LIKE '%—%';
UPDATE users SET folded_name = REPLACE(folded_name, '―', '-') WHERE folded_name LIKE '%―%';
UPDATE users SET folded_name = REPLACE(folded_name, '−', '-') WHERE folded_name LIKE '%−%';
-- An acute accent was stored as a space: the plugin folds these names again.
UPDATE users SET folded_name = NULL WHERE display_name LIKE '%´%';
