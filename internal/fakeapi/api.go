// Package fakeapi fakes the APIs of models well enough for the real agents: Anthropic's
// Messages (Claude Code), OpenAI's Responses (Codex) and Chat Completions (OpenCode, Copilot
// CLI), Google's Gemini (Gemini CLI). Tests script the answers of the model, and the agent
// carries them out with its real tools. It serves tests only, on loopback:
//
//	api := fakeapi.New(fakeapi.Write("hello.txt", "hello"), fakeapi.Text("Done."))
//	server := httptest.NewServer(api)
//	cmd := exec.Command(claude, "-p", "--output-format", "stream-json", "--verbose")
//	cmd.Env = fakeapi.Env(server.URL, t.TempDir())
package fakeapi

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// maxBody bounds a request's body in bytes; the CLI itself refuses prompts
// beyond 10 MB.
const maxBody = 64 << 20

// API is the fake: an http.Handler that plays scripts and records requests. A
// session of the CLI plays a script from its beginning, one reply per request;
// the last reply repeats, as the CLI tries again after errors.
type API struct {
	scripts [][]Reply

	mu       sync.Mutex
	rules    []rule
	sessions map[string]*session
	requests []Request
}

// session is the place of one conversation in its script.
type session struct {
	number int
	script []Reply
	next   int
}

// rule is a reply that goes before the script.
type rule struct {
	match func(Request) bool
	reply Reply
}

// Request is a recorded request for a message.
type Request struct {
	Session int      // which session of the CLI it belongs to, from 0 in order of appearance
	Turn    int      // its number in the session, from 0
	Stream  bool     // the answer was wanted as a stream
	Tools   []string // that the agent offered
	Header  http.Header
	Body    []byte
}

// New returns an API that plays the same script in every session.
func New(script ...Reply) *API { return Sessions(script) }

// Sessions returns an API that plays the n-th script in the n-th session, and the last one
// in further sessions.
func Sessions(scripts ...[]Reply) *API {
	return &API{scripts: scripts, sessions: map[string]*session{}}
}

// When answers every request for which match holds with reply, without a step in
// the script. Rules are tried in the order they were added.
func (a *API) When(match func(Request) bool, reply Reply) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.rules = append(a.rules, rule{match, reply})
}

// Requests returns the requests for messages so far.
func (a *API) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Request(nil), a.requests...)
}

// Holds returns a condition for When: the request's body holds text.
func Holds(text string) func(Request) bool {
	return func(r Request) bool { return strings.Contains(string(r.Body), text) }
}

// ServeHTTP implements http.Handler.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	model, method, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ":")
	switch {
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK) // the CLI asks whether anybody is there
	case r.Method != http.MethodPost:
		writeError(w, http.StatusNotFound, "not_found_error", "no such address: "+path)
	case path == "/v1/messages/count_tokens":
		writeJSON(w, http.StatusOK, map[string]any{"input_tokens": 100})
	case path == "/v1/messages":
		a.serve(w, r, answer.messages)
	case path == "/v1/responses":
		a.serve(w, r, answer.responses)
	case path == "/v1/chat/completions":
		a.serve(w, r, answer.chat)
	case method == "generateContent":
		a.serve(w, r, func(out answer, w http.ResponseWriter, r *http.Request, _ bool) { out.gemini(w, r, model, false) })
	case method == "streamGenerateContent":
		a.serve(w, r, func(out answer, w http.ResponseWriter, r *http.Request, _ bool) { out.gemini(w, r, model, true) })
	default:
		writeError(w, http.StatusNotFound, "not_found_error", "no such address: "+path)
	}
}

// serve reads a request for a message and lets write answer it.
func (a *API) serve(w http.ResponseWriter, r *http.Request, write func(answer, http.ResponseWriter, *http.Request, bool)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, http.StatusRequestEntityTooLarge, "request_too_large", err.Error())
		return
	}
	var asked struct {
		Model  string  `json:"model"`
		Stream bool    `json:"stream"`
		Tools  []offer `json:"tools"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		writeError(w, http.StatusBadRequest, "invalid_request_error", err.Error())
		return
	}
	out := answer{model: asked.Model}
	for _, t := range asked.Tools {
		out.tools = append(out.tools, t.names()...)
	}
	out.reply, out.number = a.pick(Request{Stream: asked.Stream, Tools: out.tools, Header: r.Header.Clone(), Body: body})
	write(out, w, r, asked.Stream)
}

// offer is a tool that an agent offers to the model, in the form of any of the APIs.
type offer struct {
	Name                 string                  `json:"name"`                 // Messages, Responses
	Function             struct{ Name string }   `json:"function"`             // Chat Completions
	FunctionDeclarations []struct{ Name string } `json:"functionDeclarations"` // Gemini
}

func (o offer) names() (names []string) {
	for _, name := range []string{o.Name, o.Function.Name} {
		if name != "" {
			names = append(names, name)
		}
	}
	for _, f := range o.FunctionDeclarations {
		names = append(names, f.Name)
	}
	return names
}

// pick records a request and returns its reply, with a number that no other has.
func (a *API) pick(req Request) (Reply, int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	id := sessionOf(req)
	s := a.sessions[id]
	if s == nil {
		s = &session{number: len(a.sessions)}
		if n := len(a.scripts); n > 0 {
			s.script = a.scripts[min(s.number, n-1)]
		}
		a.sessions[id] = s
	}
	req.Session = s.number
	for _, earlier := range a.requests {
		if earlier.Session == s.number {
			req.Turn++
		}
	}
	a.requests = append(a.requests, req)
	for _, rule := range a.rules {
		if rule.match(req) {
			return rule.reply, len(a.requests)
		}
	}
	if len(req.Tools) == 0 && !s.fails() {
		return Text("A title"), len(a.requests) // agents also ask for a title
	}
	return s.step(), len(a.requests)
}

// fails reports whether the session's next reply is a refusal.
func (s *session) fails() bool {
	n := len(s.script)
	return n > 0 && s.script[min(s.next, n-1)].fault != none
}

// step returns the session's next reply. A tool call at the end of a script is
// not repeated: the CLI would call it for ever.
func (s *session) step() Reply {
	i := s.next
	s.next++
	if i < len(s.script) {
		return s.script[i]
	}
	if n := len(s.script); n > 0 && !s.script[n-1].callsTools() {
		return s.script[n-1]
	}
	return Text("The script of this session is over.")
}

// sessionOf returns the id of a CLI's session, from the header or the request's body. Agents
// that send no id have one session for each API.
func sessionOf(r Request) string {
	for _, name := range []string{"X-Claude-Code-Session-Id", "Session_id", "Session-Id", "X-Session-Id"} {
		if id := r.Header.Get(name); id != "" {
			return id
		}
	}
	var body struct {
		CacheKey string `json:"prompt_cache_key"`
		Metadata struct {
			UserID string `json:"user_id"`
		} `json:"metadata"`
	}
	if json.Unmarshal(r.Body, &body) != nil {
		return ""
	}
	if body.CacheKey != "" {
		return body.CacheKey
	}
	return regexp.MustCompile(`session_id[^0-9a-f]+([0-9a-f-]{36})|session_([0-9a-f-]{36})`).
		FindString(body.Metadata.UserID)
}
