-- Which hosts of this database have a service enabled; services.enabled says whether one of them has.
CREATE TABLE service_hosts (
    host_id TEXT NOT NULL,
    service_id TEXT NOT NULL,
    -- A host that gives no sign of life for a day is forgotten.
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (host_id, service_id)
);
