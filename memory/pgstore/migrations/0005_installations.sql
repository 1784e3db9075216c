-- additive
-- The bot's places in workspaces and guilds: bot.Installation.
CREATE TABLE installations (
    platform   text NOT NULL,
    team       text NOT NULL,
    enterprise text NOT NULL,
    org        boolean NOT NULL,
    name       text NOT NULL,
    bot_user   text NOT NULL,
    installer  text NOT NULL,
    scopes     text NOT NULL,
    secret     bytea,                      -- sealed by the adapter, NULL once the bot was sent away
    expires    timestamptz,
    state      text NOT NULL,
    why        text NOT NULL,
    installed  timestamptz NOT NULL,
    updated    timestamptz NOT NULL,
    version    bigint NOT NULL,
    op         text NOT NULL,              -- the call that wrote it
    PRIMARY KEY (platform, team)
);
