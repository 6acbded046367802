package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/regular"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// maxResource limits a file of the plan that is returned whole, in bytes.
const maxResource = 1 << 20

// listedUnits limits the units in the list of resources.
const listedUnits = 100

// resource is one thing of a unit that a client can read.
type resource struct {
	name, mime, about string
	read              func(ctx context.Context, u unitIn) (string, error)
}

func (s *server) resources() []resource {
	return []resource{
		{"spec.md", "text/markdown", "the requirements", s.planFile("spec.md")},
		{"prd.json", "application/json", "the stories and which of them pass", s.planFile("prd.json")},
		{"status.json", "application/json", "how far the last run is", s.statusFile},
		{"log", "text/plain", "the end of the log of the last iteration", func(ctx context.Context, u unitIn) (string, error) {
			out, err := s.log(ctx, logIn{unitIn: u})
			return out.Log, err
		}},
	}
}

func (r resource) uri(unit string) string { return "ralph://units/" + unit + "/" + r.name }

// addResources adds the resources of a unit. The list has those of the units that exist when the
// client asks.
func (s *server) addResources() {
	for _, r := range s.resources() {
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: r.name, URITemplate: r.uri("{unit}"), MIMEType: r.mime,
			Description: "Of a unit: " + r.about + "."}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return readResource(ctx, r, req.Params.URI)
		})
	}
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourcesResult); ok && err == nil {
				list.Resources, err = s.listResources(ctx)
			}
			return res, err
		}
	})
}

// listResources returns the resources of each unit with an unambiguous name. Where several
// worktrees have a unit of a name, it is that of the worktree in which the server was started.
func (s *server) listResources(ctx context.Context) ([]*mcp.Resource, error) {
	list, err := unit.Loops(s.Home, s.Notes)
	if err != nil {
		return nil, err
	}
	here := ""
	if p, err := unit.Worktree(ctx); err == nil {
		here = p.Repo.Root
	}
	times := map[string]int{}
	for _, l := range list {
		times[l.Unit]++
	}
	found := []*mcp.Resource{}
	for _, l := range list[:min(len(list), listedUnits)] {
		if times[l.Unit] > 1 && l.Worktree != here {
			continue
		}
		for _, r := range s.resources() {
			if !l.Plan.Feature() && (r.name == "spec.md" || r.name == "prd.json") {
				continue
			}
			name := stream.Sanitize(l.Unit)
			found = append(found, &mcp.Resource{Name: name + " " + r.name, URI: r.uri(url.PathEscape(l.Unit)), MIMEType: r.mime,
				Description: "Of " + name + ": " + r.about + "."})
		}
	}
	return found, nil
}

func readResource(ctx context.Context, r resource, uri string) (*mcp.ReadResourceResult, error) {
	escaped, _, _ := strings.Cut(strings.TrimPrefix(uri, "ralph://units/"), "/")
	name, err := url.PathUnescape(escaped)
	if err != nil || name == "" {
		err = fmt.Errorf("%q names no unit", uri)
	}
	text := ""
	if err == nil {
		text, err = r.read(ctx, unitIn{Unit: name})
	}
	switch {
	case errors.Is(err, unit.ErrNoUnit), errors.Is(err, fs.ErrNotExist):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: sentence(withHint(err).Error())}
	}
	if text = stream.Sanitize(text); text == "" {
		text = "\n" // the SDK leaves an empty text out, and clients refuse contents without one
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: r.mime, Text: text}}}, nil
}

// planFile reads a file of the feature's folder, or of its archive.
func (s *server) planFile(name string) func(context.Context, unitIn) (string, error) {
	return func(ctx context.Context, u unitIn) (string, error) {
		p, r, err := s.record(ctx, u)
		if err != nil {
			return "", err
		}
		folder := filepath.Join(p.Repo.Root, p.Folder)
		if r != nil {
			folder = r.Folder
		}
		data, err := regular.Read(filepath.Join(folder, name), maxResource)
		return string(data), err
	}
}

func (s *server) statusFile(ctx context.Context, u unitIn) (string, error) {
	_, now, err := s.current(ctx, u)
	if err != nil {
		return "", err
	}
	data, err := now.Status.JSON(&now.Alive)
	return string(data), err
}
