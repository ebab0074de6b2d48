-- What takes a host's time, in order, with all that decides about a slot: availability reads it for weeks at once, and no row of the table.
CREATE INDEX booking_taking ON booking (organization_id, host_id, start_at, end_at, buffer_before_minutes, buffer_after_minutes, seats, event_type_id, id)
    WHERE status IN ('pending', 'confirmed', 'completed', 'no_show');
