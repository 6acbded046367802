package engine

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
)

// frontend is as much of a Temporal server as a connection needs.
type frontend struct {
	workflowservice.UnimplementedWorkflowServiceServer
	key string // that it wants, if any
}

func (f frontend) GetSystemInfo(ctx context.Context, _ *workflowservice.GetSystemInfoRequest) (*workflowservice.GetSystemInfoResponse, error) {
	return &workflowservice.GetSystemInfoResponse{}, f.check(ctx)
}

func (f frontend) DescribeNamespace(ctx context.Context, q *workflowservice.DescribeNamespaceRequest) (*workflowservice.DescribeNamespaceResponse, error) {
	if err := f.check(ctx); err != nil {
		return nil, err
	}
	if q.Namespace != "team" {
		return nil, serviceerror.ToStatus(serviceerror.NewNamespaceNotFound(q.Namespace)).Err()
	}
	return &workflowservice.DescribeNamespaceResponse{}, nil
}

func (f frontend) check(ctx context.Context) error {
	md, _ := metadata.FromIncomingContext(ctx)
	if got := strings.Join(md.Get("authorization"), ","); f.key != "" && got != "Bearer "+f.key {
		return serviceerror.ToStatus(serviceerror.NewPermissionDenied("Request unauthorized.", "")).Err()
	}
	return nil
}

// serve serves a frontend until the test ends; it returns the address.
func serve(t *testing.T, f workflowservice.WorkflowServiceServer, c *tls.Config) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var options []grpc.ServerOption
	if c != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(c)))
	}
	s := grpc.NewServer(options...)
	workflowservice.RegisterWorkflowServiceServer(s, f)
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(s.Stop)
	return listener.Addr().String()
}

// pair is a made-up certificate for a name, with its key, and the files of both.
type pair struct {
	tls.Certificate
	cert, key string
	pool      *x509.CertPool
}

func newPair(t *testing.T, name string) pair {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}, BasicConstraintsValid: true, IsCA: true, DNSNames: []string{name}}
	if ip := net.ParseIP(name); ip != nil {
		c.IPAddresses = []net.IP{ip}
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	p := pair{cert: filepath.Join(t.TempDir(), "cert.pem"), key: filepath.Join(t.TempDir(), "key.pem"), pool: x509.NewCertPool()}
	for file, block := range map[string]*pem.Block{p.cert: {Type: "CERTIFICATE", Bytes: der}, p.key: {Type: "PRIVATE KEY", Bytes: keyDER}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if p.Certificate, err = tls.LoadX509KeyPair(p.cert, p.key); err != nil {
		t.Fatal(err)
	}
	p.pool.AddCert(p.Leaf)
	return p
}

func TestConnect(t *testing.T) {
	server, named, me, stranger := newPair(t, "127.0.0.1"), newPair(t, "temporal.example.com"), newPair(t, "me"), newPair(t, "stranger")
	open := serve(t, frontend{}, nil)
	secret := serve(t, frontend{key: "k-123"}, &tls.Config{Certificates: []tls.Certificate{server.Certificate}})
	mutual := serve(t, frontend{}, &tls.Config{Certificates: []tls.Certificate{server.Certificate}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: me.pool})
	elsewhere := serve(t, frontend{}, &tls.Config{Certificates: []tls.Certificate{named.Certificate}})
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("k-123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		at   Address
		env  string // TEMPORAL_API_KEY
		want string // empty where it connects
	}{
		{"plain", Address{Address: open}, "", ""},
		{"no such namespace", Address{Address: open, Namespace: "other"}, "", `has no namespace "other"; name another one with --namespace`},
		{"nobody there", Address{Address: "127.0.0.1:1"}, "", "no Temporal server answers at 127.0.0.1:1"},
		{"TLS and a key from the environment", Address{Address: secret, CA: server.cert}, "k-123", ""},
		{"TLS and a key from a file", Address{Address: secret, CA: server.cert, APIKey: keyFile}, "k-456", ""},
		{"the wrong key", Address{Address: secret, CA: server.cert}, "k-456", "does not let you in (failed reaching server: Request unauthorized.); check the API key"},
		{"no key", Address{Address: secret, CA: server.cert}, "", "does not let you in"},
		{"a server that the system does not trust", Address{Address: secret, TLS: true}, "k-123", "certificate signed by unknown authority"},
		{"without TLS where it is wanted", Address{Address: secret}, "", "if it wants TLS add --tls"},
		{"TLS where there is none", Address{Address: open, TLS: true}, "", "first record does not look like a TLS handshake"},
		{"a certificate of one's own", Address{Address: mutual, CA: server.cert, Cert: me.cert, Key: me.key}, "", ""},
		{"none of one's own", Address{Address: mutual, CA: server.cert}, "", "--tls-cert"},
		{"one that the server does not trust", Address{Address: mutual, CA: server.cert, Cert: stranger.cert, Key: stranger.key}, "", "--tls-cert"},
		{"the key of another one", Address{Address: mutual, CA: server.cert, Cert: me.cert, Key: stranger.key}, "", "--tls-cert and --tls-key: "},
		{"a certificate without its key", Address{Address: mutual, CA: server.cert, Cert: me.cert}, "", "--tls-cert and --tls-key belong together"},
		{"a CA file that holds none", Address{Address: mutual, CA: me.key}, "", "holds no certificate"},
		{"a server by another name", Address{Address: elsewhere, CA: named.cert}, "", "--tls-server-name"},
		{"a server by its own name", Address{Address: elsewhere, CA: named.cert, ServerName: "temporal.example.com"}, "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TEMPORAL_API_KEY", test.env)
			if test.at.Namespace == "" {
				test.at.Namespace = "team"
			}
			c, err := test.at.Connect(t.Context(), slog.New(slog.DiscardHandler))
			switch {
			case err == nil:
				c.Close()
				if test.want != "" {
					t.Errorf("it connects, want: %s", test.want)
				}
			case test.want == "" || !strings.Contains(err.Error(), test.want):
				t.Errorf("%v\nwant: %s", err, test.want)
			}
		})
	}
}
