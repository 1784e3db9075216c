// Package check lints and renders the chart with Helm itself. It is a module of its own: Helm's modules
// are no part of the program. `make long` runs it.
package check

import (
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

const chart = "../maru"

// rendered returns the objects of the chart with values, by kind.
func rendered(t *testing.T, values string) map[string]map[string]any {
	t.Helper()
	c, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	var set map[string]any
	if err := yaml.Unmarshal([]byte(values), &set); err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, set, chartutil.ReleaseOptions{Name: "team", Namespace: "bots"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := engine.Render(c, all)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for name, text := range files {
		if strings.HasSuffix(name, ".txt") { // for people
			continue
		}
		for doc := range strings.SplitSeq(text, "\n---") {
			var object map[string]any
			if err := yaml.Unmarshal([]byte(doc), &object); err != nil {
				t.Errorf("%s: %v\n%s", name, err, doc)
			}
			if kind, ok := object["kind"].(string); ok {
				out[kind] = object
			}
		}
	}
	return out
}

// at follows keys and indexes into an object.
func at(v any, path ...any) any {
	for _, p := range path {
		switch key := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[key]
		case int:
			list, _ := v.([]any)
			if key >= len(list) {
				return nil
			}
			v = list[key]
		}
	}
	return v
}

func TestLint(t *testing.T) {
	for _, m := range lint.All(chart, nil, "bots", true).Messages {
		if m.Severity >= support.WarningSev {
			t.Errorf("%v", m)
		}
	}
}

// TestRender renders the chart as it is, with everything and with a record of its own.
func TestRender(t *testing.T) {
	cases := []struct {
		name, values string
		kinds        []string
		check        func(map[string]map[string]any) bool
	}{
		{
			"one_replica", "", []string{"Deployment", "PersistentVolumeClaim", "Service", "ServiceAccount"},
			func(o map[string]map[string]any) bool {
				return at(o["Deployment"], "spec", "replicas") == 1 && at(o["Deployment"], "spec", "strategy", "type") == "Recreate"
			},
		},
		{
			"replicas", "replicas: 3\ndatabase: {secret: maru-db}\n", []string{"Deployment", "PodDisruptionBudget", "Service", "ServiceAccount"},
			func(o map[string]map[string]any) bool {
				return at(o["Deployment"], "spec", "replicas") == 3 && at(o["Deployment"], "spec", "strategy", "type") == "RollingUpdate" && at(o["PodDisruptionBudget"], "spec", "minAvailable") == 2
			},
		},
		{
			"autoscaled", "database: {secret: maru-db}\nautoscaling: {enabled: true, min: 2, max: 6, waiting: 20}\nmonitor: {enabled: true}\nconfig: {place: {agent: chat}}\n",
			[]string{"ConfigMap", "Deployment", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Service", "ServiceAccount", "ServiceMonitor"},
			func(o map[string]map[string]any) bool {
				metric := at(o["HorizontalPodAutoscaler"], "spec", "metrics", 0, "external")
				return at(o["Deployment"], "spec", "replicas") == nil && at(metric, "metric", "name") == "maru_inbox_depth" && at(metric, "target", "averageValue") == "20" &&
					at(o["HorizontalPodAutoscaler"], "spec", "maxReplicas") == 6
			},
		},
		{
			"python_and_documents", "hostUsers: false\nsecurityContext: {procMount: Unmasked, seccompProfile: {type: Unconfined}}\npodSecurityContext: {runAsUser: 1000}\n" +
				"image: {pullSecrets: [{name: registry}]}\nvolumes: [{name: documents, emptyDir: {}}]\nmounts: [{name: documents, mountPath: /documents}]\n",
			[]string{"Deployment", "PersistentVolumeClaim", "Service", "ServiceAccount"},
			func(o map[string]map[string]any) bool {
				pod := at(o["Deployment"], "spec", "template", "spec")
				own := at(pod, "containers", 0)
				return at(pod, "hostUsers") == false && at(pod, "securityContext", "runAsUser") == 1000 && at(pod, "securityContext", "fsGroup") == 65532 &&
					at(pod, "imagePullSecrets", 0, "name") == "registry" && at(own, "securityContext", "procMount") == "Unmasked" &&
					at(own, "securityContext", "seccompProfile", "type") == "Unconfined" && at(own, "securityContext", "capabilities", "drop", 0) == "ALL" &&
					at(own, "volumeMounts", 2, "mountPath") == "/documents" && at(pod, "volumes", 2, "name") == "documents"
			},
		},
	}
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got := rendered(t, tt.values)
			var kinds []string
			for kind := range got {
				kinds = append(kinds, kind)
			}
			slices.Sort(kinds)
			if !slices.Equal(kinds, tt.kinds) {
				t.Errorf("kinds %v, want %v", kinds, tt.kinds)
			}
			if !tt.check(got) {
				t.Errorf("rendered %v", got)
			}
			pod := at(got["Deployment"], "spec", "template", "spec", "containers", 0)
			if at(pod, "livenessProbe", "httpGet", "path") != "/livez" || at(pod, "readinessProbe", "httpGet", "path") != "/readyz" || at(pod, "startupProbe") == nil {
				t.Errorf("probes of %v", pod)
			}
			if at(pod, "securityContext", "readOnlyRootFilesystem") != true || at(got["Deployment"], "spec", "template", "spec", "securityContext", "runAsNonRoot") != true {
				t.Errorf("security of %v", pod)
			}
		})
	}
}

// TestSeveralNeedADatabase: the embedded record is one program's.
func TestSeveralNeedADatabase(t *testing.T) {
	c, err := loader.Load(chart)
	if err != nil {
		t.Fatal(err)
	}
	all, err := chartutil.ToRenderValues(c, map[string]any{"replicas": 2}, chartutil.ReleaseOptions{Name: "team"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Render(c, all); err == nil || !strings.Contains(err.Error(), "database.secret") {
		t.Errorf("two replicas on one file: %v", err)
	}
}
