/// A request as a source received it.
package struct FeedRequest: Sendable, Decodable {
    /// 1 for the first.
    package var number: Int
    /// Seconds since 1970.
    package var time: Double
    /// `main`; `other` or `plain` if it followed a redirect to another host or to plain HTTP.
    package var listener: String
    package var method: String
    package var target: String
    package var path: String
    package var query: [String: String]
    /// By names in lower case; several values are joined by commas.
    package var headers: [String: String]
    /// `nil` if it is no UTF-8.
    package var body: String?
    /// The fault that it met.
    package var fault: String?
    /// `nil` as long as there is no answer, or if none came.
    package var status: Int?
}
