package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// programs are the folders with the code of the programs.
var programs = []string{"cmd", "internal", "fleet"}

// shown are the files that the programs show as they are.
var shown = []string{
	"internal/help/topics/*.txt", "internal/help/examples.txt", "config.yaml.example",
	"templates/*.md", "templates/commands/*.md",
}

// scripts are the shell scripts for users.
var scripts = []string{"install.sh", "uninstall.sh", "packaging/action/step"}

// messages returns every text that a user can see.
func messages() ([]text, error) {
	var found []text
	err := walkGo(programs, func(path string, fset *token.FileSet, file *ast.File) {
		if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(path, "internal/fakeapi/") {
			found = append(found, messagesOf(path, fset, file)...)
		}
	})
	if err != nil {
		return nil, err
	}
	for _, pattern := range shown {
		if err := eachLine(pattern, func(path string, n int, line string) {
			if strings.Contains(strings.TrimSpace(line), " ") {
				found = append(found, text{path, n, strings.TrimSpace(line)})
			}
		}); err != nil {
			return nil, err
		}
	}
	quoted := regexp.MustCompile(`\b(?:say|die|warn|echo|printf)\b.*?["'](.*)["']`)
	for _, script := range scripts {
		if err := eachLine(script, func(path string, n int, line string) {
			if m := quoted.FindStringSubmatch(line); m != nil && isProse(m[1]) {
				found = append(found, text{path, n, m[1]})
			}
		}); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// walkGo parses the Go files in some folders.
func walkGo(folders []string, visit func(path string, fset *token.FileSet, file *ast.File)) error {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules"):
				return fs.SkipDir
			case !strings.HasSuffix(path, ".go"):
				return nil
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err == nil && !ast.IsGenerated(file) {
				visit(filepath.ToSlash(path), fset, file)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tagKeys are the keys of struct tags that users see.
var tagKeys = []string{"help", "group"}

// messagesOf returns the string literals of a file that are prose.
func messagesOf(path string, fset *token.FileSet, file *ast.File) (found []text) {
	tags := map[*ast.BasicLit]bool{}
	add := func(at token.Pos, s string) {
		if isProse(s) {
			found = append(found, text{path, fset.Position(at).Line, s})
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.CallExpr:
			return !isPattern(n)
		case *ast.Field:
			if n.Tag != nil {
				tags[n.Tag] = true
				raw, _ := strconv.Unquote(n.Tag.Value)
				for _, key := range tagKeys {
					add(n.Tag.Pos(), reflect.StructTag(raw).Get(key))
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING && !tags[n] {
				if s, err := strconv.Unquote(n.Value); err == nil {
					add(n.Pos(), s)
				}
			}
		}
		return true
	})
	return found
}

// isPattern reports whether a call takes regular expressions, such as regexp.MustCompile.
func isPattern(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && of.Name == "regexp"
}

var (
	words  = regexp.MustCompile(`\pL[\pL'’]+[,;:.]? +[\pL"'’(<]`)
	strict = regexp.MustCompile(`\\[bsdw]|\(\?|\[\^|--?>|</?[a-z]+[ >]|^\w+ -|^[a-z]+\(`)
)

// isProse reports whether a literal is a text for people: it has words in a row, and is
// neither a regular expression nor HTML.
func isProse(s string) bool { return words.MatchString(s) && !strict.MatchString(s) }

// comments returns the comments of all Go files.
func comments() (found []text, err error) {
	err = walkGo(append(slices.Clone(programs), "tests", "docs"), func(path string, fset *token.FileSet, file *ast.File) {
		for _, group := range file.Comments {
			if !strings.HasPrefix(group.List[0].Text, "//go:") {
				found = append(found, text{path, fset.Position(group.Pos()).Line, group.Text()})
			}
		}
	})
	return found, err
}

// eachLine visits the lines of the files that a pattern names.
func eachLine(pattern string, visit func(path string, n int, line string)) error {
	paths, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		n := 0
		for line := range strings.Lines(string(data)) {
			n++
			visit(filepath.ToSlash(path), n, strings.TrimRight(line, "\n"))
		}
	}
	return nil
}
