package reply

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"maru/agent"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Limits of the names of files.
const (
	maxFileName = 80 // bytes of one
	maxLeft     = 10 // names in a notice about files that are left out
)

// made are the files of a run's tools.
type made struct {
	mu   sync.Mutex // parallel nodes report concurrently
	came bool
	left []string       // names of files that are not kept
	kept []bot.Artifact // without their bytes, known once the answer is rendered
}

// KeepFiles stores files of a run's tools as they come, so that they outlive a crash and a wait for people. A file that
// cannot be stored is named in the answer.
func (p *Presenter) KeepFiles(ctx context.Context, files []agent.Artifact) {
	p.made.mu.Lock()
	defer p.made.mu.Unlock()
	kept, err := p.all.record.Artifacts(ctx, p.Lease.Thread, p.Run)
	var left []string
	if err == nil {
		var fresh []bot.Artifact
		fresh, left = filesOf(p.Run, kept, files)
		err = p.all.record.KeepFiles(ctx, p.Lease, p.Run, len(kept), fresh)
	}
	if err != nil {
		p.all.log.WarnContext(ctx, "keep files of a run", "run", p.Run, "err", err)
		_, left = filesOf(p.Run, make([]bot.Artifact, agent.MaxArtifacts), files)
	}
	p.made.came, p.made.left = true, append(p.made.left, left...)
}

// DropFiles deletes the files of a run that begins again.
func (p *Presenter) DropFiles(ctx context.Context) error {
	p.made.mu.Lock()
	defer p.made.mu.Unlock()
	p.made.came, p.made.left = false, nil
	return p.all.record.KeepFiles(ctx, p.Lease, p.Run, 0, nil)
}

// Files returns the files for a run's last card, without their bytes, and a notice about those that are left out. results are
// those of the run's result; again says that the run waited or was interrupted. Best effort: the answer stands without
// stored files that cannot be listed.
func (p *Presenter) Files(ctx context.Context, results []agent.Artifact, again bool, lang string) (files []bot.Artifact, notice string) {
	p.made.mu.Lock()
	defer p.made.mu.Unlock()
	if again || p.made.came {
		var err error
		if p.made.kept, err = p.all.record.Artifacts(ctx, p.Lease.Thread, p.Run); err != nil {
			p.all.log.WarnContext(ctx, "list files of a run", "run", p.Run, "err", err)
		}
	}
	fresh, left := filesOf(p.Run, p.made.kept, results)
	files = append(slices.Clone(p.made.kept), fresh...)
	for i := range files {
		files[i].Data = nil
	}
	if left = append(slices.Clone(p.made.left), left...); len(left) > 0 {
		p.all.log.WarnContext(ctx, "files of a run left out", "run", p.Run, "files", len(left))
		names := strings.Join(left[:min(len(left), maxLeft)], ", ")
		if len(left) > maxLeft {
			names += " …"
		}
		notice = "\n\n" + phrase.Say(lang, "bot.files.left_out", agent.MaxArtifacts, agent.MaxArtifactBytes>>20, names)
	}
	return files, notice
}

// HandOut adds the files of a run's result to the answer's transaction, and the job that uploads the card's files to the
// thread.
func (p *Presenter) HandOut(ctx context.Context, card bot.Card, results []agent.Artifact, lang string, out *bot.Outcome) {
	if len(card.Files) == 0 {
		return
	}
	out.Files, _ = filesOf(p.Run, p.made.kept, results)
	if _, ok := p.Adapter.(bot.Uploader); !ok {
		return // the platform links to them
	}
	j, err := bot.NewJob(bot.JobFiles, p.Run, Parcel{To: p.To, Run: p.Run, Lang: lang})
	if err != nil {
		p.all.log.WarnContext(ctx, "encode parcel", "run", p.Run, "err", err)
		return
	}
	out.Jobs = append(out.Jobs, j)
}

// filesOf returns files of a run for storage behind the kept ones, and the names of those beyond the limits. It omits empty
// ones.
func filesOf(run string, kept []bot.Artifact, files []agent.Artifact) (out []bot.Artifact, left []string) {
	room := agent.MaxArtifactBytes
	taken := map[string]bool{}
	for _, f := range kept {
		room -= int(f.Size)
		taken[strings.ToLower(f.Name)] = true
	}
	for _, a := range files {
		switch n := len(kept) + len(out); {
		case len(a.Data) == 0:
		case len(a.Data) > room, n >= agent.MaxArtifacts:
			left = append(left, safeName(a.Name))
		default:
			room -= len(a.Data)
			out = append(out, bot.Artifact{
				Run: run, N: n, Name: unlike(safeName(a.Name), taken), MIME: fit.Clip(fit.OneLine(a.MIME), maxFileName), Size: int64(len(a.Data)), Data: a.Data,
			})
		}
	}
	return out, left
}

// unlike makes a name unique among existing ones.
func unlike(name string, taken map[string]bool) string {
	ext := path.Ext(name)
	for n, base := 2, strings.TrimSuffix(name, ext); taken[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	taken[strings.ToLower(name)] = true
	return name
}

// safeName returns a file name that every platform accepts: no path, no invisible characters, not hidden, no
// device name.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), fit.Unseen(r):
			return -1
		case strings.ContainsRune(`/\:*?"<>|`, r), unicode.IsSpace(r):
			return '_'
		}
		return r
	}, name)
	name = strings.TrimLeft(strings.TrimRight(name, ". "), ". _-~")
	ext := path.Ext(name)
	if len(ext) > maxFileName/4 {
		ext = ""
	}
	base := strings.TrimSuffix(name, ext)
	for len(base) > maxFileName-len(ext) {
		_, size := utf8.DecodeLastRuneInString(base)
		base = base[:len(base)-size]
	}
	if strings.Trim(base, "._- ") == "" {
		base = "file"
	}
	return base + ext
}
