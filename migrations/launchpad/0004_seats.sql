-- Seats of paid subscriptions. The place of a seat is below the number of purchased seats, so a unique key limits them.
CREATE TABLE seat (
    id TEXT NOT NULL PRIMARY KEY,
    subscription_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    assignee_type TEXT NOT NULL,
    assignee_id TEXT NOT NULL,
    assigned_by TEXT NOT NULL,
    assigned_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX seat_place ON seat (subscription_id, place);
CREATE UNIQUE INDEX seat_assignee ON seat (subscription_id, assignee_id);
CREATE INDEX seat_by_person ON seat (assignee_id);
