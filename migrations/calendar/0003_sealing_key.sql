-- Seals guests' links and what opens other calendars, where the operator names no file of keys (`calendar.sealingKeys`).
CREATE TABLE sealing_key (
    id TEXT NOT NULL PRIMARY KEY,
    secret TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
