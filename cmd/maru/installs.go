package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"maru/bot"
)

// installs is `maru installs`: it lists the bot's installations, or uninstalls it from a workspace. With the embedded
// record the program must not be running; a running one completes a removal started here.
func installs(ctx context.Context, inv invocation) (err error) {
	list := len(inv.args) == 0 || len(inv.args) == 1 && inv.args[0] == "list"
	if !list && (len(inv.args) != 2 || inv.args[0] != "remove") {
		return usageError{Text: "it takes nothing, list, or remove PLATFORM/WORKSPACE"}
	}
	_, log := terminal(inv)
	if !list {
		return removeInstall(ctx, inv, log, inv.args[1])
	}
	b := newBase(inv.cfg, log)
	defer func() { err = errors.Join(err, b.opened.Close()) }()
	record, _, err := openRecord(ctx, b)
	if err != nil {
		return err
	}
	return listInstalls(ctx, record, inv)
}

func listInstalls(ctx context.Context, list installations, inv invocation) error {
	rows, err := list.Installations(ctx, "")
	if err != nil {
		return err
	}
	if len(rows) == 0 {
		_, err := fmt.Fprintln(inv.stdout, "no workspace has installed the bot; a single one with tokens in the environment is not listed")
		return err
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 4, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "WORKSPACE\tNAME\tSTATE\tSINCE\tBY\tTOKEN UNTIL") // the error is kept for Flush
	for _, in := range rows {
		state, until := string(in.State), ""
		switch {
		case in.Why != "":
			state += " (" + in.Why + ")"
		case in.Covered():
			state += " (by " + in.Enterprise + ")"
		}
		if !in.Expires.IsZero() {
			until = in.Expires.Format(time.RFC3339)
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", in.TeamKey(), oneLine(in.Name), state, in.Installed.Format(time.RFC3339), in.By, until)
	}
	return w.Flush()
}

// returner is an adapter that can revoke its credentials for a workspace.
type returner interface {
	GiveBack(ctx context.Context, in bot.Installation) error
}

// removeInstall handles an uninstallation as if the platform had sent the event, and leaves the workspace if the
// platform permits it.
func removeInstall(ctx context.Context, inv invocation, log *slog.Logger, key string) (err error) {
	platform, team, ok := strings.Cut(key, "/")
	if !ok || platform == "" || team == "" {
		return usageError{Text: fmt.Sprintf("%q is no workspace: write it as `maru installs` shows it, e.g. slack/T0123ABCD", key)}
	}
	a, err := wire(ctx, inv.cfg, log, fronts{platforms: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	row, err := a.record.Installation(ctx, platform, team)
	if errors.Is(err, bot.ErrNotFound) {
		return fmt.Errorf("there is no installation in %s; `maru installs` lists them", key)
	}
	if err != nil {
		return err
	}
	for _, ad := range a.adapters {
		r, can := ad.(returner)
		if !can || ad.Platform() != platform || row.State != bot.InstallActive && row.State != bot.InstallBroken {
			continue
		}
		if err := r.GiveBack(ctx, row); err != nil {
			_, _ = fmt.Fprintf(inv.stderr, "%s was not told: %v; an admin there can remove the app\n", platform, err) // no other place to report it
		}
	}
	if err := a.bot.Evict(ctx, bot.Departure{Platform: platform, Team: team, Why: "operator"}); err != nil {
		return err
	}
	if row, err = a.record.Installation(ctx, platform, team); err != nil {
		return err
	}
	_, err = fmt.Fprintf(inv.stdout, "%s (%s) is %s\n", row.TeamKey(), oneLine(row.Name), row.State)
	return err
}
