package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/logtest"
	"maru/memory/sqlitestore"
)

// TestAdminsOfSeveralServersAreTold: who is an admin in more servers than the
// operator may have thought of is told at the start.
func TestAdminsOfSeveralServersAreTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		admins []string
		states []bot.InstallState
		warned bool
	}{
		"two_servers":       {[]string{"80351110224678912"}, []bot.InstallState{bot.InstallActive, bot.InstallActive}, true},
		"one_server":        {[]string{"80351110224678912"}, []bot.InstallState{bot.InstallActive}, false},
		"one_that_was_left": {[]string{"80351110224678912"}, []bot.InstallState{bot.InstallActive, bot.InstallRemoved}, false},
		"named_in_full":     {[]string{"discord/1/80351110224678912", "U0123"}, []bot.InstallState{bot.InstallActive, bot.InstallActive}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			for i, state := range c.states {
				if _, err := s.SaveInstallation(t.Context(), bot.Installation{Platform: "discord", Team: fmt.Sprint(i + 1), State: state}); err != nil {
					t.Fatal(err)
				}
			}
			var log logtest.Log
			warnAdmins(t.Context(), c.admins, s, log.Logger())
			if warned := strings.Contains(log.String(), "MARU_ADMINS") && strings.Contains(log.String(), "discord/SERVER/USER"); warned != c.warned || strings.Contains(log.String(), "80351110224678912") {
				t.Errorf("warned %v: %s", warned, log.String())
			}
			if found := examineAdmins(t.Context(), c.admins, s); len(found) > 0 != c.warned || c.warned && !errors.Is(found[0].Err, bot.ErrLimited) {
				t.Errorf("/maru doctor finds %+v", found)
			}
		})
	}
}
