// Writes the descriptors of Envoy's API into one file: a google.protobuf.FileDescriptorSet.
//
// The generated Go code of each proto file holds its descriptor as a constant. This program reads these constants from the
// sources of the modules in go.mod; it compiles none of them. README.md says how it is run.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// The modules whose files are wanted: Envoy's API, that of the extensions of its contrib image, and the types that it takes
// from xDS, such as matchers.
var wanted = []string{
	"github.com/envoyproxy/go-control-plane/envoy",
	"github.com/envoyproxy/go-control-plane/contrib",
	"github.com/cncf/xds/go",
}

// The files of these modules that are wanted.
var roots = regexp.MustCompile(`^(contrib/)?envoy/|^xds/type/|^udpa/type/v1/typed_struct\.proto$`)

// The modules that hold the files which they import.
var imported = []string{
	"cel.dev/expr",
	"github.com/envoyproxy/protoc-gen-validate",
	"github.com/prometheus/client_model",
	"go.opentelemetry.io/proto/otlp",
	"google.golang.org/genproto/googleapis/api",
	"google.golang.org/genproto/googleapis/rpc",
}

// Packages of the second version of the API, which Envoy does not read any more; they come in where a file imports them.
var frozen = regexp.MustCompile(`^envoy/(api/v2|(.*/)?v[12](alpha\d*)?/|type/([^/]*|matcher/[^/]*)$)`)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("arguments: %v (expected: the file to write)", os.Args[1:]))
	}
	known := map[string]*descriptorpb.FileDescriptorProto{}
	for _, module := range wanted {
		collect(module, known)
	}
	var names []string
	for name := range known {
		if roots.MatchString(name) && !frozen.MatchString(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, module := range imported {
		collect(module, known)
	}
	set := &descriptorpb.FileDescriptorSet{}
	seen := map[string]bool{}
	for _, name := range names {
		add(name, "", known, seen, set)
	}
	bytes, err := proto.MarshalOptions{Deterministic: true}.Marshal(set)
	if err != nil {
		fail(err)
	}
	if err := os.WriteFile(os.Args[1], bytes, 0o644); err != nil {
		fail(err)
	}
	fmt.Printf("%s: %d files, %d of them roots, %d bytes\n", os.Args[1], len(set.File), len(names), len(bytes))
}

// Adds a file after those that it imports. The files of google/protobuf come with every library of protobuf and are left out.
func add(name, by string, known map[string]*descriptorpb.FileDescriptorProto, seen map[string]bool, set *descriptorpb.FileDescriptorSet) {
	if seen[name] || strings.HasPrefix(name, "google/protobuf/") {
		return
	}
	seen[name] = true
	file := known[name]
	if file == nil {
		fail(fmt.Errorf("%s, which %s imports, is in no module of go.mod", name, by))
	}
	for _, dependency := range file.Dependency {
		add(dependency, name, known, seen, set)
	}
	set.File = append(set.File, file)
}

// Reads the descriptors of all files of a module.
func collect(module string, known map[string]*descriptorpb.FileDescriptorProto) {
	output, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		fail(fmt.Errorf("module %s: %w", module, err))
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(output, &downloaded); err != nil {
		fail(fmt.Errorf("module %s: %w", module, err))
	}
	err = filepath.WalkDir(downloaded.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".pb.go") {
			return err
		}
		return read(path, known)
	})
	if err != nil {
		fail(err)
	}
}

// Reads the descriptor of a generated file, which is the value of its only constant or variable named ..._rawDesc.
func read(path string, known map[string]*descriptorpb.FileDescriptorProto) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, declaration := range file.Decls {
		general, ok := declaration.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range general.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || len(value.Values) != 1 || !strings.HasSuffix(value.Names[0].Name, "_rawDesc") {
				continue
			}
			raw, err := bytesOf(value.Values[0])
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			descriptor := &descriptorpb.FileDescriptorProto{}
			if err := proto.Unmarshal(raw, descriptor); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			known[descriptor.GetName()] = descriptor
		}
	}
	return nil
}

// The bytes of texts that are joined by +, or of a list of bytes, which older generators write.
func bytesOf(expression ast.Expr) ([]byte, error) {
	switch e := expression.(type) {
	case *ast.BinaryExpr:
		left, err := bytesOf(e.X)
		if err != nil {
			return nil, err
		}
		right, err := bytesOf(e.Y)
		return append(left, right...), err
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return []byte(text), err
		}
	case *ast.CallExpr:
		if len(e.Args) == 1 {
			return bytesOf(e.Args[0])
		}
	case *ast.CompositeLit:
		var bytes []byte
		for _, element := range e.Elts {
			literal, ok := element.(*ast.BasicLit)
			if !ok {
				return nil, fmt.Errorf("an element of a descriptor is no number")
			}
			number, err := strconv.ParseUint(literal.Value, 0, 8)
			if err != nil {
				return nil, err
			}
			bytes = append(bytes, byte(number))
		}
		return bytes, nil
	}
	return nil, fmt.Errorf("a descriptor of an unknown form")
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
