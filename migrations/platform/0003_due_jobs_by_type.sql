-- Who looks for jobs of its own types passes over those of others in the index, without reading their rows.
DROP INDEX portico_job_due;
CREATE INDEX portico_job_due ON portico_job (due_at, type) WHERE dead_at IS NULL;
