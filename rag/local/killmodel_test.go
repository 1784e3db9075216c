package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

// childModel names the folder whose passages the child of
// TestKillWhileChangingTheModel embeds again, a batch for each line it is sent.
const childModel = "MARU_TEST_INDEX_MODEL"

// reembedSlowly opens the index with another model, says before each batch how many
// texts it is of, and embeds it when it is told to.
func reembedSlowly(dir string) error {
	in := bufio.NewScanner(os.Stdin)
	var calls atomic.Int64
	known := ragtest.Concepts(&calls)
	x, err := local.Open(context.Background(), local.Config{Dir: dir, EmbedModel: "after",
		Embed: func(ctx context.Context, texts, _ []string) ([][]float32, error) {
			fmt.Println(len(texts))
			in.Scan()
			return known(ctx, texts, nil)
		},
		EmbedOld: func(string) rag.Embed { return ragtest.Concepts(&calls) },
	})
	if err != nil {
		return err
	}
	defer func() { _ = x.Close() }()
	select {} // until it is killed
}

// TestKillWhileChangingTheModel kills the program with SIGKILL while it embeds all
// passages again: after so many batches, and at once after a batch was let through.
// Each time the old vectors still answer, and no batch that was kept is asked for
// again; in the end the new ones take over.
func TestKillWhileChangingTheModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var oldCalls, newCalls atomic.Int64
	x := open(t, local.Config{Dir: dir, Embed: ragtest.Concepts(&oldCalls), EmbedModel: "before"})
	fillMixed(t, x)
	fillMore(t, x)
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	passages := int(oldCalls.Load())
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	kept, unsure := 0, 0
	for round, through := range []int{0, 1, 1} { // batches that are known to be kept before the kill
		surely, last := killAfter(t, dir, through)
		kept += surely
		if through > 0 {
			unsure += last // let through at the moment of the kill
		}
		x := open(t, local.Config{Dir: dir, EmbedModel: "after", Embed: away, EmbedOld: func(string) rag.Embed { return ragtest.Concepts(&oldCalls) }})
		if !findsVacation(t, x) {
			t.Errorf("round %d: the old vectors do not serve", round)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	x = open(t, local.Config{Dir: dir, EmbedModel: "after", Embed: ragtest.Concepts(&newCalls), EmbedOld: func(string) rag.Embed { return ragtest.Concepts(&oldCalls) }})
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := int(newCalls.Load()); n > passages-kept || n < passages-kept-unsure {
		t.Errorf("%d texts were embedded in the end, want %d to %d of %d", n, passages-kept-unsure, passages-kept, passages)
	}
	asked := oldCalls.Load()
	if !findsVacation(t, x) || oldCalls.Load() != asked {
		t.Error("the new vectors do not serve")
	}
	if files, _ := filepath.Glob(filepath.Join(dir, "vectors-*.vec")); len(files) != 1 {
		t.Errorf("files of vectors left: %v", files)
	}
}

// away returns a model that does not answer.
func away(context.Context, []string, []string) ([][]float32, error) {
	return nil, os.ErrDeadlineExceeded
}

// killAfter starts the child, lets batches through until so many are surely kept, and
// kills it; with more than none it lets one more through in the same moment. It
// returns how many texts are kept, and how many that one has.
func killAfter(t *testing.T, dir string, batches int) (kept, last int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childModel+"="+dir)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for n := 0; said.Scan(); n++ { // the next batch is asked for when the one before is on disk
		if _, err := fmt.Sscan(strings.TrimSpace(said.Text()), &last); err != nil {
			t.Fatalf("the child said %q", said.Text())
		}
		if n == batches {
			break
		}
		kept += last
		if _, err := fmt.Fprintln(in); err != nil {
			t.Fatal(err)
		}
	}
	if batches > 0 {
		_, _ = fmt.Fprintln(in) // it may be dead by then
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	return kept, last
}
