// Package engine is where the fleet meets Temporal: the connection, what is asked of
// the workflows, and errors in words that say what to do.
package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"google.golang.org/grpc/codes"
)

// Address says how to reach the server.
type Address struct {
	Address    string `help:"Temporal's frontend." env:"TEMPORAL_ADDRESS" default:"127.0.0.1:7233" placeholder:"HOST:PORT" group:"server"`
	Namespace  string `help:"Namespace." env:"TEMPORAL_NAMESPACE" default:"default" placeholder:"NAME" group:"server"`
	APIKey     string `name:"api-key-file" help:"File with an API key; TEMPORAL_API_KEY holds the key itself." placeholder:"FILE" group:"server"`
	TLS        bool   `name:"tls" help:"Use TLS; an API key or a certificate does, too." env:"TEMPORAL_TLS" group:"server"`
	CA         string `name:"tls-ca" help:"Certificates to trust, instead of the system's." env:"TEMPORAL_TLS_SERVER_CA_CERT_PATH" placeholder:"FILE" group:"server"`
	Cert       string `name:"tls-cert" help:"Certificate of this client." env:"TEMPORAL_TLS_CLIENT_CERT_PATH" placeholder:"FILE" group:"server"`
	Key        string `name:"tls-key" help:"Key of that certificate." env:"TEMPORAL_TLS_CLIENT_KEY_PATH" placeholder:"FILE" group:"server"`
	ServerName string `name:"tls-server-name" help:"Name that the server's certificate must have, where it is not that of the address." env:"TEMPORAL_TLS_SERVER_NAME" placeholder:"NAME" group:"server"`
}

// connectLimit is how long the server may take to answer at first.
const connectLimit = 10 * time.Second

// Connect connects to the server and makes sure that the namespace is there. What the
// SDK has to say goes to warnings.
func (a Address) Connect(ctx context.Context, warnings *slog.Logger) (client.Client, error) {
	o := client.Options{HostPort: a.Address, Namespace: a.Namespace, Logger: log.NewStructuredLogger(warnings)}
	key, err := a.apiKey()
	if err != nil {
		return nil, err
	}
	if key != "" {
		o.Credentials = client.NewAPIKeyStaticCredentials(key)
	}
	if a.TLS || key != "" || a.CA != "" || a.Cert != "" || a.Key != "" || a.ServerName != "" {
		if o.ConnectionOptions.TLS, err = a.tls(); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	c, err := client.DialContext(ctx, o)
	if err != nil {
		return nil, a.unreachable(err)
	}
	_, err = c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: a.Namespace})
	if err == nil {
		return c, nil
	}
	c.Close()
	var missing *serviceerror.NamespaceNotFound
	switch {
	case errors.As(err, &missing):
		return nil, fmt.Errorf("the server at %s has no namespace %q; name another one with --namespace, or have it made", a.Address, a.Namespace)
	case isDenied(err):
		return nil, fmt.Errorf("the server at %s does not let you into the namespace %q (%w); check the API key or certificate", a.Address, a.Namespace, err)
	}
	return nil, fmt.Errorf("the server at %s: %w", a.Address, err)
}

// unreachable says why there is no connection, and what to do.
func (a Address) unreachable(err error) error {
	text := err.Error()
	switch {
	case isDenied(err):
		return fmt.Errorf("the server at %s does not let you in (%w); check the API key, in TEMPORAL_API_KEY or --api-key-file, or at the certificate", a.Address, err)
	case strings.Contains(text, "tls: ") || strings.Contains(text, "x509: "):
		return fmt.Errorf("there is no secure connection to %s (%w); check --tls-ca, --tls-cert, --tls-key and --tls-server-name", a.Address, err)
	case strings.Contains(text, "server preface") || strings.Contains(text, "broken pipe") || strings.Contains(text, "connection reset"):
		// The server explains a refusal after the handshake, or not at all.
		return fmt.Errorf("the server at %s hangs up (%w); if it wants TLS add --tls, and if it wants a certificate --tls-cert and --tls-key", a.Address, err)
	}
	return fmt.Errorf("no Temporal server answers at %s (%w); start one with 'ralph-fleet dev', or name yours with --address", a.Address, err)
}

func isDenied(err error) bool {
	var denied *serviceerror.PermissionDenied
	return errors.As(err, &denied) || serviceerror.ToStatus(err).Code() == codes.Unauthenticated
}

func (a Address) apiKey() (string, error) {
	if a.APIKey == "" {
		return os.Getenv("TEMPORAL_API_KEY"), nil
	}
	text, err := os.ReadFile(a.APIKey)
	if err != nil {
		return "", fmt.Errorf("the API key cannot be read: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}

func (a Address) tls() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.ServerName}
	if a.CA != "" {
		text, err := os.ReadFile(a.CA)
		if err != nil {
			return nil, fmt.Errorf("--tls-ca: %w", err)
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--tls-ca: %s holds no certificate", a.CA)
		}
	}
	if (a.Cert == "") != (a.Key == "") {
		return nil, errors.New("--tls-cert and --tls-key belong together: give both")
	}
	if a.Cert != "" {
		pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
		if err != nil {
			return nil, fmt.Errorf("--tls-cert and --tls-key: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}
