-- Folding replaces apostrophes and hyphens, as it removes accents.
UPDATE booking SET guest_name = REPLACE(guest_name, '‘', '''') WHERE guest_name LIKE '%‘%';
UPDATE booking SET guest_name = REPLACE(guest_name, '’', '''') WHERE guest_name LIKE '%’%';
UPDATE booking SET guest_name = REPLACE(guest_name, '‛', '''') WHERE guest_name LIKE '%‛%';
UPDATE booking SET guest_name = REPLACE(guest_name, 'ʼ', '''') WHERE guest_name LIKE '%ʼ%';
UPDATE booking SET guest_name = REPLACE(guest_name, 'ʻ', '''') WHERE guest_name LIKE '%ʻ%';
UPDATE booking SET guest_name = REPLACE(guest_name, '′', '''') WHERE guest_name LIKE '%′%';
UPDATE booking SET guest_name = REPLACE(guest_name, '‐', '-') WHERE guest_name LIKE '%‐%';
UPDATE booking SET guest_name = REPLACE(guest_name, '‒', '-') WHERE guest_name LIKE '%‒%';
UPDATE booking SET guest_name = REPLACE(guest_name, '–', '-') WHERE guest_name LIKE '%–%';
UPDATE booking SET guest_name = REPLACE(guest_name, '—', '-') WHERE guest_name LIKE '%—%';
UPDATE booking SET guest_name = REPLACE(guest_name, '―', '-') WHERE guest_name LIKE '%―%';
UPDATE booking SET guest_name = REPLACE(guest_name, '−', '-') WHERE guest_name LIKE '%−%';
