package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// parse sets value from a node. A text (of a flag or variable) may be what a
// file must write in its own form: a list is separated by commas, and a span of
// time may have its unit, as in 90s.
func (d *decoder) parse(node *yaml.Node, value reflect.Value) error {
	text := d.file == "" && !d.builtIn
	switch into := value.Addr().Interface().(type) {
	case *Command:
		return parseCommand(node, into)
	case *[]string:
		if text {
			*into = splitList(node.Value)
			return nil
		}
		return parseList(node, into)
	case *map[string]string:
		return parseMap(node, into)
	case *Minutes, *Seconds, *Hours, *Span:
		return parseSpan(node, value, text)
	case *bool:
		on, err := parseBool(node)
		*into = on
		return err
	}
	if node.Kind != yaml.ScalarNode {
		return fmt.Errorf("want %s, got %s", wanted(value.Type()), describe(node))
	}
	switch value.Kind() {
	case reflect.Int, reflect.Int64:
		return parseInt(node, value, text)
	case reflect.Float64:
		return parseFloat(node, value, text)
	}
	value.SetString(node.Value)
	return nil
}

func parseInt(node *yaml.Node, value reflect.Value, text bool) error {
	n, err := strconv.ParseInt(strings.ReplaceAll(node.Value, "_", ""), 10, 64)
	if err != nil || !text && node.Tag != "!!int" {
		return fmt.Errorf("want a whole number, got %s", describe(node))
	}
	if value.OverflowInt(n) {
		return fmt.Errorf("%d is too large", n)
	}
	value.SetInt(n)
	return nil
}

func parseFloat(node *yaml.Node, value reflect.Value, text bool) error {
	f, err := strconv.ParseFloat(strings.ReplaceAll(node.Value, "_", ""), 64)
	if err != nil || !text && node.Tag != "!!int" && node.Tag != "!!float" || math.IsNaN(f) || math.IsInf(f, 0) {
		return fmt.Errorf("want a number, got %s", describe(node))
	}
	value.SetFloat(f)
	return nil
}

// maxSpan keeps spans of time far from where a time.Duration overflows.
const maxSpan = 366 * 24 * time.Hour

func parseSpan(node *yaml.Node, value reflect.Value, text bool) error {
	units := map[reflect.Type]time.Duration{
		reflect.TypeFor[Minutes](): time.Minute, reflect.TypeFor[Seconds](): time.Second, reflect.TypeFor[Hours](): time.Hour,
		reflect.TypeFor[Span](): time.Minute,
	}
	unit, free := units[value.Type()], value.Type() == reflect.TypeFor[Span]()
	if span, err := time.ParseDuration(node.Value); (text || free) && err == nil && strings.ContainsAny(node.Value, "smh") {
		value.SetFloat(float64(span) / float64(unit))
	} else if err := parseFloat(node, value, text); err != nil && free {
		return fmt.Errorf("want minutes, or a span such as 6h or 1h30m, got %s", describe(node))
	} else if err != nil {
		return fmt.Errorf("want a number of %s, got %s", strings.ToLower(value.Type().Name()), describe(node))
	}
	if value.Float() > float64(maxSpan/unit) {
		return fmt.Errorf("%s is more than a year", node.Value)
	}
	return nil
}

// parseBool accepts the words of older YAML as well; people still write them.
func parseBool(node *yaml.Node) (bool, error) {
	switch strings.ToLower(node.Value) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, fmt.Errorf("want true or false, got %s", describe(node))
}

func parseCommand(node *yaml.Node, into *Command) (err error) {
	if node.Kind == yaml.ScalarNode {
		*into, err = splitWords(node.Value)
		return err
	}
	return parseList(node, (*[]string)(into))
}

func parseList(node *yaml.Node, into *[]string) error {
	if node.Kind != yaml.SequenceNode {
		return fmt.Errorf("want a list, got %s", describe(node))
	}
	*into = make([]string, 0, len(node.Content))
	for _, item := range node.Content {
		item = resolve(item)
		if item.Kind != yaml.ScalarNode || isNull(item) {
			return fmt.Errorf("want a list of texts, but it has %s in line %d", describe(item), item.Line)
		}
		*into = append(*into, item.Value)
	}
	return nil
}

func parseMap(node *yaml.Node, into *map[string]string) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("want names and values, got %s", describe(node))
	}
	*into = map[string]string{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], resolve(node.Content[i+1])
		if name.Kind != yaml.ScalarNode || value.Kind != yaml.ScalarNode || name.Value == "" || strings.ContainsAny(name.Value, "=\x00") {
			return errors.New("want a name and a text in each line")
		}
		(*into)[name.Value] = value.Value
	}
	return nil
}

func splitList(text string) []string {
	list := []string{}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}
