-- Another number after each change of a host's bookings: what was read of them by the same number is what is there.
ALTER TABLE host ADD COLUMN taken_mark BIGINT NOT NULL DEFAULT 0;
