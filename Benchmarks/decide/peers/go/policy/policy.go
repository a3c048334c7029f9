// Package policy compares the version of an app with a minimum, and has the JSON of a denial.
package policy

import (
	"encoding/json"
	"strconv"
	"strings"
)

const Minimum = "3.5.0"

var minimum = parse(Minimum)

// Denial is what the app shows to its user.
type Denial struct {
	Type           string `json:"type"`
	Title          string `json:"title"`
	Status         int    `json:"status"`
	Message        string `json:"message"`
	Button         string `json:"button"`
	StoreURL       string `json:"storeUrl"`
	MinimumVersion string `json:"minimumVersion"`
	CurrentVersion string `json:"currentVersion"`
}

// parse returns the parts of a version; a part that is missing is zero. It returns nil for anything else.
func parse(version string) *[4]int {
	var parts [4]int
	texts := strings.Split(version, ".")
	if len(texts) > len(parts) {
		return nil
	}
	for index, text := range texts {
		number, err := strconv.Atoi(text)
		if err != nil {
			return nil
		}
		parts[index] = number
	}
	return &parts
}

// IsOutdated returns whether the version is below the minimum.
func IsOutdated(version string) bool {
	parts := parse(version)
	if parts == nil {
		return false
	}
	for index, part := range parts {
		if part != minimum[index] {
			return part < minimum[index]
		}
	}
	return false
}

// DenialOf returns the JSON for an outdated version.
func DenialOf(version string) ([]byte, error) {
	return json.Marshal(Denial{
		Type:           "urn:versiongate:upgrade-required",
		Title:          "Update required",
		Status:         426,
		Message:        "Version " + version + " no longer works. Please update to " + Minimum + " or later.",
		Button:         "Update",
		StoreURL:       "https://apps.apple.com/app/id1234567890",
		MinimumVersion: Minimum,
		CurrentVersion: version,
	})
}
