package config

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/glob"
)

// check compares a value with the limits in its field's tags.
func check(value reflect.Value, tag reflect.StructTag) error {
	if bound, ok := tag.Lookup("min"); ok && number(value) < atof(bound) {
		return fmt.Errorf("%v is too small, the least is %s", value, bound)
	}
	if bound, ok := tag.Lookup("max"); ok && number(value) > atof(bound) {
		return fmt.Errorf("%v is too large, the most is %s", value, bound)
	}
	if bound, ok := tag.Lookup("above"); ok && number(value) <= atof(bound) {
		return fmt.Errorf("%v is too small, it must be more than %s", value, bound)
	}
	if enum, ok := tag.Lookup("enum"); ok {
		words := strings.Split(enum, "|")
		if !slices.Contains(words, value.String()) {
			return fmt.Errorf("%q is not one of %s", value, strings.Join(words, ", "))
		}
	}
	if tag.Get("nonempty") != "" && isEmpty(value) {
		return fmt.Errorf("must not be empty")
	}
	list, _ := value.Interface().([]string)
	for _, item := range list {
		if err := checkFormat(item, tag.Get("format")); err != nil {
			return err
		}
	}
	return nil
}

func checkFormat(item, format string) error {
	switch format {
	case "regexp":
		if _, err := regexp.Compile(item); err != nil {
			return fmt.Errorf("%q is not a regular expression: %w", item, err)
		}
	case "glob":
		if !glob.Valid(item) {
			return fmt.Errorf("%q is not a pattern of paths", item)
		}
	case "absolute":
		if !filepath.IsAbs(item) && !strings.HasPrefix(item, "~/") {
			return fmt.Errorf("%q is not an absolute path", item)
		}
	}
	return nil
}

func isEmpty(value reflect.Value) bool {
	if command, ok := value.Interface().(Command); ok {
		return len(command) == 0 || command[0] == ""
	}
	return strings.TrimSpace(value.String()) == ""
}

func number(value reflect.Value) float64 {
	if value.CanInt() {
		return float64(value.Int())
	}
	return value.Float()
}

// atof reads a bound of a tag; a test makes sure that each is a number.
func atof(bound string) float64 {
	f, _ := strconv.ParseFloat(bound, 64)
	return f
}
