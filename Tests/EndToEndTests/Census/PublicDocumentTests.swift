import GateTestSupport
import Testing

/// The reports of `versiongate sunset` on traffic for OpenAPI documents that resemble those of public services, with
/// some of their paths and server URLs.
@Suite(.serialized, .ownThread, .timeLimit(.minutes(5)))
struct PublicDocumentTests {
    /// A service, its files, and requests for its operations.
    private struct Service {
        let name: String
        /// The files.
        ///
        /// The first is the document, which refers to the others.
        let files: [(name: String, text: String)]
        /// The requests, by the name of their operation in the report.
        let called: [String: String]
        let uncalled: [String]
    }

    private static let rules = """
        rules:
          - id: android
            match: { platform: android }
            minimum: "2.0"
            storeUrl: https://play.google.com/store/apps/details?id=com.example

        """

    /// A path whose last parameter contains slashes, and an operation with its own server.
    private static let gitHub = Service(
        name: "github",
        files: [
            (
                "github.json",
                #"""
                {
                  "openapi": "3.0.3",
                  "info": { "title": "\ud83d\udc19", "version": "1.1.4" },
                  "servers": [{ "url": "https://api.github.com" }],
                  "paths": {
                    "/zen": { "get": {} },
                    "/users/{username}": { "get": {} },
                    "/user/starred/{owner}/{repo}": { "get": {}, "put": {}, "delete": {} },
                    "/repos/{owner}/{repo}": { "get": {}, "patch": {}, "delete": {} },
                    "/repos/{owner}/{repo}/compare/{basehead}": { "get": {} },
                    "/repos/{owner}/{repo}/issues/{issue_number}/labels": { "get": {}, "post": {} },
                    "/repos/{owner}/{repo}/contents/{path}": {
                      "get": { "parameters": [{ "$ref": "#/components/parameters/path" }] },
                      "put": { "parameters": [{ "$ref": "#/components/parameters/path" }] }
                    },
                    "/repos/{owner}/{repo}/releases/{release_id}/assets": {
                      "post": { "servers": [{ "url": "https://uploads.github.com" }] }
                    }
                  },
                  "components": {
                    "parameters": { "path": { "name": "path", "in": "path", "x-multi-segment": true } }
                  },
                  "x-webhooks": { "ping": { "post": {} } }
                }
                """#
            )
        ],
        called: [
            "GET /zen": "GET /zen", "GET /users/{username}": "GET /users/octocat",
            "PUT /user/starred/{owner}/{repo}": "PUT /user/starred/octocat/hello-world",
            "PATCH /repos/{owner}/{repo}": "PATCH /repos/octocat/hello-world",
            "GET /repos/{owner}/{repo}/compare/{basehead}":
                "GET /repos/octocat/hello/compare/main...next",
            "POST /repos/{owner}/{repo}/issues/{issue_number}/labels":
                "POST /repos/octocat/hello/issues/1347/labels",
            "GET /repos/{owner}/{repo}/contents/{path}":
                "GET /repos/octocat/hello/contents/src/main/App.swift?ref=main",
            "POST /repos/{owner}/{repo}/releases/{release_id}/assets":
                "POST /repos/octocat/hello/releases/1/assets?name=a.zip",
        ],
        uncalled: [
            "DELETE /repos/{owner}/{repo}", "GET /repos/{owner}/{repo}",
            "GET /user/starred/{owner}/{repo}", "PUT /repos/{owner}/{repo}/contents/{path}",
        ]
    )

    /// Servers with a trailing slash, one of them for a single operation.
    private static let stripe = Service(
        name: "stripe",
        files: [
            (
                "stripe.yaml",
                """
                openapi: 3.0.0
                servers: [{ url: https://api.stripe.com/ }]
                paths:
                  /v1/charges: { get: {}, post: {} }
                  /v1/charges/search: { get: {} }
                  "/v1/charges/{charge}": { get: {}, post: {} }
                  "/v1/charges/{charge}/capture": { post: {} }
                  "/v1/customers/{customer}/sources/{id}": { get: {}, post: {}, delete: {} }
                  /v1/files:
                    get: {}
                    post: { servers: [{ url: https://files.stripe.com/ }] }

                """
            )
        ],
        called: [
            "GET /v1/charges": "GET /v1/charges?limit=3",
            "GET /v1/charges/search": "GET /v1/charges/search",
            "GET /v1/charges/{charge}": "GET /v1/charges/ch_3MmlLrLkdIwHu7ix0snN0B15",
            "POST /v1/charges/{charge}/capture":
                "POST /v1/charges/ch_3MmlLrLkdIwHu7ix0snN0B15/capture",
            "DELETE /v1/customers/{customer}/sources/{id}":
                "DELETE /v1/customers/cus_9s6XGDTHzA66Po/sources/card_1MvoiELkdIwHu7ixOeFGbN9D",
            "POST /v1/files": "POST /v1/files",
        ],
        uncalled: ["POST /v1/charges", "POST /v1/charges/{charge}", "GET /v1/files"]
    )

    /// Each operation in a file of its own.
    private static let digitalOcean = Service(
        name: "digitalocean",
        files: [
            (
                "digitalocean.v2.yaml",
                """
                openapi: "3.0.0"
                servers: [{ url: "https://api.digitalocean.com", description: production }]
                paths:
                  /v2/1-clicks: { get: { $ref: "resources-list.yml" } }
                  /v2/account/keys:
                    get: { $ref: "./resources-list.yml" }
                    post: { $ref: "resources.yml#/create" }
                  "/v2/account/keys/{ssh_key_identifier}":
                    get: { $ref: "resources.yml#/get" }
                    delete: { $ref: "resources.yml#/delete" }
                  "/v2/droplets/{droplet_id}/actions": { $ref: "resources.yml#/actions" }

                """
            ),
            (
                "resources-list.yml",
                "operationId: list\nresponses: { '200': { $ref: shared.yml } }\n"
            ),
            (
                "resources.yml",
                """
                create: { operationId: create }
                get: { operationId: get }
                delete: { operationId: delete }
                actions: { get: { $ref: "#/get" }, post: { $ref: "#/create" } }

                """
            ),
        ],
        called: [
            "GET /v2/1-clicks": "GET /v2/1-clicks?type=kubernetes",
            "POST /v2/account/keys": "POST /v2/account/keys",
            "DELETE /v2/account/keys/{ssh_key_identifier}":
                "DELETE /v2/account/keys/3b:16:bf:e4:8b:00:8b:b8:59:8c:a9:d3:f0:19:45:fa",
            "POST /v2/droplets/{droplet_id}/actions": "POST /v2/droplets/3164444/actions",
        ],
        uncalled: [
            "GET /v2/account/keys", "GET /v2/account/keys/{ssh_key_identifier}",
            "GET /v2/droplets/{droplet_id}/actions",
        ]
    )

    /// The base path is a variable, and words in capitals are parameters.
    private static let eBay = Service(
        name: "ebay",
        files: [
            (
                "ebay.json",
                """
                {
                  "openapi": "3.0.0",
                  "servers": [
                    {
                      "url": "https://api.ebay.com{basePath}",
                      "variables": { "basePath": { "default": "/sell/analytics/v1" } }
                    }
                  ],
                  "paths": {
                    "/customer_service_metric/{customer_service_metric_type}/{evaluation_type}": { "get": {} },
                    "/seller_standards_profile": { "get": {} },
                    "/seller_standards_profile/{program}/{cycle}": { "get": {} },
                    "/traffic_report": { "get": {} }
                  }
                }
                """
            )
        ],
        called: [
            "GET /sell/analytics/v1/seller_standards_profile/{program}/{cycle}":
                "GET /sell/analytics/v1/seller_standards_profile/PROGRAM_DE/CURRENT",
            "GET /sell/analytics/v1/customer_service_metric/{customer_service_metric_type}/{evaluation_type}":
                "GET /sell/analytics/v1/customer_service_metric/ITEM_NOT_AS_DESCRIBED/PROJECTED",
            "GET /sell/analytics/v1/traffic_report":
                "GET /sell/analytics/v1/traffic_report?dimension=DAY",
        ],
        uncalled: ["GET /sell/analytics/v1/seller_standards_profile"]
    )

    /// Swagger without a base path.
    ///
    /// Some paths end with a slash, and one ends with a fixed segment after a parameter.
    private static let kubernetes = Service(
        name: "kubernetes",
        files: [
            (
                "kubernetes.json",
                """
                {
                  "swagger": "2.0",
                  "paths": {
                    "/api/": { "get": {} },
                    "/version/": { "get": {} },
                    "/api/v1/namespaces/{namespace}/pods/{name}": { "get": {}, "delete": {} },
                    "/api/v1/namespaces/{namespace}/pods/{name}/log": { "get": {} },
                    "/api/v1/namespaces/{name}": { "get": {}, "parameters": [] },
                    "/api/v1/watch/pods": { "get": {} },
                    "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale": { "put": {} },
                    "/apis/apps/v1/deployments": { "get": {} }
                  }
                }
                """
            )
        ],
        called: [
            "GET /version/": "GET /version",
            "GET /api/v1/namespaces/{namespace}/pods/{name}":
                "GET /api/v1/namespaces/default/pods/web-7c5ddbdf54-6rzbs",
            "GET /api/v1/namespaces/{namespace}/pods/{name}/log":
                "GET /api/v1/namespaces/kube-system/pods/dns/log?follow=true",
            "PUT /apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale":
                "PUT /apis/apps/v1/namespaces/default/deployments/web/scale",
        ],
        uncalled: [
            "GET /api/", "GET /api/v1/watch/pods", "GET /apis/apps/v1/deployments",
            "DELETE /api/v1/namespaces/{namespace}/pods/{name}", "GET /api/v1/namespaces/{name}",
        ]
    )

    /// The server URL is relative to the document.
    private static let petstore = Service(
        name: "petstore",
        files: [
            (
                "petstore.yaml",
                """
                openapi: 3.0.4
                servers: [{ url: /api/v3 }]
                paths:
                  /pet: { put: {}, post: {} }
                  /pet/findByStatus: { get: {} }
                  "/pet/{petId}": { get: {}, post: {}, delete: {} }
                  /store/inventory: { get: {} }
                  "/store/order/{orderId}": { get: {}, delete: {} }
                  /user/login: { get: {} }
                  "/user/{username}": { get: {}, put: {} }

                """
            )
        ],
        called: [
            "GET /api/v3/pet/findByStatus": "GET /api/v3/pet/findByStatus?status=sold",
            "GET /api/v3/pet/{petId}": "GET /api/v3/pet/10", "POST /api/v3/pet": "POST /api/v3/pet",
            "GET /api/v3/store/order/{orderId}": "GET /api/v3/store/order/5",
            "GET /api/v3/user/{username}": "GET /api/v3/user/theUser",
        ],
        uncalled: [
            "PUT /api/v3/pet", "GET /api/v3/store/inventory", "GET /api/v3/user/login",
            "DELETE /api/v3/pet/{petId}", "PUT /api/v3/user/{username}",
        ]
    )

    @Test func `every called operation of documents like those of public services is found`()
        async throws
    {
        let services = [
            Self.gitHub, Self.stripe, Self.digitalOcean, Self.eBay, Self.kubernetes, Self.petstore,
        ]
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.writeInPlace(Self.rules, to: "rules.yaml")
        let flags: [GateFlag] = [
            .stateDir(path: folder.path(of: "state")), .censusInterval(seconds: 0.1),
            .logLevel("debug"),
        ]
        try await Scene.play(in: folder, flags: flags) { scene in
            var visitors: [CensusVisitor] = []
            for request in services.flatMap(\.called.values) {
                let parts = request.split(separator: " ").map(String.init)
                let (method, path) = (parts[0], parts[1])
                visitors += (0..<2).map { device in
                    CensusVisitor(
                        platform: "android",
                        version: "2.\(device)",
                        device: "device-\(device)",
                        method: method,
                        path: path
                    )
                }
            }
            try scene.count(visitors)
            for service in services {
                for file in service.files { try folder.writeInPlace(file.text, to: file.name) }
                let document = folder.path(of: service.files[0].name)
                let report = try scene.report("sunset", "--below", "3.0", "--openapi", document)
                let operations = report.list("operations").filter {
                    $0.fields["isInDocument"] as? Bool == true
                }
                func names(_ calls: String, _ requests: Int) -> [String] {
                    operations.filter {
                        $0.text("calls") == calls && $0.number("requests") == requests
                    }.map { "\($0.text("method") ?? "") \($0.text("path") ?? "")" }.sorted()
                }
                #expect(names("some", 2) == service.called.keys.sorted(), "\(service.name)")
                let uncalled = Set(names("none", 0))
                #expect(uncalled.isSuperset(of: service.uncalled), "\(service.name): \(uncalled)")
                // All other operations are reported as certainly not called.
                #expect(
                    operations.count == service.called.count + uncalled.count,
                    "\(service.name)"
                )
            }
        }
    }
}
