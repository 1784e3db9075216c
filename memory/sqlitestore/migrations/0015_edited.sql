-- additive
-- Microseconds: the platform's time of the edit whose text an entry has, 0 for the first text. An older edit that comes later is left out.
ALTER TABLE entries ADD COLUMN edited INTEGER NOT NULL DEFAULT 0;
