package proof

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	files := map[string]string{
		"Makefile":          "include mk/*.mk\n-include local.mk\nSRC := a.c\n.PHONY: test\ntest: bin/app .stamp\n\t@./bin/app --quick | diff - want\n\tsh scripts/all.sh\nunit:\n\tgo test ./...\n",
		"mk/rules.mk":       "x:\n",
		"sub/Makefile":      "a:\n",
		"scripts/all.sh":    ". ./lib.sh\nsh greet.sh\nfor t in x; do sh tests/one_test.sh; done\n",
		"lib.sh":            "",
		"greet.sh":          "",
		"tests/one_test.sh": "",
		"package.json":      `{"scripts": {"test": "node tools/run.js && npm run lint", "lint": "eslint --config=web.config.js"}}`,
		"tools/run.js":      "require('./other')",
		"run":               "",
		"app.sh":            "",
		"main.py":           "",
		"run_tests.py":      "",
		"web/package.json":  `{"scripts": {"test": "sh t.sh"}}`,
		"web/t.sh":          "",
	}
	for command, want := range map[string]string{
		"make test":                        "GNUmakefile Makefile lib.sh local.mk makefile mk/rules.mk scripts/all.sh tests/one_test.sh",
		"make -C sub a":                    "sub/GNUmakefile sub/Makefile sub/makefile",
		"CI=1 npm test -- --x":             "package.json tools/run.js",
		"sh app.sh | grep -q Hello":        "",
		`test "$(sh app.sh)" = x`:          "",
		"sh app.sh && ./run":               "app.sh run",
		"python3 main.py --selftest":       "",
		"python3 run_tests.py":             "run_tests.py",
		"cd web && npm test":               "web/package.json web/t.sh",
		"go test ./...":                    "",
		"if sh scripts/all.sh; then :; fi": "lib.sh scripts/all.sh tests/one_test.sh",
	} {
		f := &finder{found: map[string]bool{}, read: func(p string) string { return files[p] },
			has: func(p string) bool { _, ok := files[p]; return ok }, all: func() []string { return slices.Collect(maps.Keys(files)) }}
		f.find([]string{command})
		if got := strings.Join(slices.Sorted(maps.Keys(f.found)), " "); got != want {
			t.Errorf("%s leads to %q, want %q", command, got, want)
		}
		if command == "make test" && (!slices.Contains(f.targets, ".stamp") && !slices.Contains(f.targets, "test") || slices.Contains(f.targets, ".PHONY")) {
			t.Errorf("targets %q", f.targets)
		}
	}
}
