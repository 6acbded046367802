package proof

import "regexp"

// broken finds what compilers and loaders print when tests cannot be built.
var broken = regexp.MustCompile(`\[(?:build|setup) failed\]|\bundefined: |\bundefined \(type|cannot use .* as .* (?:value|type)|no required module provides|` +
	`\berror TS\d+|\berror\[E\d+\]|could not compile|COMPILATION ERROR|cannot find symbol|[cC]ompile(?:Test)?(?:Java|Kotlin)\S* FAILED|Unresolved reference|` +
	`\b(?:ImportError|ModuleNotFoundError|SyntaxError|IndentationError)\b|ERR_MODULE_NOT_FOUND|Cannot find module|does not provide an export|` +
	`fatal error: .*: No such file|undefined reference to|implicit declaration of function|cannot load such file|Class ".*" not found|uninitialized constant`)

// cannotCompile reports whether the output of a failed check says that code could not
// be built or loaded.
func cannotCompile(output string) bool { return broken.MatchString(output) }
