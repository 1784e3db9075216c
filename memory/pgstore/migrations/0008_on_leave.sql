-- additive
-- What was decided to do with the data of a workspace that is being left: bot.Installation.
ALTER TABLE installations ADD COLUMN on_leave text NOT NULL DEFAULT '';
