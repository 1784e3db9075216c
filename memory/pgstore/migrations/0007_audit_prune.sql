-- contracts after 0006: nobody relied on the audit log refusing what is pruned
-- An entry may go when a later entry of its team says that all up to it did; see
-- bot.Pruned. Every other deletion is refused as before.
CREATE INDEX audit_pruned ON audit (team, seq) WHERE what = 'audit.prune';
DROP TRIGGER audit_append_only ON audit;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR TRUNCATE ON audit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();
CREATE FUNCTION audit_only_pruned() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS
    $$ BEGIN
        IF EXISTS (SELECT FROM gone g WHERE NOT EXISTS (
            SELECT FROM audit a WHERE a.team = g.team AND a.what = 'audit.prune' AND a.seq > g.seq
                AND (a.detail->>'through')::bigint >= g.seq)) THEN
            RAISE EXCEPTION 'the audit log is append-only';
        END IF;
        RETURN NULL;
    END $$;
CREATE TRIGGER audit_only_pruned AFTER DELETE ON audit REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION audit_only_pruned();
