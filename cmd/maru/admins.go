package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"maru/bot"
)

// installations lists where the bot is installed; [bot.Record] is one.
type installations interface {
	Installations(ctx context.Context, platform string) ([]bot.Installation, error)
}

// warnAdmins logs the result of looseAdmins for the operator.
func warnAdmins(ctx context.Context, admins []string, rows installations, log *slog.Logger) {
	ids, servers, err := looseAdmins(ctx, admins, rows)
	switch {
	case err != nil:
		log.WarnContext(ctx, "MARU_ADMINS: check against the Discord servers", "err", err)
	case ids > 0:
		log.WarnContext(ctx, "MARU_ADMINS: a Discord id without a server applies to every server; write discord/SERVER/USER for one of them",
			"ids", ids, "servers", servers)
	}
}

// looseAdmins returns the number of MARU_ADMINS who administer several Discord servers at once, and of these
// servers, since a Discord id names the same person in all of them. The settings reject this for Slack, whose ids
// differ by workspace.
func looseAdmins(ctx context.Context, admins []string, rows installations) (ids, servers int, err error) {
	for _, who := range admins {
		if who != "" && strings.Trim(who, "0123456789") == "" {
			ids++
		}
	}
	if ids == 0 {
		return 0, 0, nil
	}
	list, err := rows.Installations(ctx, "discord")
	if err != nil {
		return 0, 0, err
	}
	for _, row := range list {
		if row.State == bot.InstallActive {
			servers++
		}
	}
	if servers < 2 {
		return 0, servers, nil
	}
	return ids, servers, nil
}

// examineAdmins does the same for `/maru doctor`, since servers may be added after the start.
func examineAdmins(ctx context.Context, admins []string, rows installations) []bot.Finding {
	ids, servers, err := looseAdmins(ctx, admins, rows)
	if err == nil && ids == 0 {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %d Discord ids apply to all %d servers; write discord/SERVER/USER for one of them", bot.ErrLimited, ids, servers)
	}
	return []bot.Finding{{Part: "MARU_ADMINS", Err: err}}
}
