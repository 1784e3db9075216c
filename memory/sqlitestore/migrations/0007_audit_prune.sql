-- contracts after 0006: nobody relied on the audit log refusing what is pruned
-- An entry may go when a later entry of its team says that all up to it did; see
-- bot.Pruned. Every other deletion is refused as before.
CREATE INDEX audit_pruned ON audit (team, seq) WHERE what = 'audit.prune';
DROP TRIGGER audit_no_delete;
CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit WHEN NOT EXISTS (
    SELECT 1 FROM audit WHERE team = OLD.team AND what = 'audit.prune' AND seq > OLD.seq
        AND json_extract(CAST(detail AS TEXT), '$.through') >= OLD.seq)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
