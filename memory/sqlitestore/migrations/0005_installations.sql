-- additive
-- The bot's places in workspaces and guilds: bot.Installation.
CREATE TABLE installations (
    platform   TEXT NOT NULL,
    team       TEXT NOT NULL,
    enterprise TEXT NOT NULL,
    org        INTEGER NOT NULL,
    name       TEXT NOT NULL,
    bot_user   TEXT NOT NULL,
    installer  TEXT NOT NULL,
    scopes     TEXT NOT NULL,
    secret     BLOB,                       -- sealed by the adapter, NULL once the bot was sent away
    expires    INTEGER NOT NULL,
    state      TEXT NOT NULL,
    why        TEXT NOT NULL,
    installed  INTEGER NOT NULL,
    updated    INTEGER NOT NULL,
    version    INTEGER NOT NULL,
    PRIMARY KEY (platform, team)
) WITHOUT ROWID;
