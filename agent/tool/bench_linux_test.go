package tool_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"maru/agent/tool"
)

// BenchmarkRecommend finds tools among ten thousand, whose words are as unevenly
// common as words are: p50 and p99 of a search, by the clock and by the processor's
// time of the thread, which other programs on the machine do not lengthen; and the
// time to replace one tool.
func BenchmarkRecommend(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.07, 8, 20_000)
	words := func(n int) string {
		out := make([]string, n)
		for i := range out {
			out[i] = pseudoWord(zipf.Uint64())
		}
		return strings.Join(out, " ")
	}
	finder := tool.NewRecommender(nil, slog.New(slog.DiscardHandler))
	made := func(i int) tool.Spec {
		var properties []string
		for p := range 4 {
			properties = append(properties, fmt.Sprintf(`"p%d_%s":{"type":"string","description":%q}`, p, words(1), words(6)))
		}
		return spec(fmt.Sprintf("server%d_%s_%d", i%40, strings.ReplaceAll(words(2), " ", "_"), i), words(15), strings.Join(properties, ","))
	}
	for i := range 10_000 {
		finder.Add(made(i))
	}
	b.Run("search", func(b *testing.B) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var times, spent []time.Duration
		for b.Loop() {
			task := words(12)
			start, before := time.Now(), threadTime(b)
			if len(finder.Recommend(context.Background(), tool.Want{Task: task})) == 0 {
				b.Fatal("nothing was found")
			}
			times, spent = append(times, time.Since(start)), append(spent, threadTime(b)-before)
		}
		report(b, times, "")
		report(b, spent, "cpu-")
	})
	b.Run("replace", func(b *testing.B) {
		changed := made(5000)
		for b.Loop() {
			finder.Add(changed)
		}
	})
}

// pseudoWord returns a word of five letters for each number.
func pseudoWord(n uint64) string {
	const consonants, vowels = "bdfghklmnprstvz", "aeiou"
	word := []byte{consonants[n%15], vowels[n/15%5], consonants[n/75%15], vowels[n/1125%5], consonants[n/5625%15]}
	return string(word)
}

func report(b *testing.B, times []time.Duration, kind string) {
	slices.Sort(times)
	for _, p := range []int{50, 99} {
		b.ReportMetric(float64(times[len(times)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-%sms", p, kind))
	}
}

// threadTime returns the processor's time of this thread.
func threadTime(b *testing.B) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}
