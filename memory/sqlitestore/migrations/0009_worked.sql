-- additive
-- Microseconds that a run worked, what it waited for people not counted: bot.Run.
ALTER TABLE runs ADD COLUMN worked INTEGER NOT NULL DEFAULT 0;
