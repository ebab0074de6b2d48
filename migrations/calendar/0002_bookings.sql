-- Bookings, the seats that they keep, and the record of holds.
CREATE TABLE booking (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    title TEXT NOT NULL,
    status TEXT NOT NULL,
    start_at BIGINT NOT NULL,
    end_at BIGINT NOT NULL,
    host_time_zone TEXT NOT NULL,
    guest TEXT NOT NULL,
    guest_email TEXT NOT NULL,
    guest_name TEXT NOT NULL,
    additional_guests TEXT NOT NULL,
    answers TEXT NOT NULL,
    notes TEXT NOT NULL,
    seats BIGINT NOT NULL,
    meeting_kind TEXT NOT NULL,
    meeting_provider_ref TEXT,
    meeting_status TEXT NOT NULL,
    buffer_before_minutes BIGINT NOT NULL,
    buffer_after_minutes BIGINT NOT NULL,
    hold_id TEXT,
    source TEXT NOT NULL,
    embed_origin TEXT NOT NULL,
    i_cal_uid TEXT NOT NULL,
    i_cal_sequence BIGINT NOT NULL,
    previous_start TEXT NOT NULL,
    cancellation TEXT,
    approval TEXT,
    decide_before BIGINT,
    no_show TEXT NOT NULL,
    manage_token_hash TEXT NOT NULL,
    manage_token TEXT NOT NULL,
    hold_token_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX booking_of_host ON booking (organization_id, host_id, start_at, id);
CREATE INDEX booking_by_guest ON booking (organization_id, guest_email);
CREATE UNIQUE INDEX booking_of_hold ON booking (hold_id) WHERE hold_id IS NOT NULL;
-- What time alone changes.
CREATE INDEX booking_ending ON booking (end_at) WHERE status = 'confirmed';
CREATE INDEX booking_undecided ON booking (decide_before) WHERE status = 'pending';

-- The seats of bookings that are pending or confirmed: each is taken once, whichever process is asked.
CREATE TABLE booking_seat (
    organization_id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    start_at BIGINT NOT NULL,
    seat BIGINT NOT NULL,
    booking_id TEXT NOT NULL,
    PRIMARY KEY (organization_id, host_id, event_type_id, start_at, seat)
);
CREATE INDEX booking_seat_of ON booking_seat (organization_id, booking_id);

-- What became of each hold; the holds themselves live in the StateStore.
CREATE TABLE slot_hold (
    organization_id TEXT NOT NULL,
    id TEXT NOT NULL,
    host_id TEXT NOT NULL,
    event_type_id TEXT NOT NULL,
    start_at BIGINT NOT NULL,
    end_at BIGINT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT,
    source TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    closed_at BIGINT,
    booking_id TEXT,
    PRIMARY KEY (organization_id, id)
);
CREATE INDEX slot_hold_of_host ON slot_hold (organization_id, host_id, created_at, id);
CREATE INDEX slot_hold_open ON slot_hold (expires_at) WHERE status = 'reserved';
