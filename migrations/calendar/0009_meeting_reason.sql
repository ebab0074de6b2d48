-- Why a booking has no meeting.
ALTER TABLE booking ADD COLUMN meeting_reason TEXT;
