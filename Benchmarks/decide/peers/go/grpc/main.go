// An authorizer for Envoy with grpc-go.
package main

import (
	"context"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	"decide/check"
	"decide/policy"
)

type authorizer struct{}

func field(name, value string) *check.HeaderValueOption {
	return &check.HeaderValueOption{Header: &check.HeaderValue{Key: name, Value: value}}
}

func (authorizer) Check(_ context.Context, request *check.CheckRequest) (*check.CheckResponse, error) {
	version := request.GetAttributes().GetRequest().GetHttp().GetHeaders()["x-app-version"]
	if !policy.IsOutdated(version) {
		return &check.CheckResponse{
			Status:       &check.Status{Code: int32(codes.OK)},
			HttpResponse: &check.CheckResponse_OkResponse{OkResponse: &check.OkHttpResponse{}},
		}, nil
	}
	body, err := policy.DenialOf(version)
	if err != nil {
		return nil, err
	}
	return &check.CheckResponse{
		Status: &check.Status{Code: int32(codes.FailedPrecondition)},
		HttpResponse: &check.CheckResponse_DeniedResponse{DeniedResponse: &check.DeniedHttpResponse{
			Status: &check.HttpStatus{Code: 426},
			Headers: []*check.HeaderValueOption{
				field("content-type", "application/problem+json"),
				field("cache-control", "no-store"),
				field("content-language", "en"),
				field("x-versiongate", "require"),
			},
			Body: string(body),
		}},
	}, nil
}

func main() {
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	check.RegisterAuthorizationServer(server, authorizer{})
	log.Fatal(server.Serve(listener))
}
