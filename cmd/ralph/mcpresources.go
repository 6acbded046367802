package main

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

	"ralph/internal/mcpserver"
	"ralph/internal/regular"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// maxResource is how large a file of the plan may be, in bytes, to be given out whole.
const maxResource = 1 << 20

// listedUnits is how many units the list of resources has at most.
const listedUnits = 100

// mcpResource is one thing of a unit that a client can read.
type mcpResource struct {
	name, mime, about string
	read              func(a *app, unit string) (string, error)
}

func mcpResources() []mcpResource {
	return []mcpResource{
		{"spec.md", "text/markdown", "the requirements", planFile("spec.md")},
		{"prd.json", "application/json", "the stories and which of them pass", planFile("prd.json")},
		{"status.json", "application/json", "how far the last run is", statusResource},
		{"log", "text/plain", "the end of the log of the last iteration", logResource},
	}
}

func (r mcpResource) uri(unit string) string { return "ralph://units/" + unit + "/" + r.name }

// addResources offers what can be read of each unit, and lists it for the units
// that there are when the client asks.
func (s *mcpServer) addResources() {
	for _, r := range mcpResources() {
		s.server.AddResourceTemplate(&mcp.ResourceTemplate{Name: r.name, URITemplate: r.uri("{unit}"), MIMEType: r.mime,
			Description: "Of a unit: " + r.about + "."}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return s.readResource(ctx, r, req.Params.URI)
		})
	}
	s.server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListResourcesResult); ok && err == nil {
				list.Resources, err = s.listResources(ctx)
			}
			return res, err
		}
	})
}

// listResources names the resources of each unit whose name tells which one is
// meant: where several have it, that of the worktree in which the server was started.
func (s *mcpServer) listResources(ctx context.Context) ([]*mcp.Resource, error) {
	list, err := loops(s.app(ctx))
	if err != nil {
		return nil, err
	}
	here := ""
	if p, err := unit.Worktree(ctx, ""); err == nil {
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
		for _, r := range mcpResources() {
			if r.name == "spec.md" && l.Plan != "prd" || r.name == "prd.json" && l.Plan != "prd" {
				continue
			}
			found = append(found, &mcp.Resource{Name: stream.Sanitize(l.Unit) + " " + r.name, URI: r.uri(url.PathEscape(l.Unit)), MIMEType: r.mime,
				Description: "Of " + stream.Sanitize(l.Unit) + ": " + r.about + "."})
		}
	}
	return found, nil
}

func (s *mcpServer) readResource(ctx context.Context, r mcpResource, uri string) (*mcp.ReadResourceResult, error) {
	name, err := unitOfURI(uri)
	text := ""
	if err == nil {
		text, err = r.read(s.app(ctx), name)
	}
	switch {
	case errors.Is(err, unit.ErrNoUnit), errors.Is(err, fs.ErrNotExist):
		return nil, mcp.ResourceNotFoundError(uri)
	case err != nil:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: mcpserver.Sentence(withHint(err).Error())}
	}
	if text = stream.Sanitize(text); text == "" {
		text = "\n" // the SDK leaves an empty text out, and clients refuse contents without one
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: r.mime, Text: text}}}, nil
}

// unitOfURI is the unit that a resource is of.
func unitOfURI(uri string) (string, error) {
	rest, _ := strings.CutPrefix(uri, "ralph://units/")
	escaped, _, _ := strings.Cut(rest, "/")
	unit, err := url.PathUnescape(escaped)
	if err != nil || unit == "" {
		return "", fmt.Errorf("%q names no unit", uri)
	}
	return unit, nil
}

// planFile reads a file of the feature folder, or of the archived one.
func planFile(name string) func(*app, string) (string, error) {
	return func(a *app, unit string) (string, error) {
		p, err := mcpUnit{Unit: unit}.find(a)
		if err != nil {
			return "", err
		}
		folder := filepath.Join(p.Repo.Root, p.Folder)
		if r, err := p.Record(); err != nil {
			return "", err
		} else if r != nil {
			folder = r.Folder
		}
		data, err := regular.Read(filepath.Join(folder, name), maxResource)
		return string(data), err
	}
}

func statusResource(a *app, unit string) (string, error) {
	p, err := mcpUnit{Unit: unit}.find(a)
	if err != nil {
		return "", err
	}
	now, err := p.Standing(screen.Notes(a.t))
	if err != nil || now.Record == nil {
		return "null\n", err
	}
	data, err := now.Status.JSON(&now.Alive)
	return string(data), err
}

func logResource(a *app, unit string) (string, error) {
	out, err := mcpLog(a, mcpLogIn{mcpUnit: mcpUnit{Unit: unit}})
	return out.Log, err
}
