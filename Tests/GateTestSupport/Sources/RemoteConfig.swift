import Foundation

/// A server that returns the template of one project, as Firebase Remote Config does.
///
/// https://firebase.google.com/docs/reference/remote-config/rest/v1/projects/getRemoteConfig
package final class RemoteConfig: Sendable {
    private let template = Watched("{}")
    package let server: SourceServer

    package init(account: GoogleAccount) throws {
        let template = self.template
        self.server = try SourceServer { request in
            guard request.target == "/v1/projects/my-shop/remoteConfig" else {
                return [.answer("404 Not Found")]
            }
            guard request.fields["Authorization"] == ["Bearer \(account.token)"] else {
                let body =
                    #"{"error":{"code":401,"message":"Who are you?","status":"UNAUTHENTICATED"}}"#
                return [.answer("401 Unauthorized", body: body)]
            }
            let body = template.current
            // Only clients that accept gzip get the real ETag.
            let isReal = request.fields.tokens("Accept-Encoding").contains("gzip")
            let etag =
                isReal ? "etag-1234-\(body.hashValue)" : "etag-\(UInt64.random(in: 0...(.max)))"
            return [.answer(fields: "ETag: \(etag)\r\n", body: body)]
        }
    }

    package func publish(_ template: String) {
        self.template.update { $0 = template }
    }
}
