// Package server runs a whole Temporal server inside this process, on one SQLite
// database: for trying things out and for tests. It listens on loopback and asks
// no one who they are.
package server

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/log"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

// Options say what the server is to be.
type Options struct {
	Listen    string // host and port of the frontend
	DB        string // the SQLite file; empty keeps everything in memory
	Namespace string
	Level     string // of its log on standard output: error, warn, info

	// Events is the length from which on a workflow is asked to continue in a new history;
	// 0 is the server's own.
	Events int
}

// clusterName is that of the one and only cluster.
const clusterName = "active"

// Start starts a server and returns when it listens. The caller stops it.
func Start(o Options) (temporal.Server, error) {
	c, err := o.config()
	if err != nil {
		return nil, err
	}
	store := c.Persistence.DataStores[sqliteplugin.PluginName].SQL
	if err := o.prepare(store); err != nil {
		return nil, err
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(c),
		temporal.ForServices(temporal.DefaultServices),
		temporal.WithLogger(log.NewZapLogger(log.BuildZapLogger(log.Config{Stdout: true, Level: o.Level}))),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithDynamicConfigClient(o.settings()),
	)
	if err != nil {
		return nil, fmt.Errorf("the server cannot be set up: %w", err)
	}
	if err := s.Start(); err != nil {
		return nil, fmt.Errorf("the server cannot start: %w", err)
	}
	return s, nil
}

// settings are the server's that are not its own defaults.
func (o Options) settings() dynamicconfig.StaticClient {
	s := dynamicconfig.StaticClient{
		// A list is to show what was submitted a moment ago.
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): true,
	}
	if o.Events > 0 {
		s[dynamicconfig.HistoryCountSuggestContinueAsNew.Key()] = o.Events
	}
	return s
}

// prepare makes the tables where they are missing, and the namespace.
func (o Options) prepare(store *config.SQL) error {
	if o.DB != "" {
		if _, err := os.Stat(o.DB); errors.Is(err, fs.ErrNotExist) {
			if err := sqlite.SetupSchema(store); err != nil {
				return fmt.Errorf("the database %s cannot be made: %w", o.DB, err)
			}
		}
	}
	ns, err := sqlite.NewNamespaceConfig(clusterName, o.Namespace, false, nil)
	if err == nil {
		err = sqlite.CreateNamespaces(store, ns)
	}
	if err != nil {
		return fmt.Errorf("the namespace %s cannot be made: %w", o.Namespace, err)
	}
	return nil
}

// config is the whole configuration of a server of one process.
func (o Options) config() (*config.Config, error) {
	// The server itself would end this process, with a trace of its stack.
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("nothing can listen on %s (%w); end what does, or name another address with --listen HOST:PORT", o.Listen, err)
	}
	address := listener.Addr().(*net.TCPAddr)
	listener.Close()
	host, port := address.IP.String(), address.Port
	store := &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: o.DB, ConnectAttributes: map[string]string{"mode": "rwc"}}
	if o.DB == "" {
		// Shared between the connections of the process by its name.
		store.DatabaseName = fmt.Sprintf("ralph-%d-%d", os.Getpid(), time.Now().UnixNano())
		store.ConnectAttributes = map[string]string{"mode": "memory", "cache": "shared"}
	}
	c := &config.Config{
		Global: config.Global{Membership: config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: host}},
		Persistence: config.Persistence{
			DefaultStore: sqliteplugin.PluginName, VisibilityStore: sqliteplugin.PluginName, NumHistoryShards: 1,
			DataStores: map[string]config.DataStore{sqliteplugin.PluginName: {SQL: store}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10, MasterClusterName: clusterName, CurrentClusterName: clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: o.Listen},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{
			History: config.HistoryArchival{State: "disabled"}, Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History: config.HistoryArchivalNamespaceDefaults{State: "disabled"}, Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
		PublicClient: config.PublicClient{HostPort: o.Listen},
	}
	c.Services, err = services(host, port)
	return c, err
}
