-- additive
-- Microseconds that a run worked, what it waited for people not counted: bot.Run.
ALTER TABLE runs ADD COLUMN worked bigint NOT NULL DEFAULT 0;
