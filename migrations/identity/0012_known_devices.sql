-- Where somebody has signed in from: hashes of browser and network.
CREATE TABLE known_devices (
    user_id TEXT NOT NULL REFERENCES users (id),
    mark TEXT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, mark)
);
