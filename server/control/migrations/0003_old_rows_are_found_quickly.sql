-- What is old is forgotten each hour, and each request with an `Idempotency-Key` looks for such rows.

CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX audit_by_age ON audit (at);
