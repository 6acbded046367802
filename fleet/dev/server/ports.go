package server

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/primitives"
)

// Ports that systems do not give to connections by themselves: one of theirs can be taken
// between the moment in which it is found free and the one in which it is listened on.
const (
	firstPort = 20000
	portCount = 12000
	portTries = 200
)

// FreePort listens on a port of a host on which nothing else does. The caller closes it.
func FreePort(host string) (net.Listener, int, error) {
	var last error
	for range portTries {
		port := firstPort + rand.IntN(portCount)
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err == nil {
			return l, port, nil
		}
		last = err
	}
	return nil, 0, fmt.Errorf("no port is free on %s: %w", host, last)
}

// services gives each part of the server its ports; only that of the frontend is known
// to others.
func services(host string, frontend int) (map[string]config.Service, error) {
	all := map[string]config.Service{}
	for _, name := range []primitives.ServiceName{primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService} {
		rpc := config.RPC{GRPCPort: frontend, BindOnIP: host}
		ports := []*int{&rpc.MembershipPort}
		if name != primitives.FrontendService {
			ports = append(ports, &rpc.GRPCPort)
		}
		for _, port := range ports {
			l, free, err := FreePort(host)
			if err != nil {
				return nil, err
			}
			defer l.Close() // when all are found: none is found twice
			*port = free
		}
		all[string(name)] = config.Service{RPC: rpc}
	}
	return all, nil
}
