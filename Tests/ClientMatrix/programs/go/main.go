// Go's net/http. adapter.py documents the input and the output.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"
)

type upload struct {
	Bytes   int  `json:"bytes"`
	Chunked bool `json:"chunked"`
	Expect  bool `json:"expect"`
}

type request struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Fields  map[string]string `json:"fields"`
	HTTP    string            `json:"http"`
	CA      string            `json:"ca"`
	Timeout float64           `json:"timeout"`
	Kind    string            `json:"kind"`
	Upload  *upload           `json:"upload"`
	Next    *request          `json:"next"`
}

type answer struct {
	Status      int               `json:"status,omitempty"`
	Fields      map[string]string `json:"fields,omitempty"`
	Body        string            `json:"body"`
	Length      int               `json:"length"`
	Error       string            `json:"error,omitempty"`
	Message     string            `json:"message,omitempty"`
	Unsupported string            `json:"unsupported,omitempty"`
	Seconds     float64           `json:"seconds"`
	Next        *answer           `json:"next,omitempty"`
}

func failure(err error) answer {
	cause := err
	for next := errors.Unwrap(cause); next != nil; next = errors.Unwrap(cause) {
		cause = next
	}
	return answer{Error: strings.TrimPrefix(fmt.Sprintf("%T", cause), "*"), Message: err.Error()}
}

func open(given request) (*http.Client, error) {
	authority, err := os.ReadFile(given.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ExpectContinueTimeout: 5 * time.Second}
	transport.ForceAttemptHTTP2 = given.HTTP == "2"
	return &http.Client{Transport: transport, Timeout: time.Duration(given.Timeout * float64(time.Second))}, nil
}

func ask(client *http.Client, given request) answer {
	if given.Kind == "websocket" {
		return answer{Unsupported: "no WebSocket"}
	}
	var body io.Reader
	if given.Upload != nil {
		content := bytes.Repeat([]byte("0123456789abcdef"), given.Upload.Bytes/16)
		body = bytes.NewReader(content)
		if given.Upload.Chunked {
			body = io.MultiReader(body)
		}
	}
	asked, err := http.NewRequest(given.Method, given.URL, body)
	if err != nil {
		return failure(err)
	}
	for name, value := range given.Fields {
		asked.Header.Set(name, value)
	}
	if given.Upload != nil && given.Upload.Expect {
		asked.Header.Set("Expect", "100-continue")
	}
	response, err := client.Do(asked)
	if err != nil {
		return failure(err)
	}
	defer response.Body.Close()
	result := answer{Status: response.StatusCode, Fields: map[string]string{}}
	for name := range response.Header {
		result.Fields[strings.ToLower(name)] = response.Header.Get(name)
	}
	if given.Kind == "events" {
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "data:") {
				result.Body = lines.Text()
				return result
			}
		}
		return failure(io.ErrUnexpectedEOF)
	}
	content, err := io.ReadAll(response.Body)
	result.Body, result.Length = string(content), len(content)
	if err != nil {
		failed := failure(err)
		result.Error, result.Message = failed.Error, failed.Message
	}
	return result
}

func timed(client *http.Client, given request) answer {
	began := time.Now()
	result := ask(client, given)
	result.Seconds = float64(time.Since(began).Milliseconds()) / 1000
	return result
}

func say(value any) {
	line, _ := json.Marshal(value)
	fmt.Println(string(line))
}

func main() {
	say(map[string]string{"version": strings.Replace(runtime.Version(), "go", "Go ", 1)})
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var given request
		if err := json.Unmarshal(input.Bytes(), &given); err != nil {
			panic(err)
		}
		client, err := open(given)
		if err != nil {
			say(failure(err))
			continue
		}
		result := timed(client, given)
		if given.Next != nil {
			following := *given.Next
			following.Timeout = given.Timeout
			next := timed(client, following)
			result.Next = &next
		}
		client.CloseIdleConnections()
		say(result)
	}
}
