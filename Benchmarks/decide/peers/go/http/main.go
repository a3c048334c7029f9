// An authorizer with net/http: 200 without a body, or 426 with JSON.
package main

import (
	"log"
	"net/http"
	"os"

	"decide/policy"
)

func decide(response http.ResponseWriter, request *http.Request) {
	version := request.Header.Get("X-App-Version")
	if !policy.IsOutdated(version) {
		response.WriteHeader(http.StatusOK)
		return
	}
	body, err := policy.DenialOf(version)
	if err != nil {
		response.WriteHeader(http.StatusInternalServerError)
		return
	}
	header := response.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Language", "en")
	header.Set("X-VersionGate", "require")
	response.WriteHeader(http.StatusUpgradeRequired)
	response.Write(body)
}

func main() {
	log.Fatal(http.ListenAndServe(os.Args[1], http.HandlerFunc(decide)))
}
