// Package manifests checks the manifests of fleet/deploy with the types of Kubernetes.
package manifests

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const folder = "../../deploy/"

// drain is what a worker takes at most to hand its features back, and the end of one
// process more.
const drain = 3*time.Minute + 20*time.Second

// documents reads a file strictly: a key that Kubernetes does not know is an error.
func documents(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(folder + name)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]any{}
	for _, doc := range bytes.Split(text, []byte("\n---\n")) {
		var about meta.TypeMeta
		if err := yaml.Unmarshal(doc, &about); err != nil {
			t.Fatal(err)
		}
		kinds := map[string]any{"v1 ServiceAccount": &core.ServiceAccount{}, "v1 ConfigMap": &core.ConfigMap{},
			"apps/v1 Deployment": &apps.Deployment{}, "policy/v1 PodDisruptionBudget": &policy.PodDisruptionBudget{}}
		kind := about.APIVersion + " " + about.Kind
		into, known := kinds[kind]
		if !known {
			t.Fatalf("%s: nobody has said what a %q is", name, kind)
		}
		if err := yaml.UnmarshalStrict(doc, into); err != nil {
			t.Fatalf("%s, %s: %v", name, kind, err)
		}
		found[about.Kind] = into
	}
	return found
}

func TestWorker(t *testing.T) {
	all := documents(t, "worker.yaml")
	d, ok := all["Deployment"].(*apps.Deployment)
	if !ok || len(all) != 4 {
		t.Fatalf("%d kinds are there", len(all))
	}
	pod := d.Spec.Template
	if grace := time.Duration(*pod.Spec.TerminationGracePeriodSeconds) * time.Second; grace < drain {
		t.Errorf("a pod is killed after %s, while it hands its features back", grace)
	}
	selectors := []*meta.LabelSelector{d.Spec.Selector, all["PodDisruptionBudget"].(*policy.PodDisruptionBudget).Spec.Selector}
	for _, s := range selectors {
		if sel, err := meta.LabelSelectorAsMap(s); err != nil || sel["app.kubernetes.io/name"] != pod.Labels["app.kubernetes.io/name"] {
			t.Errorf("%v does not select the pods: %v", s, err)
		}
	}
	if account := all["ServiceAccount"].(*core.ServiceAccount); pod.Spec.ServiceAccountName != account.Name || *account.AutomountServiceAccountToken {
		t.Error("the pods do not run as the account without a token")
	}
	restricted(t, pod.Spec)
	mounted(t, pod.Spec)
	writable(t, pod.Spec)
}

// restricted wants what the restricted pod security standard wants.
func restricted(t *testing.T, pod core.PodSpec) {
	t.Helper()
	s := pod.SecurityContext
	if !*s.RunAsNonRoot || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault || pod.HostNetwork || pod.HostPID || pod.HostIPC {
		t.Errorf("the pod is not restricted: %+v", s)
	}
	for _, c := range pod.Containers {
		s := c.SecurityContext
		if *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" || len(s.Capabilities.Add) > 0 {
			t.Errorf("%s is not restricted: %+v", c.Name, s)
		}
	}
}

// mounted wants each volume to be there and used.
func mounted(t *testing.T, pod core.PodSpec) {
	t.Helper()
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if v.HostPath != nil {
			t.Errorf("%s is a folder of the node", v.Name)
		}
	}
	for _, c := range pod.Containers {
		for _, m := range c.VolumeMounts {
			if !volumes[m.Name] {
				t.Errorf("%s mounts %s, which is not there", c.Name, m.Name)
			}
			delete(volumes, m.Name)
		}
	}
	if len(volumes) > 0 {
		t.Errorf("nobody mounts %v", volumes)
	}
}

// writable wants what a worker writes to, its workspace and its home, on a volume: the
// root is read-only.
func writable(t *testing.T, pod core.PodSpec) {
	t.Helper()
	for _, c := range pod.Containers {
		var needs []string
		for _, arg := range c.Command {
			if dir, ok := strings.CutPrefix(arg, "--workspace="); ok {
				needs = append(needs, dir)
			}
		}
		for _, e := range c.Env {
			if e.Name == "HOME" {
				needs = append(needs, e.Value)
			}
		}
		if len(needs) != 2 {
			t.Errorf("%s has not both a workspace and a home: %q", c.Name, needs)
		}
		for _, dir := range needs {
			if !slices.ContainsFunc(c.VolumeMounts, func(m core.VolumeMount) bool { return !m.ReadOnly && strings.HasPrefix(dir+"/", m.MountPath+"/") }) {
				t.Errorf("%s cannot write to %s", c.Name, dir)
			}
		}
	}
}
