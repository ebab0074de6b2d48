-- What is wrong with a calendar elsewhere, for programs that say it in words of their own.
ALTER TABLE external_calendar ADD COLUMN last_faults TEXT NOT NULL DEFAULT '[]';
