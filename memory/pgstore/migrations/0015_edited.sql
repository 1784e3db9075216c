-- additive
-- The platform's time of the edit whose text an entry has; none for the first text. An older edit that comes later is left out.
ALTER TABLE entries ADD COLUMN edited timestamptz;
