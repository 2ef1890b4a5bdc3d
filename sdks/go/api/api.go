// Package api holds what oapi-codegen generates from the OpenAPI document of Earshot: go generate ./...
package api

//go:generate go -C .. run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2 -config oapi-codegen.yaml openapi.json
