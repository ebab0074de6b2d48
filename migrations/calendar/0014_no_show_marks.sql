-- When it was noted that somebody did not come, and when that was taken back.
ALTER TABLE booking ADD COLUMN no_show_marks TEXT NOT NULL DEFAULT '[]';
