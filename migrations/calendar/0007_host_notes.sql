-- What hosts write about a booking for themselves.
ALTER TABLE booking ADD COLUMN host_note TEXT NOT NULL DEFAULT '';
