package autonomous_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/llm/llmtest"
	"maru/agent/workflow"
)

// TestSeedFormDefinitionServes imports the 28 nodes of the seed's autonomous graph as the seed writes them: nodes with
// id, node_type and config, edges with source_port "default" where a node has one way out, and neither id, name nor version.
func TestSeedFormDefinitionServes(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/autonomous_graph.json")
	if err != nil {
		t.Fatal(err)
	}
	types, schema := autonomous.Types()
	if found := workflow.CheckFile("autonomous_graph.json", text, types, schema, nil); len(found) > 0 {
		t.Errorf("validate finds %v", found)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "autonomous_graph.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, says string
		replies    []llmtest.Reply
		nodes      string
	}{
		{"end", "네!", []llmtest.Reply{classified("end", "네!")}, "mem01 grd_cls cls01 pst_cls"},
		{
			"easy", "서울이에요.", []llmtest.Reply{classified("easy", ""), llmtest.Text("서울이에요.")},
			"mem01 grd_cls cls01 pst_cls grd_dir dir01 pst_dir",
		},
		{
			"medium", "Draft two.", []llmtest.Reply{
				classified("medium", ""), llmtest.Text("Draft one."), verdict("retry", "name the year"), llmtest.Text("Draft two."), verdict("approved", ""),
			},
			"mem01 grd_cls cls01 pst_cls grd_ans ans01 pst_ans grd_rev rev01 pst_rev gat_med grd_ans ans01 pst_ans grd_rev rev01 pst_rev",
		},
		{
			"hard", "보고서", []llmtest.Reply{
				classified("hard", ""), todos("조사", "정리"), llmtest.Text("17"), llmtest.Text("정리 결과"), verdict("approved", ""), llmtest.Text("보고서"),
			},
			"mem01 grd_cls cls01 pst_cls grd_tdo tdo01 pst_tdo grd_exe exe01 pst_exe prg01 gat_hrd grd_exe exe01 pst_exe prg01 grd_frv frv01 pst_frv grd_fan fan01 pst_fan",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := llmtest.Script(c.replies...)
			d := newDesk(t, m)
			f, err := autonomous.Open(d.cfg, dir, nil)
			if err != nil || !slices.Equal(f.Names(), []string{"autonomous_graph"}) {
				t.Fatalf("serves %v, faults %v, %v", f.Names(), f.Faults(), err)
			}
			a, _ := f.Lookup("autonomous_graph")
			var went []string
			res, err := a.Run(t.Context(), d.request("질문", "ko"), func(e agent.Event) {
				if e.Kind == agent.EventNodeStart {
					went = append(went, e.Node)
				}
			})
			if err != nil || res.Text != c.says || strings.Join(went, " ") != c.nodes {
				t.Errorf("says %q, went\n%s, want\n%s (%v)", res.Text, strings.Join(went, " "), c.nodes, err)
			}
			m.AssertDone(t)
		})
	}
}
