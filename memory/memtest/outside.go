package memtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/bot"
	"maru/bot/outside"
)

// desk returns the part of a record that keeps tokens and requests: every record has it.
func desk(t *testing.T, r bot.Record) outside.Store {
	t.Helper()
	s, ok := r.(outside.Store)
	if !ok {
		t.Fatalf("%T keeps no tokens", r)
	}
	return s
}

var homeA = outside.Home{Platform: threadA.Platform, Team: threadA.Team}

func token(id, owner string) outside.Token {
	return outside.Token{
		ID: id, Hash: "hash of " + id, Home: homeA, Owner: bot.User{ID: owner, Name: "영희"}, Name: "laptop",
		Scopes: []outside.Scope{outside.Ask, outside.Search}, Created: dueAt, Expires: dueAt.Add(time.Hour),
	}
}

func filed(id, key, contents string) (outside.Filed, bot.Item) {
	f := outside.Filed{
		ID: id, Key: key, Contents: contents, Home: homeA, Person: "U1", By: "배포 봇", Token: "t1", Thread: threadA, Run: "run of " + id,
		Digest: "sha256:" + id, Created: dueAt, Expires: dueAt.Add(time.Hour),
	}
	body, _ := json.Marshal(bot.Message{ID: id, Thread: threadA}) // plain data
	return f, bot.Item{ID: "request/" + id, Thread: threadA.Key(), Kind: bot.ItemMessage, Body: body}
}

var outsideCases = map[string]func(*testing.T, bot.Record){
	"a_token_comes_back_whole_and_goes_with_its_owner's_word": func(t *testing.T, r bot.Record) {
		s := desk(t, r)
		want := token("t1", "U1")
		noErr(t, "put", s.PutToken(t.Context(), want, 10))
		noErr(t, "put another's", s.PutToken(t.Context(), token("t2", "U2"), 10))
		got, err := s.TokenByHash(t.Context(), want.Hash)
		noErr(t, "by hash", err)
		equal(t, "token", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
		gone, err := s.DropToken(t.Context(), homeA, "U2", "t1")
		noErr(t, "drop", err)
		equal(t, "another person drops it", gone, false)
		gone, err = s.DropToken(t.Context(), homeA, "U1", "t1")
		noErr(t, "drop", err)
		equal(t, "its owner drops it", gone, true)
		_, err = s.TokenByHash(t.Context(), want.Hash)
		equal(t, "gone", errors.Is(err, bot.ErrNotFound), true)
		list, err := s.Tokens(t.Context(), homeA, "U2")
		noErr(t, "list", err)
		equal(t, "others stay", len(list), 1)
	},
	"of_many_tokens_at_once_no_more_than_the_limit_get_in": func(t *testing.T, r bot.Record) {
		s := desk(t, r)
		old := token("old", "U1")
		old.Created, old.Expires = dueAt.Add(-2*time.Hour), dueAt.Add(-time.Hour)
		noErr(t, "put one that is over", s.PutToken(t.Context(), old, 3))
		var in, full atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				switch err := s.PutToken(t.Context(), token(fmt.Sprintf("t%d", i), "U1"), 3); {
				case err == nil:
					in.Add(1)
				case errors.Is(err, outside.ErrFull):
					full.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		equal(t, "in, refused", fmt.Sprint(in.Load(), full.Load()), "3 5")
	},
	"a_request_is_filed_once_with_its_item": func(t *testing.T, r bot.Record) {
		s := desk(t, r)
		var fresh atomic.Int32
		var mu sync.Mutex
		var ids []string
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				f, it := filed(fmt.Sprintf("r%d", i), "deploy-7", "the same")
				stored, first, err := s.FileRequest(t.Context(), f, it)
				if err != nil {
					t.Error(err)
				}
				if first {
					fresh.Add(1)
				}
				mu.Lock()
				defer mu.Unlock()
				ids = append(ids, stored.ID)
			})
		}
		all.Wait()
		slices.Sort(ids)
		equal(t, "fresh ones", fresh.Load(), 1)
		equal(t, "ids that were told", len(slices.Compact(ids)), 1)
		n, _, err := r.Pending(t.Context(), threadA.TeamKey())
		noErr(t, "pending", err)
		equal(t, "items", n, 1)
		f, it := filed("r9", "deploy-7", "something else")
		_, _, err = s.FileRequest(t.Context(), f, it)
		equal(t, "other contents under the key", errors.Is(err, outside.ErrOther), true)
		f.Key = "deploy-8"
		stored, first, err := s.FileRequest(t.Context(), f, it)
		noErr(t, "another key", err)
		equal(t, "fresh", first, true)
		got, err := s.FiledByID(t.Context(), "r9")
		noErr(t, "by id", err)
		equal(t, "request", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", f))
		equal(t, "as it was told", fmt.Sprintf("%+v", stored), fmt.Sprintf("%+v", f))
	},
	"the_first_receipt_stays": func(t *testing.T, r bot.Record) {
		s := desk(t, r)
		f, it := filed("r1", "k", "c")
		_, _, err := s.FileRequest(t.Context(), f, it)
		noErr(t, "file", err)
		for _, receipt := range []string{"first", "second"} {
			got, err := s.Receipted(t.Context(), "r1", receipt)
			noErr(t, "receipt", err)
			equal(t, "receipt", got, "first")
		}
		_, err = s.Receipted(t.Context(), "r2", "first")
		equal(t, "of no request", errors.Is(err, bot.ErrNotFound), true)
	},
	"who_is_forgotten_leaves_no_token_and_no_request": func(t *testing.T, r bot.Record) {
		s := desk(t, r)
		noErr(t, "put", s.PutToken(t.Context(), token("t1", "U1"), 10))
		f, it := filed("r1", "k", "c")
		_, _, err := s.FileRequest(t.Context(), f, it)
		noErr(t, "file", err)
		teams, err := r.TeamsWith(t.Context(), threadA.Platform, "U1")
		noErr(t, "teams", err)
		equal(t, "known in", slices.Contains(teams, threadA.Team), true)
		n, err := r.Unname(t.Context(), threadA.Platform, threadA.Team, "U1")
		noErr(t, "unname", err)
		equal(t, "rows that went", n, 2)
		f, it = filed("r2", "k2", "c")
		_, _, err = s.FileRequest(t.Context(), f, it)
		noErr(t, "file", err)
		noErr(t, "forget", r.Forget(t.Context(), threadA.Key()))
		_, err = s.FiledByID(t.Context(), "r2")
		equal(t, "gone with its thread", errors.Is(err, bot.ErrNotFound), true)
		noErr(t, "put", s.PutToken(t.Context(), token("t3", "U3"), 10))
		noErr(t, "purge", r.Purge(t.Context(), threadA.Platform, threadA.Team))
		_, err = s.TokenByHash(t.Context(), "hash of t3")
		equal(t, "gone with its workspace", errors.Is(err, bot.ErrNotFound), true)
	},
}
